import type { EngineLink } from '#services/inference-worker/engine-link';
import { EngineDevice } from '#services/inference-worker/scheduling/engine-device';
import { makeScheduler } from '#services/inference-worker/scheduling/make-scheduler';
import { ScheduledEngines } from '#services/inference-worker/scheduling/scheduled-engines';

/** The engines of a worker with one device, as it schedules them; memory is no matter. */
export function enginesOf(link: EngineLink): ScheduledEngines {
  const devices = [new EngineDevice({ id: 'cpu', link, arenaBytes: Infinity })];
  const none = (): number => 0;
  const scheduled = makeScheduler('staggered', Infinity, devices);
  return new ScheduledEngines({ devices, ...scheduled, poolBytesOf: none, arenaBytesOf: none });
}
