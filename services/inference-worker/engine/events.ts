import { defineEvents, event, type Telemetry } from '#lib/telemetry';

export function engineEvents(telemetry: Telemetry) {
  return defineEvents(telemetry, {
    ModelLoaded: event<{ model: string; seconds: number }>({ level: 'info' }),
    /** `file` and `line` say where its configuration is wrong; line 0 where only the file is known. */
    ModelRejected: event<{ model: string; file: string; line: number; reason: string }>({ level: 'error' }),
    ModelUnloaded: event<{ model: string }>({ level: 'info' }),
    RequestRefused: event<{ code: string; reason: string }>({ level: 'warn' }),
    EngineListened: event<{ socket: string; models: readonly string[]; ready: boolean }>({ level: 'info' }),
  });
}

export type EngineEvents = ReturnType<typeof engineEvents>;
