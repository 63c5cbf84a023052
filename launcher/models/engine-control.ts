import { Client, credentials, Metadata, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import type { GrpcChannel } from '#lib/client-tls';
import { roundhouseErrorOf } from '#lib/engine-client/grpc-errors';
import type { ModelState } from '#lib/engine-client/port';
import { loadProtocol } from '#lib/engine-client/protocol';
import { contentHashParameter } from '#lib/model-repository';
import { RoundhouseError } from '#schemas/errors';

const inTheClear: GrpcChannel = { credentials: credentials.createInsecure(), options: {} };
const askMs = 5_000;
const loadMs = 600_000;

interface ConfigAnswer {
  readonly config?: { readonly parameters?: Readonly<Record<string, { readonly string_value: string }>> };
}

/** The model operations of an engine, by the KServe protocol of a worker or of an engine itself. */
export class EngineControl {
  private readonly client: Client;
  private readonly metadata = new Metadata();

  constructor(
    readonly url: string,
    channel: GrpcChannel = inTheClear,
  ) {
    if (channel.credential) this.metadata.set('authorization', `Bearer ${channel.credential.reveal()}`);
    this.client = new Client(url, channel.credentials, { ...channel.options, 'grpc.enable_http_proxy': 0 });
  }

  async index(): Promise<readonly ModelState[]> {
    const { models } = await this.call<{ models: ModelState[] }>('RepositoryIndex', {}, askMs);
    return models;
  }

  async load(model: string, reload = false): Promise<void> {
    const parameters = reload ? { reload: { bool_param: true } } : {};
    await this.call('RepositoryModelLoad', { model_name: model, parameters }, loadMs);
  }

  async unload(model: string): Promise<void> {
    await this.call('RepositoryModelUnload', { model_name: model }, askMs);
  }

  /** Of the version folder when the engine loaded it; null where it isn't served, or by a stock Triton server. */
  async contentHash(name: string, version: string): Promise<string | null> {
    try {
      const { config } = await this.call<ConfigAnswer>('ModelConfig', { name, version }, askMs);
      return config?.parameters?.[contentHashParameter]?.string_value ?? null;
    } catch (error) {
      if (error instanceof RoundhouseError && error.code === 'MODEL_UNAVAILABLE') return null;
      throw error;
    }
  }

  close(): void {
    this.client.close();
  }

  private call<Answer>(method: string, request: object, timeoutMs: number): Promise<Answer> {
    const definition = loadProtocol().inference[method] as MethodDefinition<object, Answer>;
    const { path, requestSerialize, responseDeserialize } = definition;
    return new Promise((resolve, reject) => {
      const onAnswer = (error: ServiceError | null, answer?: Answer): void => {
        if (error === null) resolve(answer as Answer);
        else reject(this.named(error));
      };
      const options = { deadline: Date.now() + timeoutMs };
      const [write, read] = [requestSerialize, responseDeserialize];
      this.client.makeUnaryRequest(path, write, read, request, this.metadata, options, onAnswer);
    });
  }

  /** The library's words for a port that nobody listens on name no port that was asked for. */
  private named(error: ServiceError): RoundhouseError {
    const { code, message } = roundhouseErrorOf(error);
    const isAbsent = code === 'ENGINE_LOST' && message.includes('ECONNREFUSED');
    const help = 'nobody listens there; `npm start -- --serve` starts a worker, --url names another';
    return new RoundhouseError(code, `${this.url}: ${isAbsent ? help : message}`, [], { cause: error });
  }
}
