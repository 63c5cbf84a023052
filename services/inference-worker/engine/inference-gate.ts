import { encodeInferResponse } from '#lib/engine-client/infer-messages';
import { RoundhouseError } from '#schemas/errors';
import type { TritonTensor } from '#native/triton/tensor';
import type { TritonServer } from '#native/triton/triton-server';
import { inferRequestOf } from './infer-request';

export interface GateLimits {
  readonly maxInFlight: number;
  readonly maxMessageBytes: number;
}

/** Backends may give more outputs than were asked for. */
function requested(outputs: readonly TritonTensor[], names: readonly string[]): readonly TritonTensor[] {
  return names.length === 0 ? outputs : outputs.filter(({ name }) => names.includes(name));
}

/**
 * The way of an inference through the engine. The bound counts requests whose buffers the core still has,
 * also those whose caller got its answer already: so abandoned work can't pile up behind a slow model.
 */
export class InferenceGate {
  constructor(
    private readonly triton: TritonServer,
    private readonly limits: GateLimits,
  ) {}

  /** ModelInferRequest bytes to ModelInferResponse bytes. */
  async infer(bytes: Buffer, signal: AbortSignal): Promise<Buffer> {
    if (this.triton.openRequests >= this.limits.maxInFlight) throw this.busy();
    const request = inferRequestOf(bytes);
    const result = await this.triton.infer(request, signal);
    try {
      const { model, requestId: id } = request;
      const tensors = requested(result.outputs, request.outputs);
      const answer = encodeInferResponse({ model, version: result.version, id, tensors });
      if (answer.length > this.limits.maxMessageBytes) throw this.tooLong(answer.length);
      return answer;
    } finally {
      result.release();
    }
  }

  private busy(): RoundhouseError {
    return new RoundhouseError('ENGINE_BUSY', `${this.limits.maxInFlight} requests are in flight, the limit`);
  }

  private tooLong(bytes: number): RoundhouseError {
    const limit = `ROUNDHOUSE_ENGINE_MAX_MESSAGE_BYTES is ${this.limits.maxMessageBytes}`;
    return new RoundhouseError('MODEL_FAILED', `the answer has ${bytes} bytes, ${limit}`);
  }
}
