import type { StaggerOptions } from './options';
import { makeRepository, type BenchModel } from './repository';
import type { EngineWay, RunKind } from './run-kinds';
import { keptTemplates, type Template } from './templates';
import { makeTrace, type TracedShard } from './trace';

export const models = ['light', 'heavy'] as const;
type ModelName = (typeof models)[number];

export interface Prepared {
  /** The repository. */
  readonly models: string;
  /** One shard of each kind. */
  readonly kinds: readonly TracedShard[];
  traceOf(burstEveryMs: number): readonly TracedShard[];
  /** The same shards for the models that work in a way. */
  inWay(trace: readonly TracedShard[], way: Pick<EngineWay, 'name'>): readonly TracedShard[];
}

/** One instance, and passes that wait to be full: what a pass takes that has a GPU for itself. */
export const aloneWay: EngineWay = { name: 'alone', parameters: {}, instances: 1, queueDelayMs: 250 };

function templatesOf(options: StaggerOptions): Record<ModelName, readonly Template[]> {
  const { seed, least, factor, bundleOrders, perOrder, templates } = options;
  const each = [...new Set(perOrder)];
  const made = new Map(
    each.map((per) => [per, keptTemplates(templates, least, factor, seed, bundleOrders, per)]),
  );
  const [light, heavy = light] = perOrder.map((per) => made.get(per)!);
  return { light: light!, heavy: heavy! };
}

/** The repository has every model in every way: an engine starts once for all runs. */
export function prepare(folder: string, options: StaggerOptions, kinds: readonly RunKind[] = []): Prepared {
  const { seed, bursts, deadlineMs } = options;
  const templates = templatesOf(options);
  const ways = new Map<string, EngineWay>([['', { name: '', parameters: {} }]]);
  for (const { way } of kinds) ways.set(way.name, way);
  if (options.alone) ways.set(aloneWay.name, aloneWay);
  const names = [...ways.keys()];
  const nameIn = (model: string, way: string): string =>
    way === '' ? model : `${model}_${names.indexOf(way)}`;
  const all = [...ways.values()].flatMap((way) =>
    models.map((model): BenchModel => ({ name: nameIn(model, way.name), hidden: options[model], way })),
  );
  return {
    models: makeRepository(folder, all),
    kinds: models.flatMap((model) =>
      templates[model].map((template) => ({ id: '0/0/0', atMs: 0, deadlineMs: 60_000, model, template })),
    ),
    traceOf: (burstEveryMs) => makeTrace({ seed, bursts, burstEveryMs, deadlineMs, models, templates }),
    inWay: (trace, { name }) => trace.map((shard) => ({ ...shard, model: nameIn(shard.model, name) })),
  };
}
