import { WireWriter, fieldBytes, varintBytes } from '#lib/engine-client/wire';
import { mixedRandom } from '#policy/scheduling/simulation/mixed-random';

/** As much of ONNX's protobuf as a dense network needs. */
export type Part = Buffer;

const float = 1;
const irVersion = 8;
const opset = 13;

function numberField(field: number, value: number): Part {
  const writer = new WireWriter(1 + varintBytes(value));
  writer.varint(field * 8);
  writer.varint(value);
  return writer.buffer;
}

function bytesField(field: number, bytes: Uint8Array): Part {
  const writer = new WireWriter(fieldBytes(bytes.byteLength));
  writer.bytes(field, bytes);
  return writer.buffer;
}

const textField = (field: number, text: string): Part => bytesField(field, Buffer.from(text));
const message = (field: number, ...parts: readonly Part[]): Part => bytesField(field, Buffer.concat(parts));

export function node(type: string, inputs: readonly string[], output: string): Part {
  return message(1, ...inputs.map((input) => textField(1, input)), textField(2, output), textField(4, type));
}

export function tensor(name: string, dims: readonly number[], values: Float32Array): Part {
  const data = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return message(
    5,
    ...dims.map((dim) => numberField(1, dim)),
    numberField(2, float),
    textField(8, name),
    bytesField(9, data),
  );
}

/** Even between ±spread, the same for the same seed. */
export function weights(name: string, dims: readonly number[], spread: number, seed: number): Part {
  const random = mixedRandom(seed);
  const count = dims.reduce((product, dim) => product * dim, 1);
  return tensor(
    name,
    dims,
    Float32Array.from({ length: count }, () => spread * (2 * random.unit() - 1)),
  );
}

function port(field: number, name: string, columns: number): Part {
  const shape = [message(1, textField(2, 'N')), message(1, numberField(1, columns))];
  const type = message(1, numberField(1, float), message(2, ...shape));
  return message(field, textField(1, name), message(2, type));
}

/** The file of a graph `features` [N, first] → `quantiles` [N, last]. Wire fields above 15 aren't needed. */
export function networkFile(parts: readonly Part[], first: number, last: number): Buffer {
  const ports = [port(11, 'features', first), port(12, 'quantiles', last)];
  const graph = message(7, ...parts, textField(2, 'dense'), ...ports);
  return Buffer.concat([numberField(1, irVersion), message(8, numberField(2, opset)), graph]);
}
