import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { ladderNetwork } from './ladder-network';
import { denseNetwork } from './onnx-network';
import type { EngineWay } from './run-kinds';

/** Of candidate_cost: its network, and how the engine is to work. */
export interface BenchModel {
  readonly name: string;
  /** Layers of a dense network, or the rungs of a ladder, all as wide as the first one. */
  readonly hidden: readonly number[];
  /** Makes it a ladder; another seed is another network. */
  readonly ladderSeed?: number;
  readonly way?: Omit<EngineWay, 'name'>;
}

/** What the contract of docs/etr.md wants. */
const [features, quantiles] = [20, 8];

/** The shipped one under another name, and in its way. */
function configOf({ name, way = { parameters: {} } }: BenchModel): string {
  const { parameters, instances, queueDelayMs } = way;
  const more = Object.entries(parameters).map(
    ([key, value]) => `parameters [ { key: "${key}" value: { string_value: "${value}" } } ]\n`,
  );
  const shipped = readFileSync(projectPath('models', 'candidate_cost', 'config.pbtxt'), 'utf8');
  let config = shipped.replace('name: "candidate_cost"', `name: "${name}"`);
  if (instances !== undefined) config = config.replace('KIND_AUTO count: 2', `KIND_AUTO count: ${instances}`);
  if (queueDelayMs !== undefined)
    config = config.replace(
      'max_queue_delay_microseconds: 0',
      `max_queue_delay_microseconds: ${1_000 * queueDelayMs}`,
    );
  return config + more.join('');
}

function networkOf({ hidden, ladderSeed: seed }: BenchModel): { file: string; content: Buffer } {
  if (seed === undefined) {
    const file = `${hidden.length}-${hidden.join('-').slice(0, 100)}.onnx`;
    return { file, content: denseNetwork([features, ...hidden, quantiles]) };
  }
  const [width, rungs] = [hidden[0]!, hidden.length];
  const content = ladderNetwork({ features, quantiles, width, rungs, seed });
  return { file: `ladder-${width}-${rungs}-${seed}.onnx`, content };
}

/** candidate_cost under another name and with another network, pinned as usual. */
function addModel(folder: string, model: BenchModel): void {
  const { name } = model;
  const { file, content } = networkOf(model);
  const network = join('networks', file);
  mkdirSync(join(folder, 'networks'), { recursive: true });
  writeFileSync(join(folder, network), content);
  mkdirSync(join(folder, name, '1'), { recursive: true });
  const sha256 = createHash('sha256').update(content).digest('hex');
  writeFileSync(join(folder, name, '1', 'network.json'), `${JSON.stringify({ network, sha256 }, null, 2)}\n`);
  writeFileSync(join(folder, name, 'config.pbtxt'), configOf(model));
}

/** A model repository in `folder`. */
export function makeRepository(folder: string, models: readonly BenchModel[]): string {
  const repository = join(folder, 'models');
  mkdirSync(repository, { recursive: true });
  for (const model of models) addModel(repository, model);
  return repository;
}

const delayConfig = (instances: number): string => `backend: "fault_injection"
max_batch_size: 0
input [ { name: "IN" data_type: TYPE_UINT8 dims: [ -1 ] } ]
output [ { name: "OUT" data_type: TYPE_UINT8 dims: [ -1 ] } ]
instance_group [ { kind: KIND_CPU count: ${instances} } ]
`;

/** A model repository whose one model, fault_injection, gives back its input after as long as it is told. */
export function makeDelayRepository(folder: string, instances: number): string {
  const repository = join(folder, 'models');
  mkdirSync(join(repository, 'fault_injection', '1'), { recursive: true });
  cpSync(projectPath('models', 'labels.json'), join(repository, 'labels.json'));
  writeFileSync(join(repository, 'fault_injection', 'config.pbtxt'), delayConfig(instances));
  return repository;
}
