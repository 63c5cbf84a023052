import { createTelemetry, type LogLevel } from '#lib/telemetry';
import { loadWorkerConfig } from '#services/inference-worker/config';
import { workerEvents, type WorkerEvents } from '#services/inference-worker/events';
import type { ScheduledEngines } from '#services/inference-worker/scheduling/scheduled-engines';
import type { EngineSet } from '#services/inference-worker/placement/engine-set';
import { placementOver, startEngines } from '#services/inference-worker/placement/start-engines';
import type { SchedulerName } from '#services/inference-worker/scheduling/make-scheduler';
import type { UnixMs } from '#schemas/brands';

export interface WorkerEngines {
  readonly engines: EngineSet;
  readonly placement: ScheduledEngines;
  /** Another scheduler over the same engines, while no other has work under way. */
  placedBy(scheduler: SchedulerName): ScheduledEngines;
  /** Process ids of the active engines, by their names. */
  readonly pids: ReadonlyMap<string, number>;
  /** Engines that were lost so far. */
  losses(): number;
  stop(): Promise<void>;
}

const startMs = 240_000;
const ready = 'READY';

function watched(events: WorkerEvents, pids: Map<string, number>, onLost: () => void): WorkerEvents {
  return {
    ...events,
    EngineActivated: (facts) => {
      pids.set(facts.engine ?? '', facts.enginePid);
      events.EngineActivated(facts);
    },
    EngineLost: (facts) => {
      onLost();
      events.EngineLost(facts);
    },
  };
}

/** The engines of a worker with their sentinels and scheduler, as a worker starts them, and nothing else of it. */
export async function startWorkerEngines(env: Readonly<Record<string, string>>): Promise<WorkerEngines> {
  const logLevel = (process.env['ROUNDHOUSE_LOG_LEVEL'] ?? 'silent') as LogLevel;
  const all = {
    ...process.env,
    ROUNDHOUSE_LOG_LEVEL: logLevel,
    ROUNDHOUSE_ENGINE_READY_TIMEOUT_MS: String(startMs),
    ...env,
  };
  const config = loadWorkerConfig(all);
  const telemetry = createTelemetry({ service: 'bench-stagger', logLevel });
  const closers: (() => unknown)[] = [];
  const pids = new Map<string, number>();
  let losses = 0;
  let failure: Error | null = null;
  const context = {
    config,
    telemetry,
    logger: telemetry.logger,
    signal: new AbortController().signal,
    onStop: (_name: string, close: () => unknown) => void closers.push(close),
    send: () => undefined,
    tell: (words: string) => telemetry.logger.error({ event: 'Told' }, words),
    fail: (error: Error) => void (failure = error),
  };
  const events = watched(workerEvents(telemetry), pids, () => (losses += 1));
  const { engines, devices, placement } = startEngines(context, events, all);
  const stop = async (): Promise<void> => {
    for (const close of closers.reverse()) await close();
  };
  try {
    await allUp(engines, () => failure);
  } catch (error) {
    await stop();
    throw error;
  }
  const placedBy = (scheduler: SchedulerName): ScheduledEngines =>
    placementOver(devices, { ...config, scheduler });
  return { engines, placement, placedBy, pids, losses: () => losses, stop };
}

async function allUp(engines: EngineSet, failure: () => Error | null): Promise<void> {
  for (const { id, link } of engines.all) {
    const client = await link.waitUntilUp((Date.now() + startMs) as UnixMs);
    const failed = failure();
    if (failed !== null) throw failed;
    if (client === null) throw new Error(`${id}: ${link.whyDown()}`);
    const broken = (await client.repositoryIndex()).find(({ state }) => state !== ready);
    if (broken !== undefined) throw new Error(`${id}: ${broken.name}: ${broken.reason || broken.state}`);
  }
}
