import type { ServiceLook } from '../scrape/scrape-service';
import type { GaugeName } from '../scrape/wanted-series';
import type { EngineView, IncidentView, ServiceView } from './messages';

function gaugeOf({ series }: ServiceLook, name: GaugeName, engine?: string): number | null {
  const found = series.filter(
    (one) => one.name === name && (engine === undefined || engineOf(one) === engine),
  );
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
}

/** A worker with one engine may leave its name out. */
function engineOf({ labels }: ServiceLook['series'][number]): string {
  const { engine = 'none' } = labels;
  return engine;
}

function stateOf({ fault, reasons }: ServiceLook): ServiceView['state'] {
  if (fault !== null) return 'silent';
  return Object.keys(reasons).length === 0 ? 'ready' : 'not_ready';
}

function reasonsOf({ fault, reasons }: ServiceLook): string[] {
  if (fault !== null) return [fault];
  return Object.entries(reasons).map(([check, reason]) => `${check}: ${reason}`);
}

export function serviceView(look: ServiceLook, cpu: number | null): ServiceView {
  const startedSeconds = gaugeOf(look, 'process_start_time_seconds');
  const build = look.series.find(({ name }) => name === 'dispatch_build_info');
  return {
    name: look.instance.name,
    service: build?.labels['service'] ?? null,
    version: build?.labels['version'] ?? null,
    state: stateOf(look),
    reasons: reasonsOf(look),
    warnings: Object.values(look.warnings),
    residentBytes: gaugeOf(look, 'process_resident_memory_bytes'),
    startedAt: startedSeconds === null ? null : 1_000 * startedSeconds,
    cpu,
  };
}

export function engineViews(look: ServiceLook): EngineView[] {
  const { engines, instance } = look;
  return engines.map((engine) => {
    const only = engines.length === 1 ? undefined : engine.id;
    const of = (name: GaugeName): number | null => gaugeOf(look, name, only);
    return {
      ...engine,
      worker: instance.name,
      pid: engine.state === 'up' ? of('dispatch_engine_pid') : null,
      standby: (of('dispatch_engine_standby_ready') ?? 0) > 0,
      queued: of('dispatch_engine_queued') ?? 0,
      inCore: of('dispatch_engine_in_core') ?? 0,
    };
  });
}

const mostIncidents = 50;

/** The newest first; workers of one machine may leave their reports in one folder. */
function incidentViews(looks: readonly ServiceLook[]): IncidentView[] {
  const byId = new Map<string, IncidentView>();
  for (const { instance, incidents } of looks) {
    for (const incident of incidents) {
      if (!byId.has(incident.id)) byId.set(incident.id, { ...incident, worker: instance.name });
    }
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, mostIncidents);
}

/** Incidents of all workers; the same list as long as no worker says another one. */
export class IncidentList {
  private said: readonly (readonly [name: string, incidents: ServiceLook['incidents']])[] = [];
  private list: readonly IncidentView[] = [];

  of(looks: readonly ServiceLook[]): readonly IncidentView[] {
    const said = looks.map(({ instance, incidents }) => [instance.name, incidents] as const);
    const isSame = ([name, incidents]: (typeof said)[number], i: number): boolean =>
      this.said[i]?.[0] === name && this.said[i][1] === incidents;
    if (said.length !== this.said.length || !said.every(isSame)) this.list = incidentViews(looks);
    this.said = said;
    return this.list;
  }
}

/** Shares of a processor that processes used of late, by name. */
export class CpuShares {
  private last = new Map<string, { readonly at: number; readonly seconds: number }>();

  saw(looks: readonly ServiceLook[], at: number): Map<string, number> {
    const shares = new Map<string, number>();
    const next: typeof this.last = new Map();
    for (const { instance, series } of looks) {
      const seconds = series.find(({ name }) => name === 'process_cpu_seconds_total')?.value;
      if (seconds === undefined) continue;
      const before = this.last.get(instance.name);
      next.set(instance.name, { at, seconds });
      if (before === undefined || seconds < before.seconds || at <= before.at) continue;
      shares.set(instance.name, (1_000 * (seconds - before.seconds)) / (at - before.at));
    }
    this.last = next;
    return shares;
  }
}
