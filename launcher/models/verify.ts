import type { ModelState } from '#lib/engine-client/port';
import type { ModelLabels } from '#lib/model-labels';
import type { NamedVersion } from './arguments';
import { labelFaults } from './label-change';
import { servingFault, type VersionRow } from './repository-state';

export interface Verified {
  /** A line a version that is sound. */
  readonly good: string[];
  readonly faults: string[];
}

interface Repository {
  readonly versionsOf: (model: string) => readonly string[];
  readonly networkOf: (model: string, version: string) => string | null;
}

/** How a version fared in the engine for the trial. */
function trialFault(model: string, version: string, tried: readonly ModelState[]): string | null {
  const state = tried.find((row) => row.name === model && row.version === version);
  if (state?.state === 'READY') return null;
  const whole = tried.find((row) => row.name === model && row.version === '');
  return `${model} ${version}: ${state?.reason || whole?.reason || state?.state || 'did not load'}`;
}

/**
 * Versions that don't load, that an engine serves with other content than the folder has, and labels that can't
 * stand. A version that no label names need not be served.
 */
export function verifyFaults(
  wanted: readonly NamedVersion[],
  tried: readonly ModelState[],
  rows: readonly VersionRow[] | null,
  labels: ModelLabels,
  { versionsOf, networkOf }: Repository,
): Verified {
  const good: string[] = [];
  const faults: string[] = [];
  for (const { model, version } of wanted) {
    for (const one of version === null
      ? versionsOf(model)
      : [version].filter((v) => versionsOf(model).includes(v))) {
      const found = [trialFault(model, one, tried), ...contentFaults(model, one, rows)].filter(
        (fault) => fault !== null,
      );
      if (found.length === 0) good.push(`good   ${model} ${one}`);
      faults.push(...found);
    }
  }
  const exists = (model: string, version: string) => versionsOf(model).includes(version);
  for (const [label, versions] of labels.models) {
    const its = new Map([...versions].filter(([model]) => wanted.some((one) => one.model === model)));
    faults.push(...labelFaults(label, its, rows, { exists, networkOf }));
  }
  return { good, faults: [...new Set(faults)] };
}

function contentFaults(model: string, version: string, rows: readonly VersionRow[] | null): string[] {
  const served = (rows ?? []).filter(
    (row) => row.model === model && row.version === version && row.state === 'READY',
  );
  return served.flatMap((row) => {
    const fault = servingFault(row);
    return fault === null ? [] : [`${model} ${version} at ${row.engine}: ${fault}`];
  });
}
