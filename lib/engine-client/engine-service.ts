import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';
import { loadProtocol } from './protocol';

/** What an engine of ours says beside the inference protocol (schemas/proto/engine.proto). */
export class EngineService {
  private readonly client: Client;

  constructor(readonly address: string) {
    this.client = new Client(address, credentials.createInsecure());
  }

  /** Rejects with what gRPC says. */
  ask<Answer>(name: 'Admission' | 'Work' | 'Memory' | 'Metrics', timeoutMs: number): Promise<Answer> {
    const method = loadProtocol().engine[name] as MethodDefinition<object, Answer>;
    const { path, requestSerialize: serialize, responseDeserialize: deserialize } = method;
    const options = { deadline: Date.now() + timeoutMs };
    return new Promise((resolve, reject) => {
      const onAnswer = (error: Error | null, answer?: Answer): void =>
        error === null ? resolve(answer as Answer) : reject(error);
      this.client.makeUnaryRequest(path, serialize, deserialize, {}, new Metadata(), options, onAnswer);
    });
  }

  close(): void {
    this.client.close();
  }
}
