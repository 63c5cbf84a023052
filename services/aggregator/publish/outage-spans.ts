import type { Outage } from '../events';

export interface OutageSpan {
  readonly outage: Outage;
  /** Unix ms. */
  readonly from: number;
  readonly to: number;
}

/** With one more, which stands last; those of its outage that overlap or touch it become a part of it. */
export function withSpan(spans: readonly OutageSpan[], added: OutageSpan): OutageSpan[] {
  let { from, to } = added;
  const others = spans.filter((span) => {
    if (span.outage !== added.outage || span.to < added.from || span.from > added.to) return true;
    from = Math.min(from, span.from);
    to = Math.max(to, span.to);
    return false;
  });
  return [...others, { outage: added.outage, from, to }];
}
