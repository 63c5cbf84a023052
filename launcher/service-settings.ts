import { configError, type Env } from '#lib/config';
import { RoundhouseError, type Fault } from '#schemas/errors';
import { loadAggregatorConfig } from '#services/aggregator/config';
import { loadEngineConfig } from '#services/inference-worker/engine/config';
import { loadWorkerConfig } from '#services/inference-worker/config';
import { loadIngestConfig } from '#services/ingest/config';
import { loadOpsConfig } from '#services/ops/config';
import type { ServiceKind } from './service-process';

/** What each kind reads of its environment; a worker's engine gets that of its worker. */
const readers: Readonly<Record<ServiceKind, readonly ((env: Env) => unknown)[]>> = {
  ingest: [loadIngestConfig],
  worker: [loadWorkerConfig, loadEngineConfig],
  aggregator: [loadAggregatorConfig],
  ops: [loadOpsConfig],
};

export const allKinds = Object.keys(readers) as readonly ServiceKind[];

function faultsOf(read: () => unknown): readonly Fault[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof RoundhouseError && error.code === 'CONFIG_INVALID') return error.faults;
    throw error;
  }
}

/** Throws CONFIG_INVALID with what the services would refuse to start with: all of it, each fault once. */
export function requireSettings(environments: readonly (readonly [ServiceKind, Env])[]): void {
  const faults = environments.flatMap(([kind, env]) =>
    readers[kind].flatMap((read) => faultsOf(() => read(env))),
  );
  const each = new Map(faults.map((fault) => [`${fault.path}\n${fault.limit}`, fault]));
  if (each.size > 0) throw configError([...each.values()]);
}
