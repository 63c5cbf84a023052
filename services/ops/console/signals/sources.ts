import type { LagView } from '../../kafka/lag-book';
import type { CounterStep } from '../../scrape/counter-steps';
import type { ProcessLook } from './process-look';

/** Rounds at risk, by what keeps them. */
export interface RiskCounts {
  readonly overdue: number;
  /** Shards that are not solved fast enough. */
  readonly shards: number;
  /** Outcomes that nobody joins fast enough. */
  readonly outcomes: number;
}

/** What signals are made of. */
export interface SignalSources {
  readonly processes: readonly ProcessLook[];
  /** Of their counters, since the look before. */
  readonly steps: readonly CounterStep[];
  readonly lag: LagView;
  /** Why the brokers could not be asked; null where they answer. */
  readonly kafkaFault: string | null;
  /** How long the last look at them took; null where there was none. */
  readonly kafkaLookMs: number | null;
  readonly missingTopics: readonly string[];
  readonly risk: RiskCounts;
}
