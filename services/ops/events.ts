import { defineEvents, event, type Telemetry } from '#lib/telemetry';

const specs = {
  RecordUnreadable: event<{
    readonly topic: string;
    readonly partition: number;
    readonly offset: string;
    readonly reason: string;
  }>({
    level: 'warn',
    counter: {
      name: 'dispatch_ops_records_unreadable_total',
      help: 'Manifests and decisions that the console could not read.',
    },
  }),
  RoundsFollowed: event<{ readonly sinceMs: number }>({ level: 'info' }),
};

export type OpsEvents = ReturnType<typeof opsEvents>;

export function opsEvents(telemetry: Telemetry) {
  return defineEvents(telemetry, specs);
}
