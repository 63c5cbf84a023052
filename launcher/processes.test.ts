import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsWithParent } from '#lib/ends-with-parent';
import { identityOf } from './process-identity';
import { SupervisedProcess, type ProcessEvent, type ProcessSpec } from './processes';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition: () => boolean, timeoutMs = 10_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition did not become true in time');
    await pause(20);
  }
}

const isGone = (pid: number | null): boolean => pid === null || identityOf(pid) === null;

describe('SupervisedProcess', () => {
  let folder: string;
  let running: SupervisedProcess[];
  let events: ProcessEvent[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'roundhouse-processes-'));
    running = [];
    events = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((process) => process.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  function nodeProcess(code: string, spec: Partial<ProcessSpec> = {}): SupervisedProcess {
    const child = new SupervisedProcess(
      {
        name: 'child',
        command: process.execPath,
        args: ['-e', code],
        environment: () => process.env,
        logFile: join(folder, 'child.log'),
        ready: 'message',
        readyTimeoutMs: 10_000,
        stopTimeoutMs: 5_000,
        restarts: false,
        ...spec,
      },
      (event) => events.push(event),
    );
    running.push(child);
    return child;
  }

  const idle = 'setInterval(() => {}, 1000);';
  const ready = "process.send({type: 'ready', ports: {http: 4711}}); setInterval(() => {}, 1000);";

  test('it is started when its ready message is there, with its ports', async () => {
    const child = nodeProcess(ready);
    await child.start();
    expect(child.ports).toEqual({ http: 4711 });
    expect(events).toEqual([{ kind: 'ready', name: 'child', pid: child.pid }]);
  });

  test('what it wants its user to know comes as an event, whenever it says it', async () => {
    const child = nodeProcess(`${ready} setTimeout(() => process.send({type: 'told', words: 'lost'}), 50);`);
    await child.start();
    await until(() => events.length === 2);
    expect(events[1]).toEqual({ kind: 'told', name: 'child', words: 'lost' });
  });

  test('SIGTERM ends it, and nothing is restarted or reported', async () => {
    const child = nodeProcess(
      `process.on('SIGTERM', () => { console.log('finished'); process.exit(0); });${ready}`,
      { restarts: true },
    );
    await child.start();
    await child.stop();
    expect(child.pid).toBeNull();
    expect(readFileSync(join(folder, 'child.log'), 'utf8')).toBe('finished\n');
    expect(events.map((event) => event.kind)).toEqual(['ready']);
  });

  test('a process that ignores SIGTERM is killed after the stop timeout', async () => {
    const child = nodeProcess(`process.on('SIGTERM', () => {});${ready}`, { stopTimeoutMs: 200 });
    await child.start();
    const pid = child.pid;
    await child.stop();
    expect(isGone(pid)).toBe(true);
  });

  test('one that ends before it is ready is an error with its code and the end of its log', async () => {
    const child = nodeProcess("console.error('no such model'); process.exit(3)");
    await expect(child.start()).rejects.toThrow(/child ended with exit code 3\..*\nno such model/s);
  });

  test('one that ends for its configuration before it is ready is an error of the configuration', async () => {
    const child = nodeProcess("console.error('child: CONFIG_INVALID: X: bad'); process.exit(2)");
    await expect(child.start()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/^child: X: bad\nIts log: /) as string,
    });
  });

  test('a start says what it waits for: what it says itself, or what its kind waits for', async () => {
    const says = `console.log('{"event":"DependencyAwaited","msg":"waiting for Redis"}');`;
    for (const [code, words] of [
      [`${says} process.send({type: 'told', words: ''}); ${idle}`, 'Redis'],
      [`process.send({type: 'told', words: ''}); ${idle}`, 'its engine'],
    ] as const) {
      const child = nodeProcess(code, { awaits: 'its engine', logFile: join(folder, `${words}.log`) });
      const started = child.start().catch(() => undefined);
      await until(() => events.length > 0);
      events = [];
      child.tellIfStarting();
      expect(events).toEqual([{ kind: 'awaited', name: 'child', words }]);
      events = [];
      await child.kill();
      await started;
    }
  });

  test('one that is never ready is killed after its timeout', async () => {
    const child = nodeProcess('setInterval(() => {}, 1000)', { readyTimeoutMs: 300 });
    await expect(child.start()).rejects.toThrow(/child was not ready after 300 ms/);
    expect(child.pid).toBeNull();
  });

  test('a command that does not exist is an error', async () => {
    const child = nodeProcess('', { command: join(folder, 'absent'), readyTimeoutMs: 2_000 });
    await expect(child.start()).rejects.toThrow(/child (ended with|could not be started)/);
  });

  test('after an exit that nobody asked for it is started again with the ports it had', async () => {
    const child = nodeProcess(
      `process.send({type: 'ready', ports: {http: Number(process.env.PORT)}}); setInterval(() => {}, 1000);`,
      { restarts: true, environment: (last) => ({ ...process.env, PORT: String(last.http ?? 4000) }) },
    );
    await child.start();
    const first = child.pid;
    process.kill(first ?? 0, 'SIGKILL');
    await until(() => events.filter((event) => event.kind === 'ready').length === 2);
    expect(child.pid).not.toBe(first);
    expect(child.ports).toEqual({ http: 4000 });
    expect(events.map((event) => event.kind)).toEqual(['ready', 'exited', 'ready']);
  });

  test('one that cannot even be spawned again is a failed start each time, until it is given up', async () => {
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    const child = nodeProcess(ready, { restarts: true, logFile: join(logs, 'child.log') });
    await child.start();
    // Without its folder the log file can't be opened: spawning throws.
    rmSync(logs, { recursive: true });
    process.kill(child.pid ?? 0, 'SIGKILL');
    // Five restarts after 200, 400, 800, 1600 and 3200 ms.
    await until(() => events.some((event) => event.kind === 'gaveUp'), 20_000);
    expect(events.map((event) => event.kind)).toEqual([
      'ready',
      ...Array.from({ length: 6 }, () => 'exited'),
      'gaveUp',
    ]);
    expect(events.at(-1)).toMatchObject({ reason: expect.stringMatching(/^could not be started: ENOENT/) });
  }, 30_000);

  test('one that ends during its first start is not said to be started again', async () => {
    const child = nodeProcess('process.exit(3)', { restarts: true });
    await expect(child.start()).rejects.toThrow(/exit code 3/);
    await pause(500);
    expect([child.pid, events]).toEqual([null, []]);
  });

  test('its end says whether it is started again', async () => {
    const child = nodeProcess(ready);
    await child.start();
    process.kill(child.pid ?? 0, 'SIGKILL');
    await until(() => events.length === 2);
    expect(events[1]).toEqual({ kind: 'exited', name: 'child', reason: 'SIGKILL', again: false });
  });

  test('wrong configuration (exit code 2) is not tried again', async () => {
    const child = nodeProcess(
      "process.send({type: 'ready', ports: {}}); setTimeout(() => process.exit(2), 100)",
      { restarts: true },
    );
    await child.start();
    await until(() => events.some((event) => event.kind === 'gaveUp'));
    expect(events.at(-1)).toMatchObject({ kind: 'gaveUp', reason: 'exit code 2' });
  });

  test('kill() keeps it dead until start()', async () => {
    const child = nodeProcess(ready, { restarts: true });
    await child.start();
    await child.kill();
    await pause(500);
    expect(child.pid).toBeNull();
    await child.start();
    expect(child.pid).not.toBeNull();
  });

  test('a probe is polled until it is true', async () => {
    const file = join(folder, 'up');
    const code = `setTimeout(() => require('fs').writeFileSync(${JSON.stringify(file)}, ''), 200); setInterval(() => {}, 1000)`;
    const child = nodeProcess(code, { ready: async () => existsSync(file) });
    await child.start();
    expect(existsSync(file)).toBe(true);
  });

  test('children end when their launcher is killed', async () => {
    const script = join(folder, 'launcher.js');
    const [command, ...args] = endsWithParent([process.execPath, '-e', 'setInterval(() => {}, 1000)']);
    writeFileSync(
      script,
      `const { spawn } = require('child_process');
       const child = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { detached: true, stdio: 'ignore' });
       setTimeout(() => { console.log(child.pid); }, 300); setInterval(() => {}, 1000);`,
    );
    const launcher = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise<string>((resolve) =>
      launcher.stdout.once('data', (data) => resolve(String(data))),
    );
    expect(isGone(Number(line))).toBe(false);
    launcher.kill('SIGKILL');
    await until(() => isGone(Number(line)));
  });
});
