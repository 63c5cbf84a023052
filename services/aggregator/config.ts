import {
  commonSettings,
  integerSetting,
  loadConfig,
  portSetting,
  topicSettings,
  type ConfigOf,
  type Env,
} from '#lib/config';
import { deadlineAheadSetting } from '#lib/deadline-settings';

export const aggregatorSettings = {
  ...commonSettings,
  ...topicSettings,
  httpPort: portSetting('ROUNDHOUSE_AGGREGATOR_HTTP_PORT', 8070),
  /** Rounds of a partition that may be open at once; a round that waits long holds back those behind it. */
  roundWindow: integerSetting('ROUNDHOUSE_AGGREGATOR_ROUND_WINDOW', { default: 2_000, min: 1, max: 100_000 }),
  /** What the manifests of those rounds may have together; decoded they take several times as much. */
  roundWindowBytes: integerSetting('ROUNDHOUSE_AGGREGATOR_ROUND_WINDOW_BYTES', {
    default: 67_108_864,
    min: 1_048_576,
    max: 8_589_934_592,
  }),
  outcomeWindow: integerSetting('ROUNDHOUSE_AGGREGATOR_OUTCOME_WINDOW', {
    default: 256,
    min: 1,
    max: 10_000,
  }),
  sessionTimeoutMs: integerSetting('ROUNDHOUSE_AGGREGATOR_SESSION_TIMEOUT_MS', {
    default: 6_000,
    min: 1_000,
    max: 600_000,
  }),
  /** Added to the largest recent close; closing begins so long before the deadline. */
  closeMarginMs: integerSetting('ROUNDHOUSE_AGGREGATOR_CLOSE_MARGIN_MS', {
    default: 150,
    min: 0,
    max: 10_000,
  }),
  maxDeadlineAheadMs: deadlineAheadSetting,
  /** How long the join keeps what it knows of a round after its deadline, and after those of rounds open beside it. */
  roundTtlMs: integerSetting('ROUNDHOUSE_AGGREGATOR_ROUND_TTL_MS', {
    default: 3_600_000,
    min: 10_000,
    max: 86_400_000,
  }),
} as const;

export type AggregatorConfig = ConfigOf<typeof aggregatorSettings>;

export function loadAggregatorConfig(env: Env): AggregatorConfig {
  return loadConfig(env, aggregatorSettings);
}
