import { decodeInferRequest, type DecodedInfer } from '#lib/engine-client/infer-messages';
import { WireError } from '#lib/engine-client/wire';
import { RoundhouseError } from '#schemas/errors';
import type { TritonTensor } from '#native/triton/tensor';
import type { TritonRequest } from '#native/triton/triton-server';
import { rawContents } from './typed-contents';

function invalid(message: string): RoundhouseError {
  return new RoundhouseError('PAYLOAD_INVALID', message);
}

function checkContents({ tensors, raw }: DecodedInfer): void {
  const typed = tensors.findIndex(({ contents }) => contents !== undefined);
  const shared = tensors.findIndex(({ parameters }) => parameters.includes('shared_memory_region'));
  if (shared >= 0) throw invalid(`inputs[${shared}]: shared memory regions are not supported`);
  if (raw.length > 0 && typed >= 0) throw invalid(`inputs[${typed}].contents: not beside raw_input_contents`);
  if (raw.length > 0 && raw.length !== tensors.length) {
    throw invalid(`raw_input_contents: ${raw.length} entries for ${tensors.length} inputs`);
  }
}

function inputsOf({ tensors, raw }: DecodedInfer): TritonTensor[] {
  return tensors.map(({ name, datatype, shape, contents }, i) => {
    const where = `inputs[${i}] "${name}"`;
    const data =
      raw[i] ?? (contents === undefined ? Buffer.alloc(0) : rawContents(contents, datatype, where));
    return { name, datatype, shape, data };
  });
}

export type EngineRequest = TritonRequest & Required<Pick<TritonRequest, 'requestId' | 'outputs'>>;

/** ModelInferRequest bytes as a request for the core; its raw tensors are views of the message. */
export function inferRequestOf(bytes: Buffer): EngineRequest {
  try {
    const message = decodeInferRequest(bytes);
    checkContents(message);
    const { model, version, id: requestId, requestedOutputs: outputs } = message;
    return { model, version, requestId, outputs, inputs: inputsOf(message) };
  } catch (error) {
    if (error instanceof WireError) throw invalid(`not a ModelInferRequest: ${error.message}`);
    throw error;
  }
}
