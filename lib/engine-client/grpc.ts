import { Metadata, type CallOptions, type ServiceError } from '@grpc/grpc-js';
import type { UnixMs } from '#schemas/brands';
import type { NamedTensor } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { LONGEST_TIMER_MS } from '../longest-timer';
import { contentHashParameter } from '../model-repository';
import { asIs } from '../opaque-method';
import type { PeerTls } from '../peer-tls';
import { decodeBool, decodeIndex, empty, encodeModelName, encodeRepositoryModel } from './control-messages';
import { roundhouseErrorOf } from './grpc-errors';
import { decodeInferResponse, encodeInferRequest } from './infer-messages';
import { Lanes } from './lanes';
import type { EngineClient, InferRequest, InferResponse, ModelState } from './port';
import { notesOf, peerMetadata } from './peer-notes';
import { loadProtocol } from './protocol';
import { parameterRow } from './request-parameters';
import { whySilent } from './why-silent';

export interface GrpcEngineOptions {
  /** `unix:/path` or `host:port`. */
  readonly address: string;
  /** Of either direction; a longer request is refused before it is sent. */
  readonly maxMessageBytes?: number;
  /** For every call but `infer` and `loadModel`. */
  readonly controlTimeoutMs?: number;
  readonly loadTimeoutMs?: number;
  /** Waits for an engine that is away until the deadline, instead of ENGINE_LOST at once. */
  readonly waitForReady?: boolean;
  /** Of another worker's peer port; null or absent: in the clear. */
  readonly tls?: PeerTls | null;
  /** Asks as a worker asks another one: the answer's `notes` say how busy that one is, if it is one of ours. */
  readonly asPeer?: boolean;
}

export const defaultMaxMessageBytes = 16 * 1024 * 1024;

const service = '/inference.GRPCInferenceService/';
/** An engine over gRPC; our own tell what the bytes of their models are. */
export interface GrpcEngine extends EngineClient {
  /** Hash of the version folder (lib/model-repository.ts); null from servers that don't tell it. Rejects as `infer`. */
  contentHash(model: string, version: string): Promise<string | null>;
  /** Why the last question about health had no answer; null where it had one. */
  whySilent(): string | null;
}

interface ModelConfigAnswer {
  readonly config?: {
    readonly parameters?: Readonly<Record<string, { readonly string_value?: string }>>;
  } | null;
}

interface Answer {
  readonly answer: Buffer;
  readonly headers: Metadata | undefined;
}

class GrpcEngineClient implements GrpcEngine {
  private readonly client: Lanes;
  private readonly maxMessageBytes: number;
  private readonly controlTimeoutMs: number;
  private readonly loadTimeoutMs: number;
  private readonly metadata: Metadata;
  private silence: string | null = null;

  constructor(private readonly options: GrpcEngineOptions) {
    this.maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
    this.controlTimeoutMs = options.controlTimeoutMs ?? 5_000;
    this.loadTimeoutMs = options.loadTimeoutMs ?? 120_000;
    this.metadata = new Metadata({ waitForReady: options.waitForReady ?? false });
    this.client = new Lanes(options.address, this.maxMessageBytes, options.tls ?? null);
  }

  async infer(request: InferRequest, deadline: UnixMs, signal?: AbortSignal): Promise<InferResponse> {
    if (Date.now() >= deadline) throw unsent(request);
    const { model, version, requestId: id, inputs: tensors } = request;
    const parameters = parameterRow(request.parameters);
    const message = encodeInferRequest({ model, version, id, tensors, parameters });
    if (message.length > this.maxMessageBytes) throw this.tooLong(message.length);
    // grpc-js throws out of a timer for a deadline that it can't write down, thousands of years ahead.
    const bounded = Math.min(deadline, Date.now() + LONGEST_TIMER_MS);
    const asked = this.options.asPeer === true ? peerMetadata(request.size ?? 1) : undefined;
    const call = this.call('ModelInfer', message, { deadline: bounded }, signal, asked);
    const { answer, headers } = await call.finally(request.onLetGo);
    if (Date.now() >= deadline) throw tooLate('when the answer was read');
    const response = responseOf(answer);
    const notes = asked === undefined ? undefined : notesOf(headers);
    return notes === undefined ? response : { ...response, notes };
  }

