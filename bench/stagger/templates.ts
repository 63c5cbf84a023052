import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import { cutRound } from '#policy/sharding/index';
import type { Shard } from '#schemas/domain';

/** Shards of the bundled city, one of each size, every time unknown: ETR predicts them. */
export interface Template {
  readonly shard: Shard;
  readonly size: number;
}

const steps = 8;

function templateOf(size: number, seed: number, bundleOrders: number, perOrder: number): Template {
  const orders = Math.max(12, Math.round(size / perOrder));
  const couriers = Math.max(6, Math.round(orders / 2));
  const [round] = cityRounds({ seed, couriers, orders, candidates: size, policy: { bundleOrders } }, 1);
  const model = { name: 'candidate_cost', version: '1', contentHash: 'bench' };
  const { shards } = cutRound(round!, [model], { candidatesPerShard: 2 * size, maxShardBytes: 8 * 2 ** 20 });
  const shard = shards.reduce((most, one) => (one.candidateCount > most.candidateCount ? one : most));
  return { shard, size: shard.candidateCount };
}

/** From `least` candidates to `factor` times as many; `perOrder` candidates an order: ETR predicts a row for each order. */
export function makeTemplates(
  least: number,
  factor: number,
  seed: number,
  bundleOrders: number,
  perOrder = 6,
): readonly Template[] {
  // Of one size one is enough.
  const count = factor === 1 ? 1 : steps;
  return Array.from({ length: count }, (_, step) =>
    templateOf(Math.round(least * factor ** (step / (steps - 1))), seed + step, bundleOrders, perOrder),
  );
}

/** As `makeTemplates`, kept in a folder: large ones take a minute to make. '' keeps none. */
export function keptTemplates(
  folder: string,
  ...made: Parameters<typeof makeTemplates>
): readonly Template[] {
  if (folder === '') return makeTemplates(...made);
  const file = join(folder, `templates-${made.join('-')}`);
  if (existsSync(file)) return deserialize(readFileSync(file)) as readonly Template[];
  const templates = makeTemplates(...made);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, serialize(templates));
  return templates;
}

/** The one whose size is nearest by its ratio. */
export function nearest(templates: readonly Template[], size: number): Template {
  const away = (one: Template): number => Math.abs(Math.log(one.size / size));
  return templates.reduce((best, one) => (away(one) < away(best) ? one : best));
}
