import { spawn } from 'node:child_process';
import { get, type IncomingMessage } from 'node:http';
import { projectPath } from '#schemas/project-root';

/** A service whose own code throws where nobody catches, once somebody listens. */
const service = `
  const { runService } = require('#lib/service');
  const { startHealthServer } = require('#lib/health');
  const { redisAddress } = require('#lib/redis');
  void runService({
    name: 'failing',
    loadConfig: () => ({ logLevel: 'silent' }),
    start: async ({ telemetry }) => {
      const { port } = await startHealthServer({ registry: telemetry.registry, checks: {}, host: '127.0.0.1', port: 0 });
      process.on('message', () => setImmediate(() => redisAddress('no address')));
      return { http: port };
    },
  });`;

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const bytes of response) text += String(bytes);
  return text;
}

test('the last words of a service that fails where nobody catches have the place in our code', async () => {
  const child = spawn(process.execPath, ['--enable-source-maps', '-e', service], {
    cwd: projectPath(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    const { ports } = await new Promise<{ ports: { http: number } }>((resolve) =>
      child.once('message', (message) => resolve(message as never)),
    );
    const response = await new Promise<IncomingMessage>((resolve) =>
      get(`http://127.0.0.1:${ports.http}/last-words`, { agent: false }, resolve),
    );
    child.send('fail');
    const { exitCode, words } = JSON.parse(await textOf(response)) as { exitCode: number; words: string };
    expect([exitCode, await ended]).toEqual([1, 1]);
    expect(words).toMatch(/^TypeError: Invalid URL \(lib\/redis\.ts:\d+\)$/);
  } finally {
    child.kill('SIGKILL');
  }
}, 30_000);
