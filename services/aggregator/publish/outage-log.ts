import type { AggregatorEvents, Outage } from '../events';

/** Outages end before rounds are forgotten; older ones than this mark nothing. */
const KEEP_MS = 3_600_000;

/** For so long after an outage, what it held up is still being worked off. */
const AFTERMATH_MS = 2_000;

/** When Redis and Kafka were away, in Unix ms. */
export class OutageLog {
  private readonly ended: { readonly outage: Outage; readonly from: number; readonly to: number }[] = [];
  private readonly open = new Map<Outage, number>();

  constructor(private readonly events: AggregatorEvents) {}

  began(outage: Outage, at: number = Date.now()): void {
    if (this.open.has(outage)) return;
    this.open.set(outage, at);
    this.events.OutageBegan({ outage });
  }

  over(outage: Outage): void {
    const from = this.open.get(outage);
    if (from === undefined) return;
    const to = Date.now();
    this.open.delete(outage);
    this.ended.push({ outage, from, to });
    while (this.ended[0] !== undefined && this.ended[0].to < to - KEEP_MS) this.ended.shift();
    this.events.OutageEnded({ outage, seconds: (to - from) / 1_000 });
  }

  /** An outage that is known only now that it is over. */
  happened(outage: Outage, from: number): void {
    this.ended.push({ outage, from, to: Date.now() });
  }

  isOpen(outage: Outage): boolean {
    return this.open.has(outage);
  }

  /** The outage that took most of a time span; else the one whose end it followed at once, the last of several. */
  met(from: number, to: number): Outage | null {
    const met = new Map<Outage, number>();
    for (const span of this.spans()) {
      if (span.from > to || span.to + AFTERMATH_MS < from) continue;
      const overlapMs = Math.min(span.to, to) - Math.max(span.from, from);
      const sum = (met.get(span.outage) ?? 0) + Math.max(0, overlapMs);
      met.delete(span.outage); // so that the last met stands last
      met.set(span.outage, sum);
    }
    const [most] = [...met].reverse().sort(([, a], [, b]) => b - a);
    return most?.[0] ?? null;
  }

  /** In the order of their ends. */
  private spans() {
    const open = [...this.open].map(([outage, from]) => ({ outage, from, to: Infinity }));
    return [...this.ended, ...open];
  }
}
