import type { DecodedInfer, DecodedTensor } from '#lib/engine-client/infer-messages';
import { HttpFault, invalid } from './http-fault';
import { headerLength } from './infer-body';
import { dataText } from './tensor-data';

/** Of all outputs that go back as JSON, before they are text. */
export const mostTextBytes = 1024 * 1024;

export interface HttpAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface OutputParts {
  readonly json: string;
  readonly bytes?: Buffer;
}

function outputParts(tensor: DecodedTensor, raw: Buffer, where: string, isBinary: boolean): OutputParts {
  const { name, datatype, shape, region } = tensor;
  const head = `"name":${JSON.stringify(name)},"datatype":${JSON.stringify(datatype)},"shape":[${shape.join(',')}]`;
  if (region !== undefined) {
    const parameters = {
      shared_memory_region: region.region,
      shared_memory_byte_size: region.byteSize,
      ...(region.offset === 0 ? {} : { shared_memory_offset: region.offset }),
    };
    return { json: `{${head},"parameters":${JSON.stringify(parameters)}}` };
  }
  if (isBinary) return { json: `{${head},"parameters":{"binary_data_size":${raw.length}}}`, bytes: raw };
  return { json: `{${head},"data":${dataText(raw, datatype, where)}}` };
}

/** To write the text of a large tensor would hold the event loop as long as to read it. */
function checkJsonBytes({ tensors, raw }: DecodedInfer, isBinary: (output: string) => boolean): void {
  const bytes = raw.reduce((sum, { length }, i) => sum + (isBinary(tensors[i]!.name) ? 0 : length), 0);
  if (bytes <= mostTextBytes) return;
  throw invalid(`outputs: ${bytes} bytes as JSON, the limit is ${mostTextBytes}: ask for binary_data_output`);
}

/** The engine's answer as JSON, or as JSON and bytes where an output was asked for so. */
export function httpAnswerOf(answer: DecodedInfer, isBinary: (output: string) => boolean): HttpAnswer {
  const { model, version, id, tensors, raw } = answer;
  if (raw.length !== tensors.length) {
    throw new HttpFault(500, `the engine sent ${raw.length} contents for ${tensors.length} outputs`);
  }
  checkJsonBytes(answer, isBinary);
  const outputs = tensors.map((tensor, i) =>
    outputParts(tensor, raw[i]!, `outputs[${i}] "${tensor.name}"`, isBinary(tensor.name)),
  );
  const names = `"model_name":${JSON.stringify(model)},"model_version":${JSON.stringify(version)}`;
  const idText = id === '' ? '' : `"id":${JSON.stringify(id)},`;
  const json = Buffer.from(`{${idText}${names},"outputs":[${outputs.map((part) => part.json).join(',')}]}`);
  const bytes = outputs.flatMap((part) => (part.bytes === undefined ? [] : [part.bytes]));
  if (bytes.length === 0) return { headers: { 'content-type': 'application/json' }, body: json };
  return {
    headers: { 'content-type': 'application/octet-stream', [headerLength]: String(json.length) },
    body: Buffer.concat([json, ...bytes]),
  };
}
