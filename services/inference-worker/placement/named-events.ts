import type { WorkerEvents } from '../events';

/** Those that say of which engine they are. */
const ofOneEngine = [
  'EngineStarted',
  'EngineActivated',
  'EngineLost',
  'StandbyChanged',
  'CircuitChanged',
  'IncidentReported',
  'ModelOperationLost',
  'DataPlaneOpened',
  'DataPlaneLost',
  'DataPlaneUnavailable',
  'PoolInUse',
  'PoolOpened',
  'QueueMeasured',
  'CoreMeasured',
  'GpuUsed',
  'GpuMemoryMeasured',
  'GpuMemoryPeaked',
  'GpuArenaMeasured',
  'GpuArenaPeaked',
  'GpuMemoryRefused',
  'SessionsMeasured',
] as const satisfies readonly (keyof WorkerEvents)[];

/** The events with the engine's name in those that are of one engine. */
export function eventsOf(engine: string, events: WorkerEvents): WorkerEvents {
  const named = ofOneEngine.map((name) => {
    const tell = events[name] as (fields: object) => void;
    return [name, (fields: object) => tell({ engine, ...fields })];
  });
  return { ...events, ...(Object.fromEntries(named) as Partial<WorkerEvents>) };
}
