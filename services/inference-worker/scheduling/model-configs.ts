import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';
import { loadProtocol } from '#lib/engine-client/protocol';

export interface InstanceGroup {
  readonly kind: string;
  readonly count: number;
}

/** As the model's configuration has them. */
export interface Batching {
  readonly groups: readonly InstanceGroup[];
  /** 0: it does not batch. */
  readonly maxBatch: number;
}

interface ModelConfigResponse {
  readonly config?: { readonly instance_group: readonly InstanceGroup[]; readonly max_batch_size: number };
}

const timeoutMs = 5_000;

/** What an engine says of its models' configurations. */
export class ModelConfigs {
  private readonly client: Client;

  constructor(address: string) {
    this.client = new Client(address, credentials.createInsecure());
  }

  /** Rejects with what gRPC says. */
  batching(name: string): Promise<Batching> {
    const method = loadProtocol().inference['ModelConfig'] as MethodDefinition<object, ModelConfigResponse>;
    const { path, requestSerialize, responseDeserialize } = method;
    const options = { deadline: Date.now() + timeoutMs };
    return new Promise((resolve, reject) => {
      const onAnswer = (error: Error | null, answer?: ModelConfigResponse): void =>
        error === null ? resolve(batchingOf(answer)) : reject(error);
      this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        { name },
        new Metadata(),
        options,
        onAnswer,
      );
    });
  }

  close(): void {
    this.client.close();
  }
}

function batchingOf(answer: ModelConfigResponse | undefined): Batching {
  return { groups: answer?.config?.instance_group ?? [], maxBatch: answer?.config?.max_batch_size ?? 0 };
}
