import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { denseNetwork } from './onnx-network';

/** Of candidate_cost: its network's hidden layers. */
export interface BenchModel {
  readonly name: string;
  readonly hidden: readonly number[];
}

/** What the contract of docs/etr.md wants. */
const [features, quantiles] = [20, 8];

/** candidate_cost under another name and with another network, pinned as usual. */
function addModel(
  folder: string,
  { name, hidden }: BenchModel,
  parameters: Readonly<Record<string, string>>,
): void {
  const network = join('networks', `${hidden.length}-${hidden.join('-').slice(0, 100)}.onnx`);
  const content = denseNetwork([features, ...hidden, quantiles]);
  mkdirSync(join(folder, 'networks'), { recursive: true });
  writeFileSync(join(folder, network), content);
  mkdirSync(join(folder, name, '1'), { recursive: true });
  const sha256 = createHash('sha256').update(content).digest('hex');
  writeFileSync(join(folder, name, '1', 'network.json'), `${JSON.stringify({ network, sha256 }, null, 2)}\n`);
  const shipped = readFileSync(projectPath('models', 'candidate_cost', 'config.pbtxt'), 'utf8');
  const more = Object.entries(parameters).map(
    ([key, value]) => `parameters [ { key: "${key}" value: { string_value: "${value}" } } ]\n`,
  );
  const config = shipped.replace('name: "candidate_cost"', `name: "${name}"`) + more.join('');
  writeFileSync(join(folder, name, 'config.pbtxt'), config);
}

/** A model repository in `folder`. */
export function makeRepository(
  folder: string,
  models: readonly BenchModel[],
  parameters: Readonly<Record<string, string>> = {},
): string {
  const repository = join(folder, 'models');
  mkdirSync(repository);
  for (const model of models) addModel(repository, model, parameters);
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
