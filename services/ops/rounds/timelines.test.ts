import type { Bus } from '#lib/bus/kafka';
import type { TenantId, RunId, RoundId } from '#schemas/brands';
import { topicsOf } from '#schemas/topics';
import { RoundLog } from './round-log';
import type { RoundView } from './round-view';
import { Timelines } from './timelines';

const round = (number: number): RoundView =>
  ({
    ...{ tenantId: 't', runId: 'r', roundId: `round-${number}` },
    ...{ manifestAt: number, receivedAt: number, deadline: Date.now() + 60_000, phases: {}, decision: null },
  }) as unknown as RoundView;

const idOf = (number: number) => ({
  tenantId: 't' as TenantId,
  runId: 'r' as RunId,
  roundId: `round-${number}` as RoundId,
});

test('one timeline is read after the other, eight may wait, and others are told', async () => {
  let reads = 0;
  const under: (() => void)[] = [];
  const readRange: Bus['readRange'] = () => {
    reads += 1;
    return new Promise((resolve) => under.push(() => resolve(undefined as never)));
  };
  const rounds = new RoundLog(100);
  for (let i = 0; i < 30; i++) rounds.manifest(round(i));
  const timelines = new Timelines({ readRange }, topicsOf(''), rounds);
  const asked = Array.from({ length: 30 }, (_, i) => timelines.detail(idOf(i)));
  const refused = await Promise.all(asked.slice(8));
  expect(new Set(refused.map((detail) => detail?.fault))).toEqual(
    new Set(['too many timelines are asked for: this one was not read']),
  );
  expect(reads).toBe(2); // shards and outcomes of the first
  const finish = setInterval(() => under.splice(0).forEach((end) => end()), 1);
  const read = await Promise.all(asked.slice(0, 8));
  expect(read.map((detail) => detail?.fault)).toEqual(Array(8).fill(null));
  expect((await timelines.detail(idOf(20)))?.fault).toBeNull();
  clearInterval(finish);
  expect(reads).toBe(18); // of nine rounds
});

test('a round that is not remembered has none', async () => {
  const readRange = () => Promise.reject(new Error('asked for nothing'));
  expect(await new Timelines({ readRange }, topicsOf(''), new RoundLog(10)).detail(idOf(1))).toBeNull();
});
