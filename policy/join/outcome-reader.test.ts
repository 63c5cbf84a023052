import { solved, twoEnds } from '../../test/support/solved-round';
import { decideRound } from './decide-round';
import { OutcomeReader } from './outcome-reader';

const { manifest, outcomes } = solved(twoEnds());
const good = outcomes.get(0)!;

test('an outcome is read once, also one with a fault', () => {
  const reader = new OutcomeReader(manifest);
  const foreign = { ...good, shardCount: good.shardCount + 1 };
  for (const outcome of [good, foreign]) expect(reader.read(outcome)).toBe(reader.read(outcome));
  expect(reader.read(good)).toMatchObject({ fault: null });
  expect(reader.read(good).plans!.count).toBeGreaterThan(0);
  expect(reader.read(foreign)).toMatchObject({ fault: expect.stringContaining('shardCount'), plans: null });
});

test('nothing is read of plans that there are none of', () => {
  const failed = { ...good, status: 'failed', errorCode: 'ENGINE_LOST', plans: new Uint8Array(0) } as const;
  expect(new OutcomeReader(manifest).read(failed)).toMatchObject({ fault: null, plans: null });
});

test('the decision is the same from outcomes that were read before', () => {
  const reader = new OutcomeReader(manifest);
  for (const outcome of outcomes.values()) reader.read(outcome);
  const content = decideRound(manifest, outcomes, 'complete');
  expect(content.assignments.length).toBeGreaterThan(0);
  expect(decideRound(manifest, outcomes, 'complete', { reader })).toEqual(content);
});
