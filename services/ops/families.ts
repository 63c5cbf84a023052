import type { Family } from '#lib/metrics/family';
import { gaugeFamily, type MetricsRegistry } from '#lib/metrics/registry';
import type { RoundCounts } from './console/messages';
import type { LagView } from './kafka/lag-book';
import { lagFamilies } from './kafka/lag-families';

interface FamilyParts {
  /** null: not known at present. */
  lag(): LagView | null;
  counts(): RoundCounts | null;
  viewers(): number;
}

function one(name: string, help: string, value: number): Family {
  return gaugeFamily(name, help, [{ value }]);
}

function roundFamilies({ waiting, atRisk, overdue }: RoundCounts): Family[] {
  return [
    one('dispatch_rounds_waiting', 'Rounds with a manifest and without a decision.', waiting),
    one(
      'dispatch_rounds_at_risk',
      'Of them, those that can not have all outcomes by their deadline at the present rate, or are overdue.',
      atRisk,
    ),
    one('dispatch_rounds_overdue', 'Of them, those whose deadline is over.', overdue),
  ];
}

/**
 * What stands in scrapes beside the events' metrics: as it is at the time of the scrape. What is not known is absent, so
 * that nobody is warned, or at ease, by figures of the past.
 */
export function addFamilies(registry: MetricsRegistry, parts: FamilyParts): void {
  registry.addSource(() => {
    const [lag, counts] = [parts.lag(), parts.counts()];
    return [
      ...(lag === null ? [] : lagFamilies(lag)),
      ...(counts === null ? [] : roundFamilies(counts)),
      one('dispatch_console_viewers', 'Consoles that are open.', parts.viewers()),
    ];
  });
}
