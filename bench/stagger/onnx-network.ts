import { networkFile, node, weights, type Part } from './onnx-parts';

/** A deeper network has the same weights in all layers of one shape: its plans are then small once they are packed. */
const mostOwnLayers = 8;

/** An ONNX file of a dense network with ReLU between its layers. */
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
  return networkFile(parts, widths[0]!, widths.at(-1)!);
}
