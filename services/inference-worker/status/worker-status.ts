import type { EngineSet, NamedLink } from '../placement/engine-set';
import type { IncidentListing, IncidentSummary } from './incident-listing';

/** What stands at GET /status. */
export interface WorkerStatus {
  readonly engines: readonly EngineStatus[];
  readonly incidents: readonly IncidentSummary[];
}

export interface EngineStatus {
  readonly id: string;
  /** `handed_over`: engines keep ending, and other workers have the partitions. */
  readonly state: 'up' | 'down' | 'handed_over';
  /** Empty where it is up. */
  readonly reason: string;
  /** `cpu`, or the GPU's name. */
  readonly device: string;
  /** Engines that have been active so far. */
  readonly incarnation: number;
}

function statusOf({ id, link }: NamedLink): EngineStatus {
  const reason = link.whyHandedOver() ?? link.whyDown() ?? '';
  const down = link.whyHandedOver() === null ? 'down' : 'handed_over';
  return {
    id,
    state: reason === '' ? 'up' : down,
    reason,
    device: link.deviceKind,
    incarnation: link.incarnation,
  };
}

/** Paths of the port for health beside the usual ones: /status, and /incidents/<id> with a whole report. */
export function statusRoutes(
  engines: () => EngineSet | undefined,
  incidents: IncidentListing,
): (path: string) => object | undefined {
  return (path) => {
    if (path === '/status') {
      const status: WorkerStatus = {
        engines: (engines()?.all ?? []).map(statusOf),
        incidents: incidents.latest(),
      };
      return status;
    }
    const [, id] = /^\/incidents\/([\w.-]{1,100})$/.exec(path) ?? [];
    return id === undefined ? undefined : (incidents.report(id) ?? undefined);
  };
}
