import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTelemetry } from '#lib/telemetry';
import { quantile } from '#policy/simulation/statistics';
import { mixedRandom } from '#policy/scheduling/simulation/mixed-random';
import type { UnixMs } from '#schemas/brands';
import { projectPath } from '#schemas/project-root';
import { loadWorkerConfig } from '#services/inference-worker/config';
import { workerEvents, type WorkerEvents } from '#services/inference-worker/events';
import type { PlacedWork, Placement } from '#services/inference-worker/placement/placement';
import { startRemotes } from '#services/inference-worker/remote/start-remotes';
import { inFolder } from '../in-folder';
import { startWorkerEngines, type WorkerEngines } from '../stagger/worker-engines';
import { Sightings } from './sightings';
import { spoiledRemote, type Spoiled, type SpoiledRemote } from './spoiled-remote';

const model = 'fault_injection';
/** Of each of four instances: an engine does 40 a second. */
const delayMs = 100;
/** A local engine and a good remote at half of what both can do. */
const perSecond = 40;
const burst = 4;
const deadlineMs = 1_000;
const spoilAfterMs = 5_000;

const modelsEnv = {
  ROUNDHOUSE_MODELS_DIR: projectPath('test', 'fixtures', 'fault-injection'),
  ROUNDHOUSE_FAULT_INJECTION: '1',
  ROUNDHOUSE_DEVICES: 'cpu',
  ROUNDHOUSE_LOG_LEVEL: 'silent',
};
const freePorts = {
  ROUNDHOUSE_WORKER_HTTP_PORT: '0',
  ROUNDHOUSE_WORKER_GRPC_PORT: '0',
  ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT: '0',
  ROUNDHOUSE_WORKER_METRICS_PORT: '0',
};

interface OtherWorker {
  readonly process: ChildProcess;
  readonly address: string;
}

async function startOther(): Promise<OtherWorker> {
  const main = projectPath('dist', 'services', 'inference-worker', 'serve-models', 'main.js');
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: process.env['PATH'], ...modelsEnv, ...freePorts },
  });
  for (;;) {
    const [message] = (await once(child, 'message')) as [{ type: string; ports: { grpc: number } }];
    if (message.type === 'ready') return { process: child, address: `127.0.0.1:${message.ports.grpc}` };
  }
}

function workOf(index: number): PlacedWork {
  const input = { name: 'IN', datatype: 'UINT8' as const, shape: [4_096], data: new Uint8Array(4_096) };
  const request = {
    model,
    version: '',
    requestId: String(index),
    inputs: [input],
    parameters: { delay_ms: delayMs },
  };
  return { request, size: 1, bytesIn: 4_096, bytesOut: 4_096, failedOn: new Set() };
}

interface Outcome {
  readonly solved: boolean;
  readonly ms: number;
}

async function solve(placement: Placement, index: number): Promise<Outcome> {
  const came = performance.now();
  const until = (Date.now() + deadlineMs) as UnixMs;
  const work = workOf(index);
  // As a shard: once more where an engine was lost with it.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      await placement.infer(work, until);
      return { solved: true, ms: performance.now() - came };
    } catch {
      if (Date.now() >= until) break;
    }
  }
  return { solved: false, ms: deadlineMs };
}

/** Bursts at random times, the same for the same seed. */
async function drive(placement: Placement, seconds: number, seed: number): Promise<Outcome[]> {
  const random = mixedRandom(seed);
  const all: Promise<Outcome>[] = [];
  let at = performance.now();
  const end = at + seconds * 1_000;
  while (at < end) {
    for (let each = 0; each < burst; each += 1) all.push(solve(placement, all.length));
    at += -Math.log(1 - random.unit()) * ((1_000 * burst) / perSecond);
    await sleep(Math.max(0, at - performance.now()));
  }
  return Promise.all(all);
}

function watched(events: WorkerEvents, sightings: Sightings): WorkerEvents {
  return {
    ...events,
    RemoteAnswered: (facts) => sightings.answered(facts.name, facts.elapsedMs, performance.now()),
    RemoteUsable: ({ name, usable }) => sightings.usable(name, usable, performance.now()),
  };
}

interface Run {
  readonly local: WorkerEngines;
  readonly listed: readonly { readonly name: string; readonly address: string }[];
  readonly bad: readonly SpoiledRemote[];
  readonly folder: string;
  readonly seconds: number;
  readonly seed: number;
}

/** One run: the bad remotes are good at first. */
async function run({ local, listed, bad, folder, seconds, seed }: Run) {
  const path = join(folder, 'remotes.json');
  writeFileSync(path, JSON.stringify({ engines: listed }));
  const closers: (() => unknown)[] = [];
  const telemetry = createTelemetry({ service: 'bench-routers', logLevel: 'silent' });
  const context = {
    config: loadWorkerConfig({ ROUNDHOUSE_REMOTE_ENGINES: `file:${path}` }),
    telemetry,
    logger: telemetry.logger,
    signal: new AbortController().signal,
    onStop: (_name: string, close: () => unknown) => void closers.push(close),
    send: () => undefined,
    tell: () => undefined,
    fail: (error: Error) => console.error(error.message),
  };
  const sightings = new Sightings();
  const parts = {
    local: local.placement,
    handOver: local.engines,
    tls: null,
    connect: <T>(grpc: T): T => grpc,
  };
  const remotes = await startRemotes(context, parts, watched(workerEvents(telemetry), sightings));
  await remotes!.untilUsable();
  const spoil = setTimeout(() => {
    sightings.spoiled(performance.now());
    for (const each of bad) each.spoil(each.name as Spoiled);
  }, spoilAfterMs);
  const outcomes = await drive(remotes!.placement, seconds, seed);
  clearTimeout(spoil);
  for (const close of closers.reverse()) await close();
  const times = outcomes.map(({ ms }) => ms);
  const seenMs = Object.fromEntries(bad.map(({ name }) => [name, sightings.seenMs(name)]));
  return {
    requests: outcomes.length,
    missed: outcomes.filter(({ solved }) => !solved).length / outcomes.length,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    ...(bad.length === 0 ? {} : { seenMs }),
  };
}

/** Interleaved runs with and without bad remotes beside a good one; real workers, engines and gRPC. */
export async function realRuns(seconds: number, runs: number) {
  return inFolder(async (folder) => {
    const local = await startWorkerEngines({ ...modelsEnv, ROUNDHOUSE_ENGINES: 'cpu' });
    const [good, spoilt] = [await startOther(), await startOther()];
    const results = [];
    try {
      for (let seed = 1; seed <= runs; seed += 1) {
        const listed = [{ name: 'good', address: good.address }];
        const without = await run({ local, listed, bad: [], folder, seconds, seed });
        const kinds = ['dead', 'slow', 'failing'] as const;
        const bad = await Promise.all(kinds.map((name) => spoiledRemote(name, spoilt.address)));
        const all = [...listed, ...bad.map(({ name, address }) => ({ name, address }))];
        const withBad = await run({ local, listed: all, bad, folder, seconds, seed });
        for (const each of bad) each.close();
        results.push({ without, withBad });
        console.error(JSON.stringify(results.at(-1)));
      }
    } finally {
      for (const { process: child } of [good, spoilt]) child.kill('SIGTERM');
      await local.stop();
    }
    return results;
  });
}
