import { defineEvents, event, type Telemetry } from '../telemetry';

export const edges = ['http', 'grpc'] as const;
export type Edge = (typeof edges)[number];

/** `scope`, `tenant` and `rate` are of a credential that is known. */
const refusals = [
  'absent',
  'malformed',
  'unknown',
  'expired',
  'not-signed',
  'scope',
  'tenant',
  'rate',
] as const;

/** Of every service that asks its callers who they are. */
export const accessEvents = {
  AccessRefused: event<{
    readonly edge: Edge;
    readonly reason: (typeof refusals)[number];
    readonly address: string;
    readonly actor: string;
    /** In full in the audit log; a flood from one address is only counted. */
    readonly isTold: boolean;
  }>({
    level: 'debug',
    labels: { edge: edges, reason: refusals },
    counter: {
      name: 'dispatch_access_refused_total',
      help: 'Requests without a credential that allows them, or more of them than it allows.',
    },
  }),
  AccessFileFollowed: event<{ readonly file: string }>({
    level: 'info',
    counter: { name: 'dispatch_access_changes_total', help: 'Changes of keys and quotas that were taken.' },
  }),
  AccessFileRefused: event<{ readonly file: string; readonly reason: string }>({
    level: 'error',
    counter: {
      name: 'dispatch_access_changes_refused_total',
      help: 'Changes of keys and quotas that could not be taken; the old ones hold.',
    },
  }),
};

export type AccessEvents = ReturnType<typeof defineAccessEvents>;

export function defineAccessEvents(telemetry: Telemetry) {
  return defineEvents(telemetry, accessEvents);
}
