import type { CoreFile } from './core-file';
import type { LoggedRequest } from './request-log';
import type { Silence } from './work-in-flight';

export const incidentKinds = [
  'death',
  'silence',
  'device_fault',
  'model_failures',
  'memory',
  'start_failed',
] as const;
export type IncidentKind = (typeof incidentKinds)[number];

export const engineRoles = ['active', 'standby', 'starting', 'trial'] as const;
export type EngineRole = (typeof engineRoles)[number];

/** Why an engine is given up, at the moment when that was seen. */
export interface EngineLoss {
  readonly kind: IncidentKind;
  readonly reason: string;
  readonly silence?: Silence;
}

/** What the sentinel did next. */
export type Reaction = 'standby_took_over' | 'restart' | 'circuit_opened' | 'standby_restart' | 'none';

export interface Incident {
  readonly kind: IncidentKind;
  readonly role: EngineRole;
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reaction: Reaction;
  readonly engine: {
    readonly pid: number;
    readonly device: string;
    readonly exitCode: number | null;
    readonly signal: string | null;
    /** Until it was ready; null where it never was. */
    readonly startMs: number | null;
    readonly upMs: number;
  };
  readonly silence: Silence | null;
  readonly requests: readonly LoggedRequest[];
  readonly stderrTail: string;
  readonly core: CoreFile;
  readonly memory: {
    readonly residentBytes: number | null;
    readonly sharedBytes: number | null;
    /** 0: none. */
    readonly limitBytes: number;
    readonly machineFreeBytes: number;
  };
  readonly models: readonly { readonly name: string; readonly version: string; readonly state: string }[];
  readonly circuit: { readonly state: string; readonly strikes: number };
  readonly versions: { readonly roundhouse: string; readonly node: string };
}
