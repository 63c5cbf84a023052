import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#schemas/project-root';
import { echoConfig, makeRepository, type TestRepository } from './engine-repository';

jest.setTimeout(60_000);

let repository: TestRepository;
let npm: ChildProcess | null = null;

beforeAll(() => {
  repository = makeRepository({ echo: echoConfig() });
});
afterAll(() => {
  endGroup();
  repository.remove();
});

/** Also of an npm that has ended: what it ran may be there still. */
function endGroup(): void {
  try {
    if (npm !== null) process.kill(-npm.pid!, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

/** `npm run` in a process group of its own, so that nothing but npm gets a signal. */
function startServer(): ChildProcess {
  return spawn('npm', ['run', '--silent', 'serve-models'], {
    cwd: projectPath(),
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      ROUNDHOUSE_MODELS_DIR: repository.folder,
      ROUNDHOUSE_WORKER_HTTP_PORT: '0',
      ROUNDHOUSE_WORKER_GRPC_PORT: '0',
      ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT: '0',
      ROUNDHOUSE_WORKER_METRICS_PORT: '0',
    },
  });
}

// npm hands a signal to its child only: a shell that stayed between them ended, and all that it had started went on.
test('who stops npm stops the server that it runs', async () => {
  npm = startServer();
  let output = '';
  npm.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
  const isReady = () => /"service":"serve-models".*"ServiceReady"/.test(output);
  while (!isReady()) await once(npm.stdout!, 'data');
  npm.kill('SIGTERM');
  // Closed when the last process that writes to it has ended.
  await once(npm, 'close');
  expect(output).toMatch(/"service":"serve-models".*"StopRequested","reason":"SIGTERM"/);
  expect(output).toMatch(/"service":"serve-models".*"ServiceStopped","exitCode":0/);
});
