import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { connectEngine } from '#lib/engine-client/grpc';
import { projectPath } from '#schemas/project-root';

const toolchain = projectPath('.roundhouse', 'toolchain', 'triton');
const program = join(toolchain, 'pytriton', 'tritonserver', 'bin', 'tritonserver');

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

/** The wheel's own server with our backends: no code of ours but those runs in it. Rejects with its last words. */
export async function startStandaloneTriton(
  repository: string,
  models: readonly string[],
): Promise<StandaloneTriton> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const args = [
    ...['--model-repository', repository, '--backend-directory', projectPath('build', 'native', 'backends')],
    ...['--model-control-mode', 'explicit', ...models.flatMap((model) => ['--load-model', model])],
    ...[
      '--grpc-address',
      '127.0.0.1',
      '--grpc-port',
      String(port),
      '--allow-http',
      '0',
      '--allow-metrics',
      '0',
    ],
  ];
  const libraries = [join(toolchain, 'nvidia_pytriton.libs'), process.env['LD_LIBRARY_PATH'] ?? ''];
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: libraries.filter((folder) => folder !== '').join(delimiter),
  };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-20_000)));
  const ended = once(child, 'exit');
  const client = connectEngine({ address, controlTimeoutMs: 1_000 });
  const isReady = async () =>
    (await Promise.all(models.map((model) => client.isModelReady(model)))).every(Boolean);
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the stand-alone server ended: ${words}`);
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
