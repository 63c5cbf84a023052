import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { deviceFaultExitCode } from '#lib/engine-client/exit-codes';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient, InferResponse } from '#lib/engine-client/port';
import { createTelemetry } from '#lib/telemetry';
import { connectOverShm } from '#services/inference-worker/data-plane/shm-engine-client';
import { workerEvents } from '#services/inference-worker/events';
import type { UnixMs } from '#schemas/brands';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { faultEnv, faultRequest, makeFaultModels, type FaultModels } from './fault-models';

jest.setTimeout(60_000);

const events = workerEvents(createTelemetry({ service: 'test', logLevel: 'silent' }));
const inSeconds = (seconds: number): UnixMs => (Date.now() + seconds * 1_000) as UnixMs;
const clients: EngineClient[] = [];
const engines: RunningEngine[] = [];
let models: FaultModels;

beforeAll(() => {
  models = makeFaultModels();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const engine of engines.splice(0)) await endEngine(engine);
});
afterAll(() => models.remove());

async function endEngine({ child }: RunningEngine): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

async function startEngine(env: Readonly<Record<string, string>> = faultEnv, folder = models.folder) {
  const engine = await startEngineProcess(folder, env);
  engines.push(engine);
  return engine;
}
function connect(kind: string, { address }: RunningEngine): EngineClient {
  const grpc = connectEngine({ address });
  const shm = { address, grpc, events, poolBytes: 16 * 1_048_576, whenEmpty: 'inline' } as const;
  const client = kind === 'grpc' ? grpc : connectOverShm(shm);
  clients.push(client);
  return client;
}
const textOf = ({ outputs }: InferResponse, name: string): string =>
  Buffer.from(outputs.find((output) => output.name === name)!.data).toString();

describe.each(['grpc', 'shm'])('over %s, an engine goes on', (kind) => {
  let engine: RunningEngine;
  beforeAll(async () => {
    engine = await startEngineProcess(models.folder, faultEnv);
  });
  afterAll(() => endEngine(engine));

  test('parameters reach the backend by kind; priority and timeout do not', async () => {
    const client = connect(kind, engine);
    const noted = { note_a: 'text, é', note_b: 7, note_c: -(2n ** 63n), note_d: 0.5, note_e: true };
    const answer = await client.infer(faultRequest({ ...noted, priority: 2, timeout: 9e6 }), inSeconds(20));
    expect(textOf(answer, 'OUT')).toBe('abc');
    const lines = textOf(answer, 'PARAMETERS').trimEnd().split('\n').sort();
    expect(lines).toEqual([
      'note_a string text, é',
      'note_b int 7',
      'note_c int -9223372036854775808',
      'note_d double 0.500000',
      'note_e bool true',
    ]);
    expect(textOf(await client.infer(faultRequest(), inSeconds(20)), 'PARAMETERS')).toBe('');
  });

  const tooMany = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`note_${i}`, i]));
  const badParameters = [
    [{ delay: 5 }, 'parameters["delay"]: no such fault'],
    [{ delay_ms: 0.5 }, 'parameters["delay_ms"]: must be a whole number'],
    [{ delay_ms: -1 }, 'parameters["delay_ms"]: must be a whole number'],
    [{ exit: 256 }, 'parameters["exit"]: must be a whole number from 0 to 255'],
    [{ illegal_address: true }, 'parameters["illegal_address"]: needs a GPU and a build with CUDA'],
    [{ hang: 1 }, 'parameters["hang"]: must be a bool'],
    [{ busy: 1 }, 'parameters["busy"]: must be a bool'],
    [{ fail: true }, 'parameters["fail"]: must be a text'],
    [{ priority: 'high' }, 'parameters["priority"]: must be a whole number, 0 or above'],
    [{ timeout: -1 }, 'parameters["timeout"]: must be a whole number, 0 or above'],
    [{ sequence_id: 4 }, 'parameters["sequence_id"]: sequences are not supported'],
    [{ triton_a: 4 }, 'parameters["triton_a"]: names that begin with triton_ are reserved'],
    [{ '': 4 }, 'parameters[""]: an empty name'],
    [{ note_a: 'a\0b' }, 'parameters["note_a"]: a text with a NUL'],
    [{ note_a: 2n ** 63n }, 'parameters["note_a"]: no int64 holds it'],
    [{ note_a: 'x'.repeat(16_384) }, 'parameters["note_a"]: with it there are more than 16384 bytes'],
    [tooMany, 'parameters: more than 64 of them'],
  ] as const;
  test('what is no parameter is refused by name, and the engine goes on', async () => {
    const client = connect(kind, engine);
    for (const [parameters, message] of badParameters) {
      await expect(client.infer(faultRequest(parameters), inSeconds(20))).rejects.toMatchObject({
        code: 'PAYLOAD_INVALID',
        message: expect.stringContaining(message),
      });
    }
    expect(textOf(await client.infer(faultRequest(), inSeconds(20)), 'OUT')).toBe('abc');
  });

  test('a failure has the code that its message begins with', async () => {
    const client = connect(kind, engine);
    const codeOf = (fail: string) => client.infer(faultRequest({ fail }), inSeconds(20));
    await expect(codeOf('out of luck')).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: 'out of luck',
    });
    await expect(codeOf('TRAVEL_MATRIX_UNKNOWN: ab')).rejects.toMatchObject({
      code: 'TRAVEL_MATRIX_UNKNOWN',
      message: 'ab',
    });
  });

  // Last, since two instances hang afterwards.
  test('a delay ends with the deadline, a hang holds one instance alone', async () => {
    const client = connect(kind, engine);
    for (const fault of [{ delay_ms: 600_000 }, { delay_ms: 600_000, ignore_cancel: true }, { hang: true }]) {
      await expect(client.infer(faultRequest(fault), inSeconds(0.2))).rejects.toMatchObject({
        code: 'DEADLINE_EXCEEDED',
      });
    }
    // Two of four instances are held; the cancelled delay let go of the third.
    const others = [1, 2, 3, 4].map(() => client.infer(faultRequest({ delay_ms: 1 }), inSeconds(20)));
    expect((await Promise.all(others)).map((answer) => textOf(answer, 'OUT'))).toEqual(Array(4).fill('abc'));
  });
});

