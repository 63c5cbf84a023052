import { encodeInferResponse } from '#lib/engine-client/infer-messages';
import { RoundhouseError } from '#schemas/errors';
import type { TritonTensor } from '#native/triton/tensor';
import type { TritonServer } from '#native/triton/triton-server';
import { inferRequestOf, type EngineRequest } from './infer-request';
import type { SharedMemoryRegions } from './shared-memory/regions';
import { RequestRegions } from './shared-memory/request-regions';

export interface GateLimits {
  readonly maxInFlight: number;
  readonly maxMessageBytes: number;
}

const noBytes = new Uint8Array(0);

/** Backends may give more outputs than were asked for. */
function requested(outputs: readonly TritonTensor[], names: readonly string[]): readonly TritonTensor[] {
  return names.length === 0 ? outputs : outputs.filter(({ name }) => names.includes(name));
}

/**
 * The way of an inference through the engine. The bound counts requests whose buffers the core still has,
 * also those whose caller got its answer already: so abandoned work can't pile up behind a slow model.
 */
export class InferenceGate {
  private readonly buffers = RequestRegions.makePool();

  constructor(
    private readonly triton: TritonServer,
    private readonly limits: GateLimits,
    private readonly regions: SharedMemoryRegions,
  ) {}

  /** ModelInferRequest bytes to ModelInferResponse bytes. */
  async infer(bytes: Buffer, signal: AbortSignal): Promise<Buffer> {
    if (this.triton.openRequests >= this.limits.maxInFlight) throw this.busy();
    const regions = new RequestRegions(this.regions, this.buffers);
    try {
      return await this.inferWith(inferRequestOf(bytes, regions), signal, regions);
    } finally {
      regions.release(!signal.aborted);
    }
  }

  private async inferWith(
    request: EngineRequest,
    signal: AbortSignal,
    regions: RequestRegions,
  ): Promise<Buffer> {
    const result = await this.triton.infer(request, signal);
    try {
      const { model, requestId: id } = request;
      const tensors = requested(result.outputs, request.outputs).map((tensor) => {
        const region = regions.deliver(tensor.name, tensor.data);
        return region === undefined ? tensor : { ...tensor, region, data: noBytes };
      });
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
