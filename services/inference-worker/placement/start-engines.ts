import type { Env } from '#lib/config';
import { labelText, type MetricsRegistry } from '#lib/metrics/registry';
import type { ServiceContext } from '#lib/service';
import { RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import { AdmissionWatch } from '../admission/admission-watch';
import { MemoryWatch } from '../admission/memory-watch';
import { TritonPassthrough } from '../admission/triton-passthrough';
import type { WorkerConfig } from '../config';
import { poolBytesOf } from '../data-plane/pool-bytes';
import { sweepPython } from '../engine/python/regions';
import { EngineLink } from '../engine-link';
import type { WorkerEvents } from '../events';
import { EngineDevice } from '../scheduling/engine-device';
import { PhaseWatch } from '../scheduling/phase-watch';
import { makeScheduler } from '../scheduling/make-scheduler';
import { ScheduledEngines } from '../scheduling/scheduled-engines';
import { SchedulingWatch } from '../scheduling/scheduling-watch';
import { ShardTrace } from '../scheduling/shard-trace';
import { SideBySide } from '../scheduling/side-by-side';
import { TurnLag } from '../scheduling/turn-lag';
import { circuitPolicy } from '../sentinel/circuit';
import { withIncidentsTold } from '../sentinel/told-incidents';
import { Sentinel } from '../sentinel/sentinel';
import { WantedModels } from '../sentinel/wanted-models';
import { connectToEngine } from './connect-engine';
import { asWanted, chooseEngines, type EngineChoice } from './engine-choice';
import { EngineSet, type NamedLink } from './engine-set';
import { followModels } from './follow-models';
import { thisMachine } from './machine';
import type { PlacedAnswer, PlacedWork } from './placement';
import { eventsOf } from './named-events';

type Context = ServiceContext<WorkerConfig>;

interface OwnEngine extends NamedLink {
  readonly choice: EngineChoice;
  readonly sentinel: Sentinel;
}

function environmentOf({ devices }: EngineChoice, env: Env): Env {
  return devices === null ? env : { ...env, ROUNDHOUSE_DEVICES: devices };
}

function engineOf(
  choice: EngineChoice,
  models: WantedModels,
  { config, logger, tell }: Context,
  events: WorkerEvents,
  env: Env,
  onConfigFault: (engine: NamedLink, reason: string) => void,
): OwnEngine {
  const link = new EngineLink(models);
  const own = eventsOf(choice.id, withIncidentsTold(events, tell));
  const sentinel = new Sentinel({
    mainFile: projectPath('dist', 'services', 'inference-worker', 'engine', 'main.js'),
    env: environmentOf(choice, env),
    readyTimeoutMs: config.engineReadyTimeoutMs,
    standby: config.standby,
    silenceFloorMs: config.engineSilenceFloorMs,
    memoryLimitBytes: config.engineMemoryLimitBytes,
    incidentFolder: config.incidentFolder,
    circuit: circuitPolicy(config.engineCircuitPauseMs),
    logger,
    events: own,
    link,
    connect: (address, onHangUp) => connectToEngine(address, onHangUp, config, own),
    onConfigFault: (reason) => onConfigFault({ id: choice.id, link }, asWanted(choice, reason)),
  });
  return { id: choice.id, link, choice, sentinel };
}

/** One that was found, not named, is done without while there are others. */
function configFaults({ fail, logger }: Context, engines: () => readonly OwnEngine[]) {
  const unusable = new Set<string>();
  return ({ id, link }: NamedLink, reason: string): void => {
    unusable.add(id);
    const others = engines().filter((engine) => !unusable.has(engine.id));
    const isFound = engines().find((engine) => engine.id === id)?.choice.isFound === true;
    if (!isFound || others.length === 0) {
      return fail(new RoundhouseError('CONFIG_INVALID', `the engine: ${reason}`));
    }
    logger.error({ event: 'EngineUnusable', engine: id, reason });
    link.handOver(`it can't be used: ${reason}`);
  };
}

function devicesOf(engines: readonly OwnEngine[]): EngineDevice[] {
  const devices = engines.map(({ id, link, choice: { isLastResort } }) => {
    return new EngineDevice({ id, link, isLastResort, arenaBytes: Infinity });
  });
  for (const device of devices) new SideBySide(device);
  return devices;
}

/** A scheduler with its executor over these devices; each knows only of what it starts itself. */
export function placementOver(
  devices: readonly EngineDevice[],
  config: Pick<WorkerConfig, 'scheduler' | 'dataPlane' | 'dataPlanePoolBytes'>,
  onAnswered: (work: PlacedWork, answer: PlacedAnswer) => void = () => undefined,
): ScheduledEngines {
  const lag = new TurnLag();
  const isShared = config.dataPlane === 'shm';
  const poolBytes = isShared ? config.dataPlanePoolBytes : Infinity;
  return new ScheduledEngines({
    devices,
    ...makeScheduler(config.scheduler, poolBytes, devices, lag),
    lag,
    poolBytesOf: isShared ? poolBytesOf(poolBytes) : () => 0,
    arenaBytesOf: () => 0,
    onAnswered,
  });
}

function openTrace({ config, onStop }: Context): ShardTrace | null {
  if (config.traceFile === '') return null;
  const trace = new ShardTrace(config.traceFile);
  onStop('trace', () => trace.close());
  return trace;
}

function addEngineMetrics(
  registry: MetricsRegistry,
  engines: readonly NamedLink[],
  triton: TritonPassthrough,
): void {
  const gauge = (name: string, help: string, holds: (link: EngineLink) => boolean): void => {
    const samples = () =>
      engines.map(({ id: engine, link }) => {
        return { suffix: '', labels: labelText({ engine }), value: Number(holds(link)) };
      });
    registry.add({ name, help, kind: 'gauge', samples });
  };
  gauge('dispatch_engine_up', '1 while an engine takes requests.', (link) => link.whyDown() === null);
  const help = '1 while an engine runs that is less confined than ROUNDHOUSE_ENGINE_CONFINEMENT asks for.';
  gauge('dispatch_engine_unconfined', help, (link) => link.unconfined !== '');
  registry.addSource(() => triton.families());
}

export interface StartedEngines {
  readonly engines: EngineSet;
  readonly devices: readonly EngineDevice[];
  readonly placement: ScheduledEngines;
  /** null unless ROUNDHOUSE_TRACE_FILE names a file. */
  readonly trace: ShardTrace | null;
}

/** An engine for each device that is asked for, each with its sentinel, and the scheduler over all of them. */
export function startEngines(context: Context, events: WorkerEvents, env: Env): StartedEngines {
  const { config, telemetry, onStop } = context;
  const models = new WantedModels();
  const own: OwnEngine[] = [];
  const onConfigFault = configFaults(context, () => own);
  for (const choice of chooseEngines(config.engines, thisMachine(env))) {
    events.EngineChosen({ engine: choice.id });
    own.push(engineOf(choice, models, context, events, env, onConfigFault));
  }
  onStop('engine', async () => {
    await Promise.all(own.map(({ sentinel }) => sentinel.stop()));
    sweepPython();
  });
  const engines = new EngineSet(own);
  followModels(engines, events);
  const trace = openTrace(context);
  const devices = devicesOf(own);
  const phases = new PhaseWatch(events, telemetry.tracer);
  const placement = placementOver(devices, config, (work, answer) => {
    phases.answered(work, answer);
    trace?.answered(work, answer);
  });
  for (const { sentinel } of own) sentinel.start();
  const watches = own.flatMap(({ id, link }) => {
    const named = eventsOf(id, events);
    return [new AdmissionWatch(link, named), new MemoryWatch(link, named)];
  });
  const watch = new SchedulingWatch(placement, events);
  // What the scheduler has learned by then is in a scrape, whenever its watch looked last.
  telemetry.registry.addSource(() => watch.look());
  const triton = new TritonPassthrough(own);
  addEngineMetrics(telemetry.registry, own, triton);
  onStop('metrics of engines', () => [...watches, watch, triton].forEach((each) => each.close()));
  return { engines, devices, placement, trace };
}
