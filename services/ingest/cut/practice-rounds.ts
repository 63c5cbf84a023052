import type { TravelMatrices } from '#lib/travel-matrices';
import { practiceModels, practiceRound } from '#policy/simulation/practice';
import { defaultRoundLimits } from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import { toJsonText } from '#schemas/decision-json';
import { PhaseClock } from '#schemas/phases';
import { topicsOf } from '#schemas/topics';
import { parseJson } from '../read/parse-json';
import { readRound } from '../read/round-reading';
import { cutMessages, type CutResult } from './cut-messages';

const ROUNDS = 2;
const REPEATS = 4;
const reading = { now: 0 as UnixMs, limits: defaultRoundLimits, tenant: undefined };
const cutting = {
  sequence: 1n,
  modelLabel: 'stable' as const,
  models: practiceModels,
  limits: { shardsPerRound: 32 },
  topics: topicsOf(),
  receivedAt: 0,
  traceparent: '',
};

/** Reads and cuts a round that nobody sent a step, so that the first real ones find compiled code. */
export function* practiceRounds(matrices: TravelMatrices): Generator<CutResult> {
  const bodies = Array.from({ length: ROUNDS }, (_, seed) => Buffer.from(toJsonText(practiceRound(seed))));
  for (let step = 0; step < ROUNDS * REPEATS; step++) {
    const body = parseJson(bodies[step % ROUNDS]!, { maxElements: Infinity });
    yield cutMessages(readRound(body, reading, new PhaseClock()).round!, cutting, matrices);
  }
}
