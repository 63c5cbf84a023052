import { Client, credentials, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import { dataPlaneSocket } from '#lib/engine-client/data-plane';
import { connectEngine } from '#lib/engine-client/grpc';
import { loadProtocol } from '#lib/engine-client/protocol';
import { ShmSession } from '#native/shm/shm-session';
import type { UnixMs } from '#schemas/brands';
import type { NamedTensor } from '#schemas/domain';
import { requestTimeoutMs, type ModelStatistics, type Target } from './target';
import type { BenchTensor, InputMetadata } from './tensors';

type Names = 'ModelMetadata' | 'ModelStatistics';
const maxMessageBytes = 1 << 30;
const named = (tensors: readonly BenchTensor[]) => tensors as unknown as readonly NamedTensor[];

function ask<Answer>(client: Client, method: Names, name: string): Promise<Answer> {
  const { path, requestSerialize, responseDeserialize } = loadProtocol().inference[
    method
  ] as MethodDefinition<object, Answer>;
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + 10_000;
    const onAnswer = (error: ServiceError | null, answer?: Answer): void =>
      error === null ? resolve(answer as Answer) : reject(new Error(error.details));
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { name, version: '' },
      { deadline },
      onAnswer,
    );
  });
}

function questions(address: string, model: string) {
  const client = new Client(address, credentials.createInsecure());
  return {
    inputs: async () => (await ask<{ inputs: InputMetadata[] }>(client, 'ModelMetadata', model)).inputs,
    statistics: async () =>
      (await ask<{ model_stats: ModelStatistics[] }>(client, 'ModelStatistics', model)).model_stats,
    close: () => client.close(),
  };
}

export function grpcTarget(address: string, model: string): Target {
  const asks = questions(address, model);
  const engine = connectEngine({ address, maxMessageBytes });
  return {
    ...asks,
    prepare(tensors) {
      const request = { model, version: '', requestId: '', inputs: named(tensors) };
      return async () => void (await engine.infer(request, (Date.now() + requestTimeoutMs) as UnixMs));
    },
    async close() {
      asks.close();
      await engine.close();
    },
  };
}

/** Questions over gRPC, tensors through shared memory. */
export async function shmTarget(address: string, model: string): Promise<Target> {
  const asks = questions(address, model);
  const socketPath = dataPlaneSocket(address.replace(/^unix:/, ''));
  const session = await ShmSession.open({ socketPath, whenEmpty: 'wait' });
  return {
    ...asks,
    prepare(tensors) {
      const request = { model, version: -1, requestId: '', inputs: named(tensors), parameters: [] };
      return async () => {
        const call = { deadlineMs: Date.now() + requestTimeoutMs, keep: true };
        (await session.infer(request, call)).release();
      };
    },
    async close() {
      asks.close();
      await session.close();
    },
  };
}
