import { encodeInferResponse } from '#lib/engine-client/infer-messages';
import { RoundhouseError } from '#schemas/errors';
import type { TritonTensor } from '#native/triton/tensor';
import type { TritonResult } from '#native/triton/server-types';
import type { TritonServer } from '#native/triton/triton-server';
import { inferRequestOf, type EngineRequest } from './infer-request';
import type { SharedMemoryRegions } from './shared-memory/regions';
import { RequestRegions } from './shared-memory/request-regions';

export interface GateLimits {
  readonly maxMessageBytes: number;
}

export interface GateCall {
  readonly signal: AbortSignal;
  /** Unix milliseconds, Infinity for none. */
  readonly deadlineMs: number;
}

const noBytes = new Uint8Array(0);

/** Backends may give more outputs than were asked for. */
function requested(outputs: readonly TritonTensor[], names: readonly string[]): readonly TritonTensor[] {
  return names.length === 0 ? outputs : outputs.filter(({ name }) => names.includes(name));
}

/** The way of an inference that came as a message: into admission's queue, and out as a message again. */
export class InferenceGate {
  private readonly buffers = RequestRegions.makePool();

  constructor(
    private readonly triton: TritonServer,
    private readonly limits: GateLimits,
    private readonly regions: SharedMemoryRegions,
  ) {}

  /** ModelInferRequest bytes to ModelInferResponse bytes. */
  async infer(bytes: Buffer, call: GateCall): Promise<Buffer> {
    const regions = new RequestRegions(this.regions, this.buffers);
    let answered = false;
    try {
      const request = inferRequestOf(bytes, regions);
      const result = await this.triton.infer(request, call);
      answered = true;
      return this.answerOf(request, result, regions);
    } finally {
      regions.release(answered);
    }
  }

  private answerOf(request: EngineRequest, result: TritonResult, regions: RequestRegions): Buffer {
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

  private tooLong(bytes: number): RoundhouseError {
    const limit = `ROUNDHOUSE_ENGINE_MAX_MESSAGE_BYTES is ${this.limits.maxMessageBytes}`;
    return new RoundhouseError('MODEL_FAILED', `the answer has ${bytes} bytes, ${limit}`);
  }
}
