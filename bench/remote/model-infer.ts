import { decodeInferRequest } from '#lib/engine-client/infer-messages';
import { opaqueMethod } from '#lib/opaque-method';
import type { NamedTensor } from '#schemas/domain';

/** The call of the inference protocol, for a server that reads and writes the messages itself. */
export const modelInfer = opaqueMethod('/inference.GRPCInferenceService/ModelInfer');

/** What a message asks for. */
export function readInfer(message: Buffer) {
  const { model, version, id: requestId, tensors, raw } = decodeInferRequest(message);
  const inputs = tensors.map(({ name, datatype, shape }, i): NamedTensor => {
    return { name, datatype: datatype as NamedTensor['datatype'], shape, data: raw[i]! };
  });
  return { model, version, requestId, inputs };
}
