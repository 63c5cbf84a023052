import { cutRound } from '#policy/sharding/index';
import { practiceModels, practiceOutcomes, practiceRound } from '#policy/simulation/practice';
import { outcomesCodec, roundsCodec } from '#schemas/codec';
import { decideAndEncode, type DecidingMeans, type EncodedDecision } from './decide-job';

const ROUNDS = 2;
const REPEATS = 4;

/** Decides a large round that nobody sent a step, from decoded bytes as the thread has them; null: a step before one. */
export function* practiceDecisions(means: DecidingMeans): Generator<EncodedDecision | null> {
  for (let seed = 0; seed < ROUNDS; seed++) {
    const round = practiceRound(seed);
    yield null;
    const { manifest, shards } = cutRound(round, practiceModels, { shardsPerRound: 32 });
    yield null;
    const bytes = roundsCodec.encode(manifest);
    const outcomes = new Map(
      [...practiceOutcomes(manifest, shards)].map(([index, outcome]) => [
        index,
        structuredClone(outcomesCodec.decode(outcomesCodec.encode(outcome))),
      ]),
    );
    yield null;
    for (let step = 0; step < REPEATS; step++) {
      const job = {
        manifest: roundsCodec.decode(bytes),
        outcomes,
        closedBy: 'complete',
        stale: false,
      } as const;
      yield decideAndEncode(job, means, () => undefined);
    }
  }
}
