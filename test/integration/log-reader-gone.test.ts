import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { anyPorts } from '../support/any-ports';

const folder = mkdtempSync(join(tmpdir(), 'reader-gone-'));
const running: ChildProcess[] = [];
afterEach(() => running.splice(0).forEach((child) => child.kill('SIGKILL')));
afterAll(() => rmSync(folder, { recursive: true }));

/** Nothing answers there: the services stay in their start, where they say what they wait for. */
const nobody = { KAFKA_BROKERS: '127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' };
const socket = { ROUNDHOUSE_ENGINE_SOCKET: join(folder, 'engine.sock') };

/** A service that has logged something, and whose output nobody reads from then on. */
async function withoutReader(entry: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [projectPath('dist', 'services', entry, 'main.js')], {
    env: { ...process.env, ...nobody, ...anyPorts, ...socket },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.push(child);
  await once(child.stdout!, 'data');
  child.stdout!.destroy();
  child.stderr!.destroy();
  return child;
}

/** Its exit code and the signal that ended it. */
async function ended(child: ChildProcess): Promise<readonly unknown[]> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return [child.exitCode, child.signalCode];
}

// pino's own destination wrote its last lines again and again then, and the process never ended.
describe.each(['ingest', 'aggregator', 'inference-worker', join('inference-worker', 'engine')])(
  '%s without a reader of its log',
  (entry) => {
    test('ends at a signal', async () => {
      const child = await withoutReader(entry);
      child.kill('SIGTERM');
      expect(await ended(child)).toEqual([0, null]);
    });

    test('ends with its parent', async () => {
      const child = await withoutReader(entry);
      child.disconnect();
      expect(await ended(child)).toEqual([0, null]);
    });
  },
);
