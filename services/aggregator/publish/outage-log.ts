import type { AggregatorEvents, Outage } from '../events';
import { withSpan, type OutageSpan } from './outage-spans';

/** Outages end before rounds are forgotten; older ones than this mark nothing. */
const KEEP_MS = 3_600_000;

/** For so long after an outage, what it held up is still being worked off. */
const AFTERMATH_MS = 2_000;

type Span = Pick<OutageSpan, 'from' | 'to'>;

/** When Redis and Kafka were away, in Unix ms. */
export class OutageLog {
  /** In the order of their ends; those of one outage have time between them. */
  private ended: readonly OutageSpan[] = [];
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
    const kept = this.ended.filter((span) => span.to >= to - KEEP_MS);
    this.ended = withSpan(kept, { outage, from, to });
    return to;
  }

  isOpen(outage: Outage): boolean {
    return this.open.has(outage);
  }

  /** The outage that took most of a time span; else the one whose end it followed at once, the last of several. */
  met(from: number, to: number): Outage | null {
    const met = new Map<Outage, Span[]>();
    const meet = (span: OutageSpan): void => {
      if (span.from > to || span.to + AFTERMATH_MS < from) return;
      const spans = met.get(span.outage) ?? [];
      spans.push({ from: Math.max(span.from, from), to: Math.min(span.to, to) });
      met.delete(span.outage); // so that the last met stands last
      met.set(span.outage, spans);
    };
    this.ended.forEach(meet);
    this.open.forEach((since, outage) => meet({ outage, from: since, to: Infinity }));
    const [most] = [...met]
      .map(([outage, spans]) => ({ outage, ms: coveredMs(spans) }))
      .reverse()
      .sort((a, b) => b.ms - a.ms);
    return most?.outage ?? null;
  }
}

/** An outage that lasts overlaps what was told of it before. */
function coveredMs(spans: readonly Span[]): number {
  let [covered, end] = [0, -Infinity];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    covered += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return covered;
}
