import type { AggregatorEvents, Outage } from '../events';

/** Outages end before rounds are forgotten; older ones than this mark nothing. */
const KEEP_MS = 3_600_000;

/** For so long after an outage, what it held up is still being worked off. */
const AFTERMATH_MS = 2_000;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** When Redis and Kafka were away, in Unix ms. */
export class OutageLog {
  private readonly ended: (Span & { readonly outage: Outage })[] = [];
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
    this.open.delete(outage);
    const to = this.keep(outage, from);
    this.events.OutageEnded({ outage, seconds: (to - from) / 1_000 });
  }

  /** An outage that is known only now that it is over. */
  happened(outage: Outage, from: number): void {
    this.keep(outage, from);
  }

  private keep(outage: Outage, from: number): number {
    const to = Date.now();
    this.ended.push({ outage, from, to });
    while (this.ended[0] !== undefined && this.ended[0].to < to - KEEP_MS) this.ended.shift();
    return to;
  }

  isOpen(outage: Outage): boolean {
    return this.open.has(outage);
  }

  /** The outage that took most of a time span; else the one whose end it followed at once, the last of several. */
  met(from: number, to: number): Outage | null {
    const met = new Map<Outage, Span[]>();
    for (const span of this.spans()) {
      if (span.from > to || span.to + AFTERMATH_MS < from) continue;
      const before = met.get(span.outage) ?? [];
      met.delete(span.outage); // so that the last met stands last
      met.set(span.outage, [...before, { from: Math.max(span.from, from), to: Math.min(span.to, to) }]);
    }
    const [most] = [...met]
      .map(([outage, spans]) => ({ outage, ms: coveredMs(spans) }))
      .reverse()
      .sort((a, b) => b.ms - a.ms);
    return most?.outage ?? null;
  }

  /** In the order of their ends. */
  private spans() {
    const open = [...this.open].map(([outage, from]) => ({ outage, from, to: Infinity }));
    return [...this.ended, ...open];
  }
}

/** Rounds that one outage held up side by side tell of it each, so spans overlap. */
function coveredMs(spans: readonly Span[]): number {
  let [covered, end] = [0, -Infinity];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    covered += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return covered;
}
