import { decodeInferRequest, type DecodedInfer } from '#lib/engine-client/infer-messages';
import { mostParameters, rowOfParameters, type ParameterRow } from '#lib/engine-client/request-parameters';
import { WireError } from '#lib/engine-client/wire';
import { RoundhouseError } from '#schemas/errors';
import type { TritonTensor } from '#native/triton/tensor';
import type { TritonRequest } from '#native/triton/server-types';
import type { RequestRegions } from './shared-memory/request-regions';
import { rawContents } from './typed-contents';

function invalid(message: string): RoundhouseError {
  return new RoundhouseError('PAYLOAD_INVALID', message);
}

/** Inputs in shared memory have neither typed nor raw contents. */
function checkContents({ tensors, raw }: DecodedInfer): void {
  const typed = tensors.findIndex(({ contents }) => contents !== undefined);
  const both = tensors.findIndex(({ contents, region }) => contents !== undefined && region !== undefined);
  if (both >= 0) throw invalid(`inputs[${both}].contents: not beside a shared memory region`);
  if (raw.length > 0 && typed >= 0) throw invalid(`inputs[${typed}].contents: not beside raw_input_contents`);
  const expected = tensors.filter(({ region }) => region === undefined).length;
  if (raw.length > 0 && raw.length !== expected) {
    throw invalid(`raw_input_contents: ${raw.length} entries for ${expected} inputs`);
  }
}

function inputsOf({ tensors, raw }: DecodedInfer, regions: RequestRegions): TritonTensor[] {
  let nextRaw = 0;
  return tensors.map(({ name, datatype, shape, contents, region }, i) => {
    if (region !== undefined) return { name, datatype, shape, data: regions.input(region) };
    const where = `inputs[${i}] "${name}"`;
    const data =
      raw[nextRaw++] ?? (contents === undefined ? Buffer.alloc(0) : rawContents(contents, datatype, where));
    return { name, datatype, shape, data };
  });
}

function parametersOf({ parameters }: DecodedInfer): ParameterRow {
  if (parameters.size > mostParameters) throw invalid(`parameters: more than ${mostParameters} of them`);
  return rowOfParameters(parameters);
}

export type EngineRequest = TritonRequest & Required<Pick<TritonRequest, 'requestId' | 'outputs'>>;

/** ModelInferRequest bytes as a request for the core; its raw tensors are views of the message. */
export function inferRequestOf(bytes: Buffer, regions: RequestRegions): EngineRequest {
  try {
    const message = decodeInferRequest(bytes);
    checkContents(message);
    const { model, version, id: requestId, requestedOutputs: outputs } = message;
    // The core would end the name there and serve another model.
    if (model.includes('\0')) throw invalid('model_name: holds a NUL');
    const parameters = parametersOf(message);
    for (const [name, reference] of message.outputRegions) regions.expect(name, reference);
    return { model, version, requestId, outputs, parameters, inputs: inputsOf(message, regions) };
  } catch (error) {
    if (error instanceof WireError) throw invalid(`not a ModelInferRequest: ${error.message}`);
    throw error;
  }
}
