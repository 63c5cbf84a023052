import { ArgumentsInvalid } from '#lib/command-line';
import { schedulerNames, type SchedulerName } from '#services/inference-worker/scheduling/make-scheduler';

/** How the engine is asked to work: parameters of candidate_cost (docs/tensors.md), and instances of each model. */
export interface EngineWay {
  /** As it was given; '' for the shipped way. */
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly instances?: number;
  /** So long a pass waits for more shards. */
  readonly queueDelayMs?: number;
}

export interface RunKind {
  /** As it was given. */
  readonly name: string;
  readonly scheduler: SchedulerName;
  readonly way: EngineWay;
}

const setting = /^([a-z_]{1,32})=([a-z0-9]{1,32})$/;

function wayOf(name: string): EngineWay {
  const settings = name === '' ? [] : name.split(',').map((given) => setting.exec(given));
  if (settings.includes(null)) {
    throw new ArgumentsInvalid(`--kinds has ${name}: settings are NAME=VALUE, joined by ","`);
  }
  const { instances, ...parameters } = Object.fromEntries(settings.map((found) => [found![1]!, found![2]!]));
  if (instances === undefined) return { name, parameters };
  if (!/^[1-8]$/.test(instances)) throw new ArgumentsInvalid(`--kinds has ${instances} instances: 1 to 8`);
  return { name, parameters, instances: Number(instances) };
}

/** "fifo|staggered:turns=on,instances=4". Throws ArgumentsInvalid. */
export function runKinds(given: string): readonly RunKind[] {
  return given.split('|').map((name) => {
    const [scheduler, way = '', ...more] = name.split(':');
    const known = schedulerNames.find((one) => one === scheduler);
    if (known === undefined || more.length > 0) {
      throw new ArgumentsInvalid(`--kinds has ${name}: fifo or staggered, and settings after ":"`);
    }
    return { name, scheduler: known, way: wayOf(way) };
  });
}
