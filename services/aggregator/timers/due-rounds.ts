import type { OpenRound } from '../join/open-round';

/** Time for overdue rounds to gather, so that they are decided in the order of their deadlines. */
const GATHER_MS = 20;

/** Rounds whose close is due: closed one after the other in deadline order, while Redis is there. */
export class DueRounds {
  private waiting: OpenRound[] = [];
  private timer: NodeJS.Timeout | null = null;
  private draining = false;

  constructor(
    private readonly close: (round: OpenRound) => Promise<void>,
    private readonly onFault: (round: OpenRound, error: unknown) => void,
    private readonly mayClose: () => boolean,
  ) {}

  /** `gather`: others may follow that are due earlier. */
  add(round: OpenRound, gather: boolean): void {
    this.waiting.push(round);
    this.schedule(gather ? GATHER_MS : 0);
  }

  /** Redis is there again. */
  resume(): void {
    if (this.waiting.length > 0) this.schedule(0);
  }

  private schedule(ms: number): void {
    if (this.draining || (this.timer !== null && ms > 0)) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.drain(), ms);
  }

  private async drain(): Promise<void> {
    this.timer = null;
    this.draining = true;
    while (this.waiting.length > 0 && this.mayClose()) {
      this.waiting.sort((a, b) => a.round.deadline - b.round.deadline);
      const round = this.waiting.shift()!;
      await this.close(round).catch((error: unknown) => this.onFault(round, error));
    }
    this.draining = false;
  }
}
