import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { createTelemetry } from '#lib/telemetry';
import { projectPath } from '#schemas/project-root';
import type { UnixMs } from '#schemas/brands';
import { connectOverShm } from '#services/inference-worker/data-plane/shm-engine-client';
import { EngineLink } from '#services/inference-worker/engine-link';
import { workerEvents, type WorkerEvents } from '#services/inference-worker/events';
import { circuitPolicy } from '#services/inference-worker/sentinel/circuit';
import type { Incident } from '#services/inference-worker/sentinel/incident';
import type { Placement } from '#services/inference-worker/placement/placement';
import { Sentinel, type SentinelOptions } from '#services/inference-worker/sentinel/sentinel';
import { enginesOf } from '../support/engines-of';
import { closedWithFile } from '../support/closed-with-file';

export interface SeenEvent {
  readonly name: keyof WorkerEvents;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface SentinelBench {
  readonly link: EngineLink;
  readonly placement: Placement;
  readonly events: WorkerEvents;
  readonly seen: SeenEvent[];
  readonly configFaults: string[];
  readonly incidentFolder: string;
  /** Fields of the events of this name so far. */
  all(name: keyof WorkerEvents): Readonly<Record<string, unknown>>[];
  /** Resolves when there have been so many. */
  untilSeen(name: keyof WorkerEvents, count: number): Promise<Readonly<Record<string, unknown>>>;
  until(done: () => boolean, what: string): Promise<void>;
  client(): Promise<EngineClient>;
  /** Process id of the active engine. */
  pid(): Promise<number>;
  incidents(): Incident[];
  stop(): Promise<void>;
}

const telemetry = createTelemetry({ service: 'sentinel-test', logLevel: 'silent' });
const metrics = workerEvents(telemetry);

function recording(seen: SeenEvent[]): WorkerEvents {
  const names = Object.keys(metrics) as (keyof WorkerEvents)[];
  const entries = names.map((name) => [
    name,
    (fields: Readonly<Record<string, unknown>>) => {
      seen.push({ name, fields });
      (metrics[name] as (fields: object) => void)(fields);
    },
  ]);
  return Object.fromEntries(entries) as unknown as WorkerEvents;
}

const inMs = (ms: number): UnixMs => (Date.now() + ms) as UnixMs;

interface HarnessOptions extends Partial<Omit<SentinelOptions, 'connect'>> {
  readonly circuitPauseMs?: number;
  /** Without a data plane. */
  readonly overGrpc?: boolean;
}

/** The sentinel of a worker with real engines, without the worker. `adapt` stands between it and each engine. */
export function startSentinel(
  modelsDir: string,
  options: HarnessOptions = {},
  adapt: (client: EngineClient) => EngineClient = (client) => client,
): SentinelBench {
  const seen: SeenEvent[] = [];
  const configFaults: string[] = [];
  const events = recording(seen);
  const link = new EngineLink();
  const incidentFolder = join(mkdtempSync(join(tmpdir(), 'roundhouse-incidents-')), 'incidents');
  const sentinel = new Sentinel({
    mainFile: projectPath('dist/services/inference-worker/engine/main.js'),
    readyTimeoutMs: 60_000,
    standby: false,
    silenceFloorMs: 1_000,
    memoryLimitBytes: 0,
    incidentFolder,
    circuit: circuitPolicy(options.circuitPauseMs ?? 5_000),
    logger: telemetry.logger,
    events,
    link,
    connect: (address, onHangUp) => {
      const grpc = connectEngine({ address, controlTimeoutMs: 5_000 });
      if (options.overGrpc === true) return adapt(grpc);
      const pool = { poolBytes: 16 * 1_048_576, whenEmpty: 'inline' } as const;
      return adapt(connectOverShm({ address, grpc, events, ...pool, onHangUp }));
    },
    onConfigFault: (reason) => void configFaults.push(reason),
    ...options,
    env: {
      PATH: process.env['PATH'],
      ROUNDHOUSE_MODELS_DIR: modelsDir,
      ROUNDHOUSE_LOG_LEVEL: 'silent',
      ...options.env,
    },
  });
  const placement = enginesOf(link);
  sentinel.start();
  const all = (name: keyof WorkerEvents) => seen.filter((event) => event.name === name).map((e) => e.fields);
  const until = async (done: () => boolean, what: string): Promise<void> => {
    for (const end = Date.now() + 30_000; !done(); await sleep(5)) {
      if (Date.now() > end) throw new Error(`not in 30 s: ${what}; ${JSON.stringify(seen.slice(-20))}`);
    }
  };
  const client = async (): Promise<EngineClient> => {
    const up = await link.waitUntilUp(inMs(30_000));
    if (up === null) throw new Error(`no engine: ${link.whyDown()}`);
    return up;
  };
  const bench: SentinelBench = {
    link,
    placement,
    events,
    seen,
    configFaults,
    incidentFolder,
    all,
    until,
    client,
    async untilSeen(name, count) {
      await until(() => all(name).length >= count, `${count} × ${name}`);
      return all(name)[count - 1]!;
    },
    async pid() {
      await client();
      return all('EngineActivated').at(-1)!['enginePid'] as number;
    },
    incidents: () =>
      readdirSync(incidentFolder)
        .sort()
        .map((name) => JSON.parse(readFileSync(join(incidentFolder, name), 'utf8')) as Incident),
    async stop() {
      await sentinel.stop();
      rmSync(join(incidentFolder, '..'), { recursive: true, force: true });
    },
  };
  return closedWithFile(bench, () => bench.stop());
}
