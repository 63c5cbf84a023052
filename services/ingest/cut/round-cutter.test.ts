import { TravelMatrices } from '#lib/travel-matrices';
import { defaultRoundLimits } from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import { toJsonText } from '#schemas/decision-json';
import { topicsOf } from '#schemas/topics';
import { buildCourier, buildOrder, buildRound } from '../../../test/support/build-round';
import { RoundCutter } from './round-cutter';

const body: unknown = JSON.parse(
  toJsonText(buildRound({ couriers: [buildCourier('k')], orders: [buildOrder('a')] })),
);
const bytes = Buffer.from(JSON.stringify(body));
const reading = { now: 1_899_999_999_000 as UnixMs, limits: defaultRoundLimits, tenant: undefined };
const job = {
  sequence: 7n,
  modelLabel: 'stable' as const,
  models: [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }],
  limits: {},
  topics: topicsOf(),
  receivedAt: 0,
  traceparent: '',
};
const cutter = () => new RoundCutter('no such folder', new TravelMatrices('no such folder'), 200_000);

test('a small body is read and cut at once, with what its steps took', async () => {
  const submitted = await cutter().read({ body }, reading);
  expect(submitted.reading).toMatchObject({ kind: 'valid', envelope: { roundId: 'round-1', sequence: 1n } });
  const { counts, phases } = await submitted.cut(job, () => undefined);
  expect(counts).toEqual([1]);
  expect(Object.keys(phases)).toEqual(['candidates', 'cut', 'encode']);
  submitted.drop();
});

test('bytes with which the thread ends are refused; so are the next, and after a stop', async () => {
  // Beside the sources there is no compiled thread: it ends when it starts.
  const own = cutter();
  const [first, second] = [1, 2].map(() => own.read({ bytes, format: 'json', maxElements: 10_000 }, reading));
  await expect(first).rejects.toThrow();
  await expect(second).rejects.toThrow();
  await own.stop();
  await expect(own.read({ bytes, format: 'json', maxElements: 10_000 }, reading)).rejects.toMatchObject({
    code: 'SHUTTING_DOWN',
  });
});
