import { defineEvents, event, type Telemetry } from '#lib/telemetry';

export function engineEvents(telemetry: Telemetry) {
  return defineEvents(telemetry, {
    ModelLoaded: event<{ model: string; versions: readonly string[]; seconds: number }>({ level: 'info' }),
    /**
     * A version, or all that is new ('') where it isn't about one. `file` and `line` say where it is wrong; line 0
     * where only the file is known. What served before goes on.
     */
    ModelRejected: event<{ model: string; version: string; file: string; line: number; reason: string }>({
      level: 'error',
    }),
    /** The process of a model of the Python backend had ended. `fault` says why it was not loaded anew; it may be empty. */
    ModelHealed: event<{ model: string; reason: string; fault: string; seconds: number }>({ level: 'error' }),
    ModelUnloaded: event<{ model: string }>({ level: 'info' }),
    /** `lacking` says what doesn't hold, and why; `files`: those that it was to open. */
    EngineConfined: event<{ holds: boolean; lacking: string; files: 'own' | 'any' }>({ level: 'info' }),
    RequestRefused: event<{ code: string; reason: string }>({ level: 'warn' }),
    /** `device` as in outcomes; `unused` says why GPUs of this machine are left alone. */
    DevicesChosen: event<{ device: string; gpus: readonly string[]; unused: string }>({ level: 'info' }),
    /** The process ends. */
    DeviceBroken: event<{ reason: string }>({ level: 'error' }),
    /** For tests and drills: requests may end the engine. */
    FaultInjectionEnabled: event<{ models: readonly string[] }>({ level: 'warn' }),
    /** A model of the Python backend wrote it to its standard output or error. */
    PythonPrinted: event<{ text: string }>({ level: 'info' }),
    EngineListened: event<{ socket: string; models: readonly string[]; ready: boolean }>({ level: 'info' }),
  });
}

export type EngineEvents = ReturnType<typeof engineEvents>;
