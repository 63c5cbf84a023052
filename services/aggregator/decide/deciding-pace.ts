/** Of a whole decision, what the reduced effort takes. */
const REDUCED_SHARE = 0.5;
/** What every large decision takes, however small. */
const FIXED_MS = 10;
const FIRST_MS_PER_CANDIDATE = 0.004;
const LEAST_MS_PER_CANDIDATE = 0.0003;
const MOST_MS_PER_CANDIDATE = 0.02;
const FORGET = 0.1;
/** With fewer candidates it isn't they that a decision takes its time for. */
const LEAST_LEARNED_FROM = 5_000;

/** What large decisions take, learned from those made: it grows at once and falls slowly. */
export class DecidingPace {
  private msPerCandidate = FIRST_MS_PER_CANDIDATE;

  fullMs(candidates: number): number {
    return FIXED_MS + this.msPerCandidate * candidates;
  }

  reducedMs(candidates: number): number {
    return FIXED_MS + REDUCED_SHARE * this.msPerCandidate * candidates;
  }

  learn(effort: 'full' | 'reduced', candidates: number, ms: number): void {
    if (candidates < LEAST_LEARNED_FROM) return;
    const full = Math.max(0, ms - FIXED_MS) / (effort === 'full' ? 1 : REDUCED_SHARE);
    const seen = Math.min(MOST_MS_PER_CANDIDATE, Math.max(LEAST_MS_PER_CANDIDATE, full / candidates));
    this.msPerCandidate = Math.max(seen, this.msPerCandidate + FORGET * (seen - this.msPerCandidate));
  }
}
