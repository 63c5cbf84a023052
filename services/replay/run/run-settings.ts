import type { ModelLabel } from '#lib/model-labels';
import type { RunId } from '#schemas/brands';
import type { CutSettings } from '../recording/manifest-file';

export interface RunSettings {
  readonly runId: RunId;
  readonly cut: CutSettings;
  /** The versions that the rounds name, or those of a label now. */
  readonly models: 'recorded' | ModelLabel;
  readonly arrivals: 'recorded' | 'all';
  /** Laid over the policy of every round; null changes nothing. */
  readonly policy: Readonly<Record<string, unknown>> | null;
}