describe.each(['grpc', 'shm'])('over %s, an engine ends', (kind) => {
  test('a broken device is said, fails every later request, and ends the engine with a code of its own', async () => {
    const engine = await startEngine();
    const ended = new Promise((resolve) => engine.child.once('close', (...end) => resolve(end)));
    const client = connect(kind, engine);
    const broken = client.infer(faultRequest({ device_fault: true }), inSeconds(20));
    await expect(broken).rejects.toMatchObject({ code: 'DEVICE_FAULT' });
    // Until it has ended; then there is nobody to ask.
    expect(await client.isReady()).toBe(false);
    for (const parameters of [{}, { note_a: 1 }]) {
      await expect(client.infer(faultRequest(parameters), inSeconds(20))).rejects.toMatchObject({
        code: expect.stringMatching(/^(DEVICE_FAULT|ENGINE_LOST)$/),
      });
    }
    expect(await ended).toEqual([deviceFaultExitCode, null]);
  });

  test.each([
    [{ exit: 7 }, 7, null],
    [{ abort: true }, null, 'SIGABRT'],
    [{ segfault: true }, null, 'SIGSEGV'],
    [{ delay_ms: 5, exit: 0 }, 0, null],
  ])('%p ends the engine; the request is lost', async (fault, code, signal) => {
    const engine = await startEngine();
    const ended = new Promise((resolve) => engine.child.once('close', (...end) => resolve(end)));
    await expect(connect(kind, engine).infer(faultRequest(fault), inSeconds(20))).rejects.toMatchObject({
      code: 'ENGINE_LOST',
    });
    expect(await ended).toEqual([code, signal]);
  });
});

function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4_096;
}

test('a leak stays', async () => {
  const engine = await startEngine();
  const client = connect('grpc', engine);
  await client.infer(faultRequest(), inSeconds(20));
  const before = residentBytes(engine.child.pid!);
  // 4 times 16 MiB, all of it touched; the rest of the engine moves by less than 8 MiB meanwhile.
  for (let i = 0; i < 4; ++i) await client.infer(faultRequest({ leak_bytes: 2 ** 24 }), inSeconds(20));
  expect(residentBytes(engine.child.pid!) - before).toBeGreaterThan(56 * 1_048_576);
});

test('without the switch the model does not load, and the reason says what is missing', async () => {
  const engine = await startEngine({});
  const rejected = engine.log.find(({ event }) => event === 'ModelRejected');
  expect(rejected).toMatchObject({
    model: 'fault_injection',
    reason: expect.stringMatching(/loads only with ROUNDHOUSE_FAULT_INJECTION=1/),
  });
  const client = connect('grpc', engine);
  expect(await client.isReady()).toBe(false);
  await expect(client.infer(faultRequest({ exit: 1 }), inSeconds(20))).rejects.toMatchObject({
    code: 'MODEL_UNAVAILABLE',
  });
});

test('it serves beside the shipped models', async () => {
  const both = makeFaultModels(true);
  const engine = await startEngine(faultEnv, both.folder);
  const client = connect('grpc', engine);
  expect(await client.isReady()).toBe(true);
  expect(await client.isModelReady('candidate_cost')).toBe(true);
  expect(engine.log.map(({ event }) => event)).toContain('FaultInjectionEnabled');
  expect(textOf(await client.infer(faultRequest(), inSeconds(20)), 'OUT')).toBe('abc');
  both.remove();
});
