import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deviceFaultExitCode } from '#lib/engine-client/exit-codes';
import { connectEngine } from '#lib/engine-client/grpc';
import { projectPath } from '#schemas/project-root';
import { startEngineProcess } from './engine-process';

jest.setTimeout(60_000);

const models = projectPath('models');
/** Of the C++ tests: libcuda.so.1 with as many GPUs as FAKE_GPUS says, which nothing can compute on. */
const fakeDriver = projectPath('build', 'native', 'test', 'native', 'gpu_watch');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-devices-'));
  cpSync(projectPath('build', 'native', 'backends'), join(folder, 'backends'), { recursive: true });
  writeFileSync(join(folder, 'backends', 'built-for.json'), '{ "cudaArchitectures": [90] }');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const withFakeGpus = (count: number): Record<string, string> => ({
  LD_LIBRARY_PATH: fakeDriver,
  FAKE_GPUS: String(count),
  FAKE_GPU_BROKEN_BY: join(folder, 'broken'),
  ROUNDHOUSE_ENGINE_BACKENDS_DIR: join(folder, 'backends'),
});

const start = (env: Record<string, string>) => startEngineProcess(models, env);

test('hides the GPUs where the CPU is asked for, and serves', async () => {
  const engine = await start({ ...withFakeGpus(2), ROUNDHOUSE_DEVICES: 'cpu' });
  const client = connectEngine({ address: engine.address });
  expect(await client.isReady()).toBe(true);
  await client.close();
  expect(engine.log).toContainEqual(
    expect.objectContaining({ event: 'DevicesChosen', device: 'cpu', gpus: [] }),
  );
  expect(await engine.stop()).toBe(0);
});

test('a GPU that is named and absent is a fault of the configuration that names it', async () => {
  const message = 'ROUNDHOUSE_DEVICES names GPU 2, which is absent or refused by its driver';
  await expect(start({ ...withFakeGpus(2), ROUNDHOUSE_DEVICES: '0,1,2' })).rejects.toMatchObject({
    code: 2,
    message: expect.stringContaining(message) as string,
  });
});

test('a named GPU is refused where the backends know only the CPU', async () => {
  const backends = join(folder, 'cpu-only');
  cpSync(join(folder, 'backends'), backends, { recursive: true });
  writeFileSync(join(backends, 'built-for.json'), '{ "cudaArchitectures": [] }');
  const env = { ROUNDHOUSE_DEVICES: '0', ROUNDHOUSE_ENGINE_BACKENDS_DIR: backends };
  await expect(start(env)).rejects.toMatchObject({
    code: 2,
    message: expect.stringContaining('names GPU 0, but the backends were built without CUDA') as string,
  });
});

test('an engine whose GPU breaks ends by itself, without a request, and says why', async () => {
  const engine = await start(withFakeGpus(1));
  expect(engine.log).toContainEqual(
    expect.objectContaining({ event: 'DevicesChosen', device: 'Fake 0', gpus: ['Fake 0'], unused: '' }),
  );
  let words = '';
  engine.child.stderr!.on('data', (text: Buffer) => (words += text.toString()));
  const closed = once(engine.child, 'close');
  writeFileSync(join(folder, 'broken'), '');
  expect(await closed).toEqual([deviceFaultExitCode, null]);
  expect(words).toContain('DEVICE_FAULT: GPU 0: an illegal memory access was encountered');
});
