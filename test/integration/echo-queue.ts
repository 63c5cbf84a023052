import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { createTelemetry } from '#lib/telemetry';
import { connectOverShm } from '#services/inference-worker/data-plane/shm-engine-client';
import { workerEvents } from '#services/inference-worker/events';
import type { UnixMs } from '#schemas/brands';
import { AdmissionView, Releases } from './engine-admission';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoInputs, makeRepository, operations, type TestRepository } from './engine-repository';

/** One instance that takes one request at a time: whoever has it keeps all others out. */
export const oneAtATime = `backend: "echo" max_batch_size: 1
input [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "control" data_type: TYPE_INT32 dims: [ 2 ] } ]
output [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "sum" data_type: TYPE_INT64 dims: [ 1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]`;

export const minute = 60_000;
export const inMs = (ms: number): UnixMs => (Date.now() + ms) as UnixMs;

/** An engine with the model echo, which takes one request at a time and lets three wait; requests end when told to. */
export class EchoQueue {
  readonly releases = new Releases();
  readonly telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
  readonly events = workerEvents(this.telemetry);
  readonly repository: TestRepository = makeRepository({ echo: oneAtATime });
  engine!: RunningEngine;
  admission!: AdmissionView;
  private readonly clients: EngineClient[] = [];

  async start(): Promise<void> {
    this.engine = await startEngineProcess(this.repository.folder, {
      ROUNDHOUSE_ENGINE_MAX_QUEUED: '3',
      ECHO_RELEASES: this.releases.folder,
    });
    this.admission = new AdmissionView(this.engine.address);
  }

  connect(kind: string): EngineClient {
    const { address } = this.engine;
    const grpc = connectEngine({ address });
    const poolBytes = 64 * 1_048_576;
    const { events } = this;
    const client =
      kind === 'grpc' ? grpc : connectOverShm({ address, grpc, events, poolBytes, whenEmpty: 'inline' });
    this.clients.push(client);
    return client;
  }

  /** A request that has the only instance until it is released, whatever becomes of its caller. */
  hold(client: EngineClient, ms = minute, more: object = {}) {
    const name = this.releases.next();
    const inputs = echoInputs([1], operations.hold, name);
    const answer = client.infer({ model: 'echo', version: '', requestId: 'h', inputs, ...more }, inMs(ms));
    answer.catch(() => undefined);
    return { answer, release: () => this.releases.release(name) };
  }

  async stop(): Promise<void> {
    for (const client of this.clients) await client.close();
    this.admission.close();
    await this.engine.stop();
    this.repository.remove();
    this.releases.remove();
  }
}
