import { Metadata, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import {
  decodeInferResponse,
  encodeInferRequest,
  type DecodedInfer,
} from '#lib/engine-client/infer-messages';
import type { Lanes } from '#lib/engine-client/lanes';
import { asIs } from '#lib/opaque-method';
import { projectPath } from '#schemas/project-root';
import type { ModelOperation, WantedModels } from '../../sentinel/wanted-models';
import type { EngineConnection } from '../engine-connection';
import { lostCall } from '../lost-call';
import { engineDown, faultOfCall, HttpFault, unavailable } from './http-fault';
import type { HttpInfer } from './infer-request';

export interface CallLimits {
  readonly maxMessageBytes: number;
  /** For questions. */
  readonly controlTimeoutMs: number;
  /** For inference without a `timeout` of its own, and for loads. */
  readonly workTimeoutMs: number;
}

/** The engine answers a request's own time-out itself, with a better text than ours; ours comes so much later. */
const graceMs = 500;

/** As JSON has it: absent messages are null, no names of choices. */
function loadInferenceMethods(): ServiceDefinition {
  const options = { keepCase: true, longs: Number, enums: String, defaults: true };
  const definitions = loadSync(projectPath('schemas', 'proto', 'kserve.proto'), options);
  return definitions['inference.GRPCInferenceService'] as ServiceDefinition;
}

/** Calls of the active engine. Failures are HttpFault; a caller that goes away cancels its call. */
export class EngineCalls {
  private readonly methods = loadInferenceMethods();

  constructor(
    private readonly connection: EngineConnection,
    private readonly whyDown: () => string | null,
    private readonly limits: CallLimits,
    private readonly models?: WantedModels,
  ) {}

  ask<Answer>(name: string, request: object, gone: AbortSignal): Promise<Answer> {
    return this.control(name, request, this.limits.controlTimeoutMs, gone);
  }

  /**
   * A load or unload. The engine carries it out also when the caller has gone: so its end is awaited, and noted
   * for the engine's successors. One of an engine that is replaced by now was for nothing.
   */
  async order(operation: ModelOperation, request: object): Promise<void> {
    const client = this.client();
    const method = operation.kind === 'load' ? 'RepositoryModelLoad' : 'RepositoryModelUnload';
    await this.control(method, request, this.limits.workTimeoutMs, new AbortController().signal);
    if (this.connection.get() !== client) throw engineDown(this.whyDown());
    await this.models?.note(operation);
  }

  private control<Answer>(name: string, request: object, timeoutMs: number, gone: AbortSignal) {
    const method = this.methods[name] as MethodDefinition<object, Answer>;
    const { path, requestSerialize, responseDeserialize } = method;
    return this.call(path, requestSerialize, responseDeserialize, request, timeoutMs, gone);
  }

  async infer(
    { message, timeoutUs }: HttpInfer,
    gone: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<DecodedInfer> {
    const bytes = encodeInferRequest(message);
    const limit = this.limits.maxMessageBytes;
    if (bytes.length > limit) {
      throw new HttpFault(413, `the request has ${bytes.length} bytes for the engine, its limit is ${limit}`);
    }
    const most = this.limits.workTimeoutMs;
    const timeoutMs = timeoutUs === undefined ? most : Math.min(most, timeoutUs / 1_000 + graceMs);
    const path = this.methods['ModelInfer']!.path;
    return decodeInferResponse(await this.call(path, asIs, asIs, bytes, timeoutMs, gone, headers));
  }

  private faultOf(error: ServiceError): HttpFault {
    const lost = lostCall(error, this.whyDown);
    return lost === null ? faultOfCall(error) : unavailable(lost);
  }

  private client(): Lanes {
    const client = this.connection.get();
    if (client === null) throw engineDown(this.whyDown());
    return client;
  }

  private async call<Request, Answer>(
    path: string,
    serialize: (request: Request) => Buffer,
    deserialize: (bytes: Buffer) => Answer,
    request: Request,
    timeoutMs: number,
    gone: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const client = this.client();
    const deadline = Date.now() + timeoutMs;
    return new Promise<Answer>((resolve, reject) => {
      const onAnswer = (error: ServiceError | null, answer?: Answer): void => {
        gone.removeEventListener('abort', cancel);
        if (error !== null) reject(this.faultOf(error));
        else resolve(answer as Answer);
      };
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
      const call = client.makeUnaryRequest(
        path,
        serialize,
        deserialize,
        request,
        metadata,
        { deadline },
        onAnswer,
      );
      const cancel = (): void => call.cancel();
      if (gone.aborted) cancel();
      else gone.addEventListener('abort', cancel, { once: true });
    });
  }
}
