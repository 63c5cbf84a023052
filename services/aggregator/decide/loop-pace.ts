/** Of a whole decision, what the reduced effort takes. */
const REDUCED_SHARE = 0.5;
/** On an idle machine. */
const FIXED_MS = 1;
const MS_PER_CANDIDATE = 0.003;
const MOST_SLOWNESS = 12;
const FORGET = 0.2;

/** What the turns of the event loop take that decisions are made in: so many times what a decision takes on an idle machine. */
export class LoopPace {
  private slowness = 1;

  fullMs(candidates: number): number {
    return this.slowness * (FIXED_MS + MS_PER_CANDIDATE * candidates);
  }

  reducedMs(candidates: number): number {
    return REDUCED_SHARE * this.fullMs(candidates);
  }

  learn(candidates: number, ms: number): void {
    const seen = Math.min(MOST_SLOWNESS, Math.max(0.5, ms / (FIXED_MS + MS_PER_CANDIDATE * candidates)));
    this.slowness += FORGET * (seen - this.slowness);
  }
}