  async isLive(): Promise<boolean> {
    return this.ask('ServerLive', empty);
  }
  async isReady(): Promise<boolean> {
    return this.ask('ServerReady', empty);
  }
  async isModelReady(model: string, version = ''): Promise<boolean> {
    return this.ask('ModelReady', encodeModelName(model, version));
  }

  async repositoryIndex(): Promise<readonly ModelState[]> {
    return decodeIndex(await this.control('RepositoryIndex', empty, this.controlTimeoutMs));
  }
  async loadModel(model: string): Promise<void> {
    await this.control('RepositoryModelLoad', encodeRepositoryModel(model), this.loadTimeoutMs);
  }
  async unloadModel(model: string): Promise<void> {
    await this.control('RepositoryModelUnload', encodeRepositoryModel(model), this.controlTimeoutMs);
  }

  async contentHash(model: string, version: string): Promise<string | null> {
    const { responseDeserialize: decode } = loadProtocol().inference['ModelConfig']!;
    const answer = await this.control('ModelConfig', encodeModelName(model, version), this.controlTimeoutMs);
    const { config } = decode(answer) as ModelConfigAnswer;
    return config?.parameters?.[contentHashParameter]?.string_value || null;
  }

  whySilent(): string | null {
    return this.silence;
  }

  close(): Promise<void> {
    this.client.close();
    return Promise.resolve();
  }

  /** A question about health: an engine that doesn't answer is neither live nor ready. */
  private async ask(method: string, message: Buffer): Promise<boolean> {
    try {
      const isSo = decodeBool(await this.control(method, message, this.controlTimeoutMs));
      this.silence = null;
      return isSo;
    } catch (error) {
      if (!(error instanceof RoundhouseError)) throw error;
      this.silence = whySilent(error.message, (this.options.tls ?? null) !== null);
      return false;
    }
  }

  private async control(method: string, message: Buffer, timeoutMs: number): Promise<Buffer> {
    return (await this.call(method, message, { deadline: Date.now() + timeoutMs })).answer;
  }

  private call(
    method: string,
    message: Buffer,
    options: CallOptions,
    signal?: AbortSignal,
    metadata = this.metadata,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abandoned(signal));
      let headers: Metadata | undefined;
      const onAnswer = (error: ServiceError | null, answer?: Buffer): void => {
        signal?.removeEventListener('abort', onAbort);
        if (error === null) resolve({ answer: answer ?? empty, headers });
        else reject(signal?.aborted === true ? abandoned(signal) : roundhouseErrorOf(error));
      };
      const path = service + method;
      const call = this.client.makeUnaryRequest(path, asIs, asIs, message, metadata, options, onAnswer);
      call.once('metadata', (sent: Metadata) => (headers = sent));
      const onAbort = (): void => call.cancel();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  private tooLong(bytes: number): RoundhouseError {
    const limit = `the limit of messages to ${this.options.address} is ${this.maxMessageBytes}`;
    return new RoundhouseError('PAYLOAD_INVALID', `the request has ${bytes} bytes, ${limit}`);
  }
}

function unsent({ onLetGo }: InferRequest): RoundhouseError {
  onLetGo?.();
  return tooLate('before the request was sent');
}

function tooLate(when: string): RoundhouseError {
  return new RoundhouseError('DEADLINE_EXCEEDED', `the deadline had passed ${when}`);
}

/** The caller's own reason where it is one of ours. */
function abandoned(signal: AbortSignal): RoundhouseError {
  if (signal.reason instanceof RoundhouseError) return signal.reason;
  return new RoundhouseError('DEADLINE_EXCEEDED', 'the caller gave the request up');
}

function responseOf(bytes: Buffer): InferResponse {
  try {
    const { model, version, tensors, raw } = decodeInferResponse(bytes);
    if (raw.length !== tensors.length)
      throw new Error(`${raw.length} contents for ${tensors.length} outputs`);
    const outputs = tensors.map(({ name, datatype, shape }, i) => ({
      name,
      datatype: datatype as NamedTensor['datatype'],
      shape,
      data: raw[i]!,
    }));
    return { model, version, outputs };
  } catch (cause) {
    throw new RoundhouseError('MODEL_FAILED', `unreadable answer: ${String(cause)}`, [], { cause });
  }
}

/** Connects at the first call. Output data are views of the answer's buffer. */
export function connectEngine(options: GrpcEngineOptions): GrpcEngine {
  return new GrpcEngineClient(options);
}
