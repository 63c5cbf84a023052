import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOfLog } from './end-of-log';
import { freePort, requireFreePort } from './ports';
import { RestartBudget } from './restart-budget';
import { makeRunFolder } from './run-folder';
import { brokerAnswers, redisAnswers } from './tcp-probe';

describe('run folders', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'roundhouse-runs-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('those of dead processes go when a new one is made, those of living ones stay', () => {
    const living = makeRunFolder(root);
    const dead = join(root, '999999-1-1');
    mkdirSync(join(dead, 'broker'), { recursive: true });
    writeFileSync(join(dead, 'owner.json'), JSON.stringify({ pid: 999_999, started: '1' }));
    // A process that has our id now but started at another time is not the owner.
    const reused = join(root, `${process.pid}-1-1`);
    mkdirSync(reused);
    mkdirSync(join(root, 'not-ours'));
    const next = makeRunFolder(root);
    expect(
      readdirSync(root)
        .map((name) => join(root, name))
        .sort(),
    ).toEqual([living.path, next.path].sort());
  });

  // An engine that was run by hand has its socket there; its kill leaves it behind.
  test('what is no run, a file or a socket, goes and hinders no start', () => {
    writeFileSync(join(root, 'engine.sock'), '');
    const next = makeRunFolder(root);
    expect(readdirSync(root).map((name) => join(root, name))).toEqual([next.path]);
  });

  test('a failure is told though its logs are gone', () => {
    const folder = makeRunFolder(root);
    rmSync(folder.path, { recursive: true });
    expect(() => folder.keepLogs()).not.toThrow();
  });

  /** A run whose process is gone; `minute`: when it failed. */
  function ended(number: number, minute: number | null): string {
    const name = `999999-1-${number}`;
    mkdirSync(join(root, name, 'logs'), { recursive: true });
    mkdirSync(join(root, name, 'broker'));
    writeFileSync(join(root, name, 'logs', 'worker.log'), `run ${number}`);
    if (minute === null) return name;
    writeFileSync(join(root, name, 'failed'), '');
    utimesSync(join(root, name, 'failed'), minute * 60, minute * 60);
    return name;
  }

  // They were gone at the next start, with the reason of the failure.
  test('the logs of the last three runs that failed stay, whatever ran after them', () => {
    // Failed in minutes 5, 2, 9 and 7: the one of minute 2 is the fourth. The fifth ran last, and well.
    const names = [5, 2, 9, 7, null].map((minute, at) => ended(at + 1, minute));
    const run = makeRunFolder(root);
    expect(
      readdirSync(root)
        .filter((name) => names.includes(name))
        .sort(),
    ).toEqual([1, 3, 4].map((n) => names[n - 1]));
    expect(readdirSync(join(root, names[0]!)).sort()).toEqual(['failed', 'logs']);
    expect(readFileSync(join(root, names[0]!, 'logs', 'worker.log'), 'utf8')).toBe('run 1');
    // One more that fails takes the place of the oldest.
    run.keepLogs();
    run.removeData();
    const gone = join(root, '999999-1-9');
    cpSync(run.path, gone, { recursive: true });
    writeFileSync(join(gone, 'owner.json'), JSON.stringify({ pid: 999_999, started: '1' }));
    makeRunFolder(root);
    expect([1, 3, 4].map((n) => existsSync(join(root, names[n - 1]!)))).toEqual([false, true, true]);
    expect(existsSync(join(gone, 'logs'))).toBe(true);
  });

  test('removeData keeps the logs', () => {
    const run = makeRunFolder(root);
    mkdirSync(join(run.path, 'broker', 'data'), { recursive: true });
    writeFileSync(join(run.logs, 'broker.log'), 'x');
    run.removeData();
    expect(existsSync(join(run.path, 'broker'))).toBe(false);
    expect(existsSync(join(run.logs, 'broker.log'))).toBe(true);
  });
});

describe('ports', () => {
  test('a port in use is refused with its number and its purpose', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address() as { port: number };
    await expect(requireFreePort(address.port, 'Redis')).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: `port ${address.port} for Redis can't be used (EADDRINUSE)`,
    });
    await new Promise((resolve) => server.close(resolve));
    await requireFreePort(address.port, 'Redis');
  });

  test('something else at a port is neither a broker nor a Redis, nor is a closed port', async () => {
    const server = createServer((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const port = await freePort();
    expect(await brokerAnswers(port)).toBe(false);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    expect(await brokerAnswers(port)).toBe(false);
    expect(await redisAnswers(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
  });
});

test('restarts come after 200, 400, 800, 1600 and 3200 ms, at most five in a minute', () => {
  const budget = new RestartBudget();
  const delays = [0, 1, 2, 3, 4, 5].map((second) => budget.nextDelayMs(second * 1000));
  expect(delays).toEqual([200, 400, 800, 1600, 3200, null]);
  // A minute after the first two (at 0 s and 1 s) three are left in the window: 200 * 2^3.
  expect(budget.nextDelayMs(61_500)).toBe(1600);
});

test('the end of a log is its last lines; an absent file has none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-log-'));
  const file = join(folder, 'x.log');
  writeFileSync(file, `${'x'.repeat(10_000)}\n1\n2\n3\n`);
  expect(endOfLog(file, 2)).toBe('2\n3');
  expect(endOfLog(join(folder, 'absent.log'))).toBe('');
  rmSync(folder, { recursive: true });
});
