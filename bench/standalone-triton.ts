import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { connectEngine } from '#lib/engine-client/grpc';
import { projectPath } from '#schemas/project-root';

/** What it takes to load its models, plans of TensorRT included. */
const readyWithinMs = 60_000;

interface StandaloneOptions {
  readonly repository: string;
  readonly models: readonly string[];
  /** Of the build whose backends it loads. */
  readonly build?: string;
  /** With the unpacked wheel in `triton`. */
  readonly toolchain?: string;
}

export interface StandaloneTriton {
  readonly address: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function argumentsOf({ repository, models, build }: StandaloneOptions, port: number): string[] {
  const backends = join(build ?? projectPath('build', 'native'), 'backends');
  return [
    ...['--model-repository', repository, '--backend-directory', backends],
    ...['--model-control-mode', 'explicit', ...models.flatMap((model) => ['--load-model', model])],
    ...['--grpc-address', '127.0.0.1', '--grpc-port', String(port)],
    ...['--allow-http', '0', '--allow-metrics', '0'],
  ];
}

function spawnServer(options: StandaloneOptions, port: number): ChildProcess {
  const wheel = join(options.toolchain ?? projectPath('.roundhouse', 'toolchain'), 'triton');
  const libraries = [join(wheel, 'nvidia_pytriton.libs'), process.env['LD_LIBRARY_PATH'] ?? ''];
  const path = libraries.filter((folder) => folder !== '').join(delimiter);
  return spawn(join(wheel, 'pytriton', 'tritonserver', 'bin', 'tritonserver'), argumentsOf(options, port), {
    env: { ...process.env, LD_LIBRARY_PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** The wheel's own server with our backends: no code of ours but those runs in it. Rejects with its last words. */
export async function startStandaloneTriton(options: StandaloneOptions): Promise<StandaloneTriton> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const child = spawnServer(options, port);
  let words = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-20_000)));
  const ended = once(child, 'exit');
  const client = connectEngine({ address, controlTimeoutMs: 1_000 });
  const isReady = async () =>
    (await Promise.all(options.models.map((model) => client.isModelReady(model)))).every(Boolean);
  const until = Date.now() + readyWithinMs;
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`the stand-alone server is not ready: ${words}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await client.close();
  return {
    address,
    process: child,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
