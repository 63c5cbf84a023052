import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '#lib/command-line';
import { EngineControl } from '#launcher/models/engine-control';
import { projectPath } from '#schemas/project-root';
import { startEngine } from '../engine-process';
import { inFolder } from '../in-folder';
import { growthOf, residentBytes, type Growth, type Reading, type Resident } from './growth';
import { parseOptions, usage, type Options } from './options';
import { shardTensors } from './shard';
import { Traffic, type TrafficCounts } from './traffic';

const served = 'candidate_cost';
/** Between two operations. */
const betweenMs = 20;
/**
 * Memory is looked at after so many (of fewer than 50: after half of them) and at the end, with no request under way
 * and when the engine has tidied up.
 */
const lookEvery = 25;
const untilTidyMs = 1_300;
/** Calls that have the engine's JavaScript compiled before memory is looked at. */
const warmUpCalls = 2_000;

/** JavaScript is collected all the time, so that what grows is kept by somebody. */
const alwaysCollecting = [
  '--expose-gc',
  '--require',
  join(__dirname, 'collect-garbage.js'),
  // The room of young objects would grow or shrink by megabytes at any time.
  '--max-semi-space-size=1',
];
const quiet = { ROUNDHOUSE_LOG_LEVEL: 'warn' };

interface Phase extends TrafficCounts, Growth {
  readonly operations: number;
  readonly seconds: number;
  readonly operationMsP50: number;
  readonly operationMsP99: number;
}

interface Bench {
  readonly repository: string;
  readonly control: EngineControl;
  readonly traffic: Traffic;
  readonly pid: number;
}

function makeRepository(folder: string): string {
  const repository = join(folder, 'models');
  mkdirSync(repository);
  for (const model of [served, 'delivery_time', 'labels.json']) {
    cpSync(projectPath('models', model), join(repository, model), { recursive: true });
  }
  return repository;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the engine keeps: garbage is collected and freed memory given back while nothing comes. */
async function restingBytes({ traffic, pid }: Bench): Promise<Resident> {
  traffic.isHeld = true;
  await traffic.settled();
  await pause(untilTidyMs);
  const bytes = residentBytes(pid);
  traffic.isHeld = false;
  return bytes;
}

/** `count` operations one after the other under the traffic. */
async function phase(
  bench: Bench,
  count: number,
  operate: (i: number) => Promise<void>,
): Promise<Phase | null> {
  if (count === 0) return null;
  bench.traffic.take();
  const readings: Reading[] = [];
  const every = Math.min(lookEvery, Math.ceil(count / 2));
  const millis: number[] = [];
  const started = performance.now();
  for (let i = 1; i <= count; i += 1) {
    const before = performance.now();
    await operate(i);
    millis.push(performance.now() - before);
    await pause(betweenMs);
    if (i % every === 0 || i === count) readings.push({ operations: i, bytes: await restingBytes(bench) });
  }
  await bench.traffic.settled();
  const sorted = millis.sort((a, b) => a - b);
  const at = (part: number) => Number(sorted[Math.floor(sorted.length * part)]!.toFixed(1));
  return {
    operations: count,
    seconds: Number(((performance.now() - started) / 1_000).toFixed(1)),
    operationMsP50: at(0.5),
    operationMsP99: at(0.99),
    ...bench.traffic.take(),
    ...growthOf(readings),
  };
}

/** Version 2 comes, requests name it, version 1 is retired; then 3, and so on. */
async function switchVersion({ repository, control, traffic }: Bench, i: number): Promise<void> {
  const [old, next] = [String(i), String(i + 1)];
  const fresh = join(repository, served, `.${next}.new`);
  cpSync(projectPath('models', served, '1'), fresh, { recursive: true });
  renameSync(fresh, join(repository, served, next));
  await control.load(served);
  traffic.version = next;
  await traffic.settled();
  rmSync(join(repository, served, old), { recursive: true });
  await control.load(served);
}

async function measure(folder: string, options: Options): Promise<object> {
  const repository = makeRepository(folder);
  const socket = join(folder, 'engine.sock');
  const engine = await startEngine({ models: repository, socket, flags: alwaysCollecting, env: quiet });
  const control = new EngineControl(`unix:${socket}`);
  const traffic = await Traffic.start(socket, shardTensors(), options.rate);
  const bench = { repository, control, traffic, pid: engine.pid! };
  try {
    for (let i = 0; i < warmUpCalls; i += 1) await control.index();
    await traffic.fill();
    await pause(3_000);
    const reloads = await phase(bench, options.reloads, () => control.load(served, true));
    const cycles = await phase(bench, options.cycles, async () => {
      await control.unload('delivery_time');
      await control.load('delivery_time');
    });
    const switches = await phase(bench, options.switches, (i) => switchVersion(bench, i));
    return { ratePerSecond: options.rate, reloads, cycles, switches };
  } finally {
    await traffic.stop();
    control.close();
    engine.kill('SIGTERM');
    await new Promise((resolve) => engine.once('exit', resolve));
  }
}

async function main(options: Options): Promise<void> {
  console.log(JSON.stringify(await inFolder((folder) => measure(folder, options)), null, 2));
}

void runCommand({ usage, parse: parseOptions, run: main });
