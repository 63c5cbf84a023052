import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connectEngine } from '#lib/engine-client/grpc';
import type { UnixMs } from '#schemas/brands';
import { projectPath } from '#schemas/project-root';
import { startEngine } from '../../engine-process';
import { inFolder } from '../../in-folder';
import { openFiles } from '../../pipeline/open-files';
import { check, equal, type Check, type Drill, type DrillContext } from '../drill';
import { runProgram } from '../program';
import { solvesAgain } from '../rounds/under-load';
import { faultModels } from '../stand/fault-models';
import type { Stand } from '../stand/stand';
import { until } from '../until';

/** One engine that is told to end with a thousand requests in its queue; its exit code. */
async function endsWithQueue(models: string, socket: string): Promise<number | string> {
  const engine = await startEngine({
    models,
    socket,
    env: { ROUNDHOUSE_FAULT_INJECTION: '1', ROUNDHOUSE_LOG_LEVEL: 'silent', ROUNDHOUSE_DEVICES: 'cpu' },
  });
  const client = connectEngine({ address: `unix:${socket}` });
  const inputs = [{ name: 'IN', datatype: 'UINT8' as const, shape: [1], data: Buffer.from('x') }];
  const request = { model: 'fault_injection', version: '', requestId: '', inputs };
  const deadline = (Date.now() + 60_000) as UnixMs;
  const asked = Array.from({ length: 1_000 }, (_, i) =>
    client.infer(i < 4 ? { ...request, parameters: { delay_ms: 30_000 } } : request, deadline),
  );
  const all = Promise.allSettled(asked);
  const exited = once(engine, 'exit') as Promise<[number | null, string | null]>;
  engine.kill('SIGTERM');
  const [code, signal] = await exited;
  await all;
  await client.close();
  return code ?? signal ?? 'unknown';
}

const atOnce = 4;

async function exits({ of }: DrillContext): Promise<Check[]> {
  const times = of(200, 6);
  const models = faultModels();
  const ends: (number | string)[] = [];
  await inFolder(async (folder) => {
    for (let i = 0; i < times; i += atOnce) {
      const some = Array.from({ length: Math.min(atOnce, times - i) }, (_, j) =>
        join(folder, `${i + j}.sock`),
      );
      ends.push(...(await Promise.all(some.map((socket) => endsWithQueue(models.folder, socket)))));
    }
  });
  models.remove();
  const bad = ends.filter((end) => end !== 0);
  return [equal(`of ${times} exits other than 0`, 0, bad.length)];
}

interface ReloadPhase {
  readonly failed: Readonly<Record<string, number>>;
  readonly rssBytesAnOperation: number;
  readonly parts: { readonly own: number };
}

async function reloads({ of }: DrillContext): Promise<Check[]> {
  const count = of(500, 50);
  const flags = ['--reloads', `${count}`, '--cycles', `${count}`, '--switches', '0', '--rate', '100'];
  const { code, output } = await runProgram(process.execPath, ['dist/bench/reloads/main.js', ...flags]);
  if (code !== 0) return [check('the bench ran', 'exit code 0', output.slice(-300), false)];
  const { reloads, cycles } = JSON.parse(output) as Record<'reloads' | 'cycles', ReloadPhase>;
  const failed = [reloads, cycles].flatMap(({ failed }) => Object.values(failed));
  // Readings differ by a quarter of a megabyte.
  const limit = Math.max(2_000, 500_000 / count);
  const slope = (what: string, { rssBytesAnOperation: bytes }: ReloadPhase): Check =>
    check(`${what}: resident bytes an operation`, `≤ ${limit}`, bytes, bytes <= limit);
  return [
    equal(
      'failed requests',
      0,
      failed.reduce((sum, one) => sum + one, 0),
    ),
    slope(`${count} reloads`, reloads),
    slope(`${count} loads and unloads`, cycles),
  ];
}

const isSegment = (text: string): boolean => text.includes('/memfd:roundhouse');

