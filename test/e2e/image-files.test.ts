import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OrderId, UnixMs } from '#schemas/brands';
import { projectPath } from '#schemas/project-root';
import { RoundhouseClient } from '../../client';
import { buildCourier, buildOrder, buildRound, buildStop } from '../support/build-round';
import { imageSettings, layOutImage } from '../support/image-files';
import { anyPorts, ReadyProcess } from '../support/ready-process';
import { startStack } from '../support/stack';

/**
 * Every service out of exactly the files that the Dockerfile copies, without development packages, as user 1000 without
 * capabilities, on a file system that is read-only but for /tmp and /var/lib/roundhouse: what Compose and the chart ask for.
 * The rest of the system is this machine's: an image is not built here.
 */
const script = projectPath('test', 'support', 'as-container.sh');
const services = ['ingest', 'inference-worker', 'aggregator', 'ops'] as const;

function whyNot(): string | null {
  if (process.getuid?.() !== 0) return 'only root may make mounts of its own';
  try {
    execFileSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs none /mnt && setpriv --version']);
    return null;
  } catch (error) {
    return `no mounts of one's own here: ${(error as Error).message}`;
  }
}

const reason = whyNot();
const onlyHere = reason === null ? describe : describe.skip;

onlyHere(`the files of the image${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  let folder: string;
  let inContainer: (command: readonly string[]) => [command: string, args: string[]];
  const running = new Map<string, ReadyProcess>();
  const stack = startStack('image');
  const { PATH } = process.env;
  const env = {
    PATH,
    ...imageSettings('Dockerfile'),
    ...stack.env,
    ...anyPorts,
    ROUNDHOUSE_BIND_HOST: '127.0.0.1',
    // Backends know it by the place where they were built, which is /roundhouse only in the image.
    ROUNDHOUSE_ONNXRUNTIME:
      '/roundhouse/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1',
  };

  function start(service: string, more: Record<string, string> = {}): Promise<ReadyProcess> {
    const [command, args] = inContainer([
      '/node',
      '--enable-source-maps',
      `dist/services/${service}/main.js`,
    ]);
    const logFile = join(folder, `${service}.log`);
    return ReadyProcess.start({ name: service, command, args, cwd: '/', env: { ...env, ...more }, logFile });
  }

  beforeAll(async () => {
    mkdirSync(projectPath('.roundhouse'), { recursive: true });
    folder = mkdtempSync(projectPath('.roundhouse', 'image-'));
    const [root, image] = [join(folder, 'root'), join(folder, 'image')];
    mkdirSync(root);
    layOutImage('Dockerfile', image);
    inContainer = (command) => [
      'unshare',
      ['--mount', 'sh', script, root, image, process.execPath, ...command],
    ];
    for (const service of ['ingest', 'inference-worker', 'aggregator'])
      running.set(service, await start(service));
    const targets = [...running].map(([name, { httpPort }]) => `${name}=http://127.0.0.1:${httpPort}`).join();
    running.set(
      'ops',
      await start('ops', { ROUNDHOUSE_OPS_HTTP_PORT: '0', ROUNDHOUSE_OPS_TARGETS: targets }),
    );
  }, 120_000);

  afterAll(() => {
    for (const process of running.values()) process.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test('decide a round whole', async () => {
    const client = new RoundhouseClient({ url: `http://127.0.0.1:${running.get('ingest')!.httpPort}` });
    const { decision } = await client.dispatch(
      buildRound({
        deadline: (Date.now() + 30_000) as UnixMs,
        couriers: [buildCourier('c')],
        orders: [
          buildOrder('o', {
            orderId: 'o' as OrderId,
            pickup: buildStop('restaurant', 500, 0),
            dropoff: buildStop('home', 900, 100),
            known: { ready: false, pickupWait: false, handover: false },
          }),
        ],
      }),
    );
    expect(decision.content.coverage).toBe(1);
  });

  test.each(services)('%s is healthy to the check of its container', async (service) => {
    const port = String(running.get(service)!.httpPort);
    const [command, args] = inContainer(['/node', 'scripts/container-health.mjs', port]);
    await expect(promisify(execFile)(command, args)).resolves.toBeDefined();
  });

  test('serve the console with what its page asks for', async () => {
    const console = `http://127.0.0.1:${running.get('ops')!.httpPort}`;
    const page = await fetch(console);
    const text = await page.text();
    const asked = [...text.matchAll(/(?:src|href)="(\/?[^"#:]+)"/g)].map(([, path]) => path!);
    expect(page.status).toBe(200);
    expect(asked).not.toEqual([]);
    const answers = await Promise.all(asked.map((path) => fetch(new URL(path, console))));
    expect(answers.map(({ status, url }) => `${status} ${url}`)).toEqual(
      answers.map(({ url }) => `200 ${url}`),
    );
  });

  test('stop in order, and wrote nowhere else', async () => {
    const ends = [...running].map(async ([name, process]) => `${name}: ${await process.stop()}`);
    expect(await Promise.all(ends)).toEqual(services.map((name) => `${name}: 0`));
    const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
    const text = logs.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
    expect(text.split('\n').filter((line) => /EROFS|EACCES|EPERM/.test(line))).toEqual([]);
  });
});
