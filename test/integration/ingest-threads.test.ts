import { createHash } from 'node:crypto';
import { TravelMatrices } from '#lib/travel-matrices';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import { defaultRoundLimits } from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import { toJsonText } from '#schemas/decision-json';
import { projectPath } from '#schemas/project-root';
import { topicsOf } from '#schemas/topics';
import type { RoundCutter as SourceCutter } from '../../services/ingest/cut/round-cutter';

// The compiled one: its threads are files beside it.
const compiled = projectPath('dist', 'services', 'ingest', 'cut', 'round-cutter.js');
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { RoundCutter } = require(compiled) as { RoundCutter: typeof SourceCutter };

const maxCandidates = 50_000;
const reading = { now: 1_899_999_999_000 as UnixMs, tenant: undefined, limits: defaultRoundLimits };
const cutting = {
  sequence: 7n,
  modelLabel: 'stable' as const,
  models: [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }],
  limits: { maxCandidates, shardsPerRound: 32 },
  topics: topicsOf(),
  receivedAt: 0,
  traceparent: '',
};
const bodies = cityRounds({ seed: 5, couriers: 200, orders: 400, candidates: 20_000, policy: {} }, 2).map(
  (round) => Buffer.from(toJsonText({ ...round, deadline: 1_900_000_000_000 as UnixMs })),
);

/** Rounds that are in work at once; hashes of their contents and of all bytes that go onto Kafka. */
async function cutWith(helpers: number): Promise<string[]> {
  const matrices = new TravelMatrices('no such folder');
  const cutter = new RoundCutter('no such folder', matrices, maxCandidates, false, helpers);
  try {
    return await Promise.all(
      bodies.map(async (bytes) => {
        const submitted = await cutter.read({ bytes, format: 'json', maxElements: 1_000_000 }, reading);
        const { shards, manifest } = await submitted.cut(cutting, () => undefined);
        submitted.drop();
        const hash = createHash('sha256');
        for (const { value } of [...shards, manifest]) hash.update(value!);
        const { contentHash } = submitted.reading as { contentHash: string };
        return `${contentHash} ${shards.length} ${hash.digest('hex')}`;
      }),
    );
  } finally {
    await cutter.stop();
  }
}

test('rounds cut by one thread and by several have the same bytes', async () => {
  const alone = await cutWith(0);
  expect(new Set(alone).size).toBe(2);
  for (const helpers of [2, 4]) expect(await cutWith(helpers)).toEqual(alone);
}, 60_000);
