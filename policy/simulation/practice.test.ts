import { validateRound } from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import { toJsonText } from '#schemas/decision-json';
import { decideRound } from '../join/decide-round';
import { cutRound } from '../sharding/index';
import { practiceModels, practiceOutcomes, practiceRound } from './practice';

test('a practice round is one that ingest takes, and its outcomes are used, every plan as it was walked', () => {
  const round = practiceRound(1);
  const body: unknown = JSON.parse(toJsonText(round));
  expect(validateRound(body, 0 as UnixMs).kind).toBe('valid');
  const { manifest, shards } = cutRound(round, practiceModels, { shardsPerRound: 8 });
  const outcomes = practiceOutcomes(manifest, shards);
  // Enough for the assignment to be made in turns, which begins above 10,000.
  const candidates = manifest.shardCandidateCounts.reduce((sum, count) => sum + count, 0);
  expect(candidates).toBeGreaterThan(20_000);
  const content = decideRound(manifest, outcomes, 'complete');
  expect(content.shards.every(({ status }) => status === 'solved')).toBe(true);
  expect(content.coverage).toBe(1);
  expect(content.assignments.length).toBeGreaterThan(200);
  expect(practiceRound(1)).toEqual(round);
  expect(practiceRound(2)).not.toEqual(round);
});
