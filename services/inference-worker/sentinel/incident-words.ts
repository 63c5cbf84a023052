import type { EngineRole, Incident, Reaction } from './incident';

const engineOf: Readonly<Record<EngineRole, string>> = {
  active: 'the engine',
  standby: 'the standby engine',
  starting: 'an engine that was starting',
  trial: 'the engine on trial',
};

const whatFollows: Readonly<Record<Reaction, string>> = {
  standby_took_over: 'its standby takes over',
  restart: 'another one is started',
  circuit_opened: 'engines keep ending, so its partitions are left to other workers for a while',
  standby_restart: 'another standby is started',
  none: 'the worker stops',
};

type Told = Pick<Incident, 'kind' | 'role' | 'reason'> & {
  readonly reaction: string;
  readonly end: string;
  readonly file: string;
  readonly fault: string;
};

/** An incident for the console of whoever started the worker; the end of an engine that ended by itself tells something. */
export function incidentWords({ kind, role, reason, reaction, end, file, fault }: Told): string {
  const follows = whatFollows[reaction as Reaction];
  const report = file === '' ? `no report could be written: ${fault}` : `report: ${file}`;
  const why = kind === 'death' ? `${reason}, ${end}` : reason;
  return `${engineOf[role]} is lost (${kind}: ${why}); ${follows}; ${report}`;
}
