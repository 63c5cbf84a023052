import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { loadBindings, type ServerHandle } from '#native/triton/bindings';
import { TritonServer } from '#native/triton/triton-server';
import { projectPath } from '#schemas/project-root';
import {
  backendDirectory,
  coreLibrary,
  echoConfig,
  echoInputs,
  makeRepository,
  operations,
  type TestRepository,
} from './engine-repository';

jest.setTimeout(60_000);

let repository: TestRepository;
beforeAll(() => {
  repository = makeRepository({ echo: echoConfig() });
});
afterAll(() => repository.remove());

function start(): Promise<TritonServer> {
  return TritonServer.start({ coreLibrary, modelRepository: repository.folder, backendDirectory });
}

test('after the stop everything is refused, and a second stop is the first one', async () => {
  const server = await start();
  await server.loadModel('echo');
  const stopped = server.stop();
  expect(server.stop()).toBe(stopped);
  await stopped;
  const refused = { code: 'STOPPED' };
  await expect(server.infer({ model: 'echo', inputs: echoInputs([1]) })).rejects.toMatchObject(refused);
  await expect(server.loadModel('echo')).rejects.toMatchObject(refused);
  await expect(server.repositoryIndex()).rejects.toMatchObject(refused);
  expect(() => server.serverMetadata()).toThrow(expect.objectContaining(refused));
  expect(server.isLive()).toBe(false);
  expect(server.isModelReady('echo')).toBe(false);
});

test('a stop waits for requests in flight, and cancels those that outlast the grace', async () => {
  const server = await start();
  await server.loadModel('echo');
  const short = server.infer({ model: 'echo', inputs: echoInputs([3], operations.sleep, 20) });
  const long = server.infer({ model: 'echo', inputs: echoInputs([1], operations.sleep, 600_000) });
  const results = Promise.allSettled([short, long]);
  await server.stop(300);
  expect(await results).toMatchObject([
    { status: 'fulfilled', value: { version: '1' } },
    { status: 'rejected', reason: { code: 'CANCELLED' } },
  ]);
  expect(server.inFlight).toBe(0);
});

test('a server stops where it goes out of scope', async () => {
  const server = await start();
  await server[Symbol.asyncDispose]();
  expect(server.isLive()).toBe(false);
});

test('a value that is no handle is refused', () => {
  const bindings = loadBindings();
  for (const wrong of [undefined, null, 1, 'x', {}, Object.create(null), () => undefined, new Map()]) {
    expect(() => bindings.isLive(wrong as unknown as ServerHandle)).toThrow(
      expect.objectContaining({ code: 'WRONG_HANDLE' }),
    );
  }
});

test('arguments of other types are errors, not crashes', async () => {
  const bindings = loadBindings();
  const wrong = bindings as unknown as Record<string, (...values: unknown[]) => unknown>;
  expect(() => wrong['startServer']!()).toThrow(expect.objectContaining({ code: 'INVALID_ARG' }));
  expect(() => wrong['startServer']!({}, () => undefined)).toThrow(/settings.coreLibrary must be a string/);
  const settings = {
    coreLibrary,
    serverId: 'x',
    modelRepository: repository.folder,
    backendDirectory,
    repoAgentDirectory: backendDirectory,
    cacheDirectory: backendDirectory,
    minComputeCapability: 6,
    exitTimeoutSeconds: 5,
    loadThreads: 1,
    pythonRegionPrefix: '',
  };
  const handle = await bindings.startServer(settings, () => undefined);
  for (const values of [[], [1], ['echo'], ['echo', 1, 2], ['echo', -1, '', [{}], [], Buffer.alloc(1)]]) {
    expect(() => wrong['infer']!(handle, ...values)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARG' }),
    );
  }
  expect(() => wrong['cancel']!(handle, 'x')).toThrow(expect.objectContaining({ code: 'INVALID_ARG' }));
  expect(bindings.cancel(handle, 4_294_967_295)).toBe(false);
  expect(bindings.inFlight(handle)).toBe(0);
  await bindings.stopServer(handle);
});

test.each([
  ['an absent file', '/nowhere/libtritonserver.so', /cannot open shared object file/],
  ['a library that is no core', projectPath('build/native/backends/echo/libtriton_echo.so'), /TritonCore/],
  ['another API version', projectPath('build/native/tests/libold_core.so'), /C API 2\.0, needed is 1\.34/],
])('a core that does not fit is refused: %s', async (_name, library, message) => {
  const script = `
    const { TritonServer } = require(${JSON.stringify(projectPath('dist/native/triton/triton-server.js'))});
    TritonServer.start({ coreLibrary: ${JSON.stringify(library)}, modelRepository: '/tmp', backendDirectory: '/tmp' })
      .catch((error) => console.log(JSON.stringify({ code: error.code, message: error.message })));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
  expect(JSON.parse(stdout)).toMatchObject({ code: 'LOAD_FAILED', message: expect.stringMatching(message) });
});
