import { WireWriter, fieldBytes, varintBytes } from '#lib/engine-client/wire';
import { mixedRandom } from '#policy/scheduling/simulation/mixed-random';

/** As much of ONNX's protobuf as a dense network needs. */
type Part = Buffer;

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

function node(type: string, inputs: readonly string[], output: string): Part {
  return message(1, ...inputs.map((input) => textField(1, input)), textField(2, output), textField(4, type));
}

/** Even between ±spread, the same for the same seed. */
function weights(name: string, dims: readonly number[], spread: number, seed: number): Part {
  const random = mixedRandom(seed);
  const count = dims.reduce((product, dim) => product * dim, 1);
  const values = Float32Array.from({ length: count }, () => spread * (2 * random.unit() - 1));
  const data = Buffer.from(values.buffer);
  return message(
    5,
    ...dims.map((dim) => numberField(1, dim)),
    numberField(2, float),
    textField(8, name),
    bytesField(9, data),
  );
}

function port(field: number, name: string, columns: number): Part {
  const shape = [message(1, textField(2, 'N')), message(1, numberField(1, columns))];
  const tensor = message(1, numberField(1, float), message(2, ...shape));
  return message(field, textField(1, name), message(2, tensor));
}

/** A deeper network has the same weights in all layers of one shape: its plans are then small once they are packed. */
const mostOwnLayers = 8;

/**
 * An ONNX file of a dense network with ReLU between its layers: `features` [N, first] → `quantiles` [N, last]. Wire
 * fields above 15 aren't needed.
 */
export function denseNetwork(widths: readonly number[]): Buffer {
  const parts: Part[] = [];
  const known = new Set<string>();
  let from = 'features';
  for (let layer = 0; layer + 1 < widths.length; layer += 1) {
    const [rows, columns] = [widths[layer]!, widths[layer + 1]!];
    const isLast = layer + 2 === widths.length;
    const linear = isLast ? 'quantiles' : `linear_${layer}`;
    const name = widths.length > mostOwnLayers ? `of_${rows}_${columns}` : String(layer);
    parts.push(node('Gemm', [from, `weight_${name}`, `bias_${name}`], linear));
    if (!isLast) parts.push(node('Relu', [linear], `hidden_${layer}`));
    from = `hidden_${layer}`;
    if (known.has(name)) continue;
    known.add(name);
    parts.push(weights(`weight_${name}`, [rows, columns], Math.sqrt(6 / rows), layer + 1));
    parts.push(weights(`bias_${name}`, [columns], 0.1, 1_000 + layer));
  }
  const ports = [port(11, 'features', widths[0]!), port(12, 'quantiles', widths.at(-1)!)];
  const graph = message(7, ...parts, textField(2, 'dense'), ...ports);
  return Buffer.concat([numberField(1, irVersion), message(8, numberField(2, opset)), graph]);
}
