import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import type { RequestParameters } from '#lib/engine-client/request-parameters';
import { createTelemetry } from '#lib/telemetry';
import { connectOverShm } from '#services/inference-worker/data-plane/shm-engine-client';
import { workerEvents } from '#services/inference-worker/events';
import type { UnixMs } from '#schemas/brands';
import { AdmissionView } from './engine-admission';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { makeRepository } from './engine-repository';

jest.setTimeout(60_000);

const config = `backend: "fault_injection" max_batch_size: 0
input [ { name: "IN" data_type: TYPE_UINT8 dims: [ -1 ] } ]
output [ { name: "OUT" data_type: TYPE_UINT8 dims: [ -1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]`;
const events = workerEvents(createTelemetry({ service: 'test', logLevel: 'silent' }));

interface Setting {
  readonly engine: RunningEngine;
  readonly admission: AdmissionView;
  readonly clients: Readonly<Record<'grpc' | 'shm', EngineClient>>;
  end(): Promise<void>;
}

async function start(): Promise<Setting> {
  const repository = makeRepository({ fault_injection: config });
  const engine = await startEngineProcess(repository.folder, { ROUNDHOUSE_FAULT_INJECTION: '1' });
  const { address } = engine;
  const grpc = connectEngine({ address });
  const poolBytes = 8 * 1_048_576;
  const shm = connectOverShm({
    address,
    grpc: connectEngine({ address }),
    events,
    poolBytes,
    whenEmpty: 'inline',
  });
  const admission = new AdmissionView(address);
  const end = async (): Promise<void> => {
    await Promise.all([grpc.close(), shm.close()]);
    admission.close();
    repository.remove();
  };
  return { engine, admission, clients: { grpc, shm }, end };
}

function send(client: EngineClient, seconds: number, parameters: RequestParameters = {}) {
  const inputs = [{ name: 'IN', datatype: 'UINT8' as const, shape: [1], data: Buffer.from([7]) }];
  const request = { model: 'fault_injection', version: '', requestId: 'r', inputs, parameters };
  return client.infer(request, (Date.now() + seconds * 1_000) as UnixMs);
}

/** The full run has the time of issue 4. */
const jobSeconds = process.env['TEST_FULL'] === '1' ? 9 : 4;

test(`a shard with 1 s left behind a ${jobSeconds} s job is given back at 1 s, over both ways in`, async () => {
  const { engine, admission, clients, end } = await start();
  const ends: string[] = [];
  const note = (name: string) =>
    [() => ends.push(name), ({ code }: { code: string }) => ends.push(`${name} ${code}`)] as const;
  // It takes no notice of anything for so long.
  const job = send(clients.grpc, 60, { delay_ms: jobSeconds * 1_000, ignore_cancel: true }).then(
    ...note('job'),
  );
  await admission.until(1, 0);
  const behind = [
    send(clients.grpc, 1).then(...note('grpc')),
    send(clients.shm, 1).then(...note('shm')),
    // The caller would wait for a minute.
    send(clients.grpc, 60, { timeout: 1_000_000 }).then(...note('grpc, timeout')),
    send(clients.shm, 60, { timeout: 1_000_000 }).then(...note('shm, timeout')),
  ];
  await Promise.all(behind);
  expect([...ends].sort()).toEqual(
    ['grpc', 'grpc, timeout', 'shm', 'shm, timeout'].map((name) => `${name} DEADLINE_EXCEEDED`),
  );
  expect(await admission.now()).toMatchObject({ in_core: 1, queued: 0 });
  await job;
  expect(ends.at(-1)).toBe('job');
  await end();
  expect(await engine.stop()).toBe(0);
});

test('an engine that stops drops what waits, and ends well', async () => {
  const { engine, admission, clients, end } = await start();
  // Ten minutes: only a cancellation ends it.
  const running = send(clients.shm, 60, { delay_ms: 600_000 });
  await admission.until(1, 0);
  const waiting = [
    send(clients.grpc, 60),
    send(clients.shm, 60),
    send(clients.shm, 60, { delay_ms: 600_000 }),
  ];
  await admission.until(1, 3);
  const ends = Promise.allSettled([running, ...waiting]);
  expect(await engine.stop()).toBe(0);
  for (const result of await ends) expect(result).toMatchObject({ reason: { code: 'ENGINE_LOST' } });
  await end();
});