function segmentsOf(pid: number): number {
  return openFiles(pid).filter(isSegment).length;
}

/** Processes of this machine that still map a segment of the data plane. */
function mapsSegments(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n').some(isSegment);
  } catch {
    return false;
  }
}

async function leaks({ stand, of }: DrillContext): Promise<Check[]> {
  const worker = stand.pid('worker');
  await solvesAgain(stand);
  const named = () => readdirSync('/dev/shm').filter((name) => /roundhouse|triton/.test(name)).length;
  const [before, namedBefore] = [segmentsOf(worker), named()];
  const gone: number[] = [];
  for (let i = 0; i < of(10, 2); i++) {
    const engine = stand.pid('engine');
    gone.push(engine);
    process.kill(engine, 'SIGKILL');
    await until(() => ![null, engine].includes(stand.pidOrNull('engine')), 'another engine');
    await solvesAgain(stand);
    // Engines that end within two seconds of taking over are a crash loop.
    await new Promise((resolve) => setTimeout(resolve, 2_200));
  }
  const after = segmentsOf(worker);
  const engine = stand.pid('engine');
  await stand.kill('worker');
  await until(() => !existsSync(`/proc/${engine}`), 'its engine ends with it');
  await stand.restart('worker');
  await solvesAgain(stand);
  return [
    check('segments of the worker', `≤ ${before}`, after, after <= before),
    equal('named segments left in /dev/shm', namedBefore, named()),
    equal('dead engines that still map one', 0, gone.filter(mapsSegments).length),
    check(
      'sockets of the engine, mode',
      '0700 folder or 0600 socket',
      modesOf(stand),
      modesOf(stand) !== 'open',
    ),
  ];
}

/** Nobody but our own user gets to an engine. */
function modesOf(stand: Stand): string {
  const line = readFileSync(`/proc/${stand.pid('engine')}/environ`, 'utf8').split('\0');
  const socket = line.find((text) => text.startsWith('ROUNDHOUSE_ENGINE_SOCKET='))?.split('=')[1];
  if (socket === undefined) return 'unknown';
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const [folder, own] = [mode(join(socket, '..')), mode(socket)];
  return folder === '700' || own === '600' ? `${folder}, ${own}` : 'open';
}

/** The program that reads plans of other GPUs, libraries and networks; a GPU has more in test/gpu. */
async function foreignPlans(): Promise<Check[]> {
  const program = projectPath('build', 'native', 'tests', 'delivery_time_plans_test');
  if (!existsSync(program)) return [check('the program is built', 'yes', 'no: npm run build', false)];
  const { code, output } = await runProgram(program, []);
  return [check('its checks', '0 failed', output.trim().split('\n').at(-1), code === 0)];
}

export const processDrills: readonly Drill[] = [
  {
    name: 'exits',
    row: '14',
    fault: 'an engine is told to end with 1,000 requests queued, 200 times (6 in CI)',
    expected: 'exit code 0 each time',
    inQuick: false,
    stand: 'none',
    run: exits,
  },
  {
    name: 'reloads',
    row: '15',
    fault: '500 reloads, and 500 unloads and loads, under 110 requests/s (50 in CI)',
    expected: 'no request fails; the slope of resident memory is about 0',
    inQuick: false,
    stand: 'none',
    run: reloads,
  },
  {
    name: 'foreign-plans',
    row: '17',
    fault: 'TensorRT plans of another GPU, library, precision or network, and damaged ones',
    expected: 'refused at load with both values; built anew or the fallback (on a GPU: test/gpu)',
    inQuick: true,
    stand: 'none',
    run: foreignPlans,
  },
  {
    name: 'shared-memory',
    row: '19',
    fault: 'SIGKILL of the engine ten times, then of the worker',
    expected: 'no segment is left on either side; nobody else gets in',
    alerts: ['RoundhouseEngineLost'],
    console: { where: /worker/, words: /gave up its active engine/ },
    inQuick: false,
    run: leaks,
  },
];
