import { networkFile, node, tensor, weights, type Part } from './onnx-parts';

export interface Ladder {
  readonly features: number;
  readonly quantiles: number;
  readonly width: number;
  readonly rungs: number;
  /** Others have other weights. */
  readonly seed: number;
}

/** Of an answer that a decision can use: seconds, and a ride factor. */
const answers = [900, 1_200, 60, 180, 60, 120, 1, 1.2];

/** A layer behind the earlier ones, which leave values of about the size that they have taken. */
const layer = (name: string, rows: number, columns: number, seed: number): Part[] => [
  weights(`weight_${name}`, [rows, columns], Math.sqrt(2 / rows), seed),
  weights(`bias_${name}`, [columns], 0.1, seed + 1),
];

function climb(rungs: number): Part[] {
  return Array.from({ length: rungs }, (_, rung) => {
    const [from, name] = rung === 0 ? ['features', 'first'] : [`up_${rung - 1}`, 'up'];
    return [
      node('Gemm', [from, `weight_${name}`, `bias_${name}`], `climbed_${rung}`),
      node('Relu', [`climbed_${rung}`], `up_${rung}`),
    ];
  }).flat();
}

function descend(rungs: number): Part[] {
  return Array.from({ length: rungs - 1 }, (_, step) => {
    const rung = rungs - 2 - step;
    const from = step === 0 ? `up_${rungs - 1}` : `down_${rung + 1}`;
    return [
      node('Gemm', [from, 'weight_down', 'bias_down'], `fallen_${rung}`),
      node('Add', [`fallen_${rung}`, `up_${rung}`], `met_${rung}`),
      node('Relu', [`met_${rung}`], `down_${rung}`),
    ];
  }).flat();
}

/**
 * An ONNX file of a network with few weights and many activations: `rungs` layers of `width` up, and as many down, each of
 * which adds what the one of its rung gave on the way up. At the top all rungs are alive: rungs · width · 4 bytes a row.
 * All layers but the first and the last have the weights of their way.
 */
export function ladderNetwork({ features, quantiles, width, rungs, seed }: Ladder): Buffer {
  const from = 10 * seed;
  const top = rungs === 1 ? 'up_0' : 'down_0';
  const bias = Float32Array.from({ length: quantiles }, (_, column) => answers[column % answers.length]!);
  return networkFile(
    [
      ...climb(rungs),
      ...descend(rungs),
      node('Gemm', [top, 'weight_last', 'bias_last'], 'quantiles'),
      ...layer('first', features, width, from + 1),
      ...layer('up', width, width, from + 3),
      ...layer('down', width, width, from + 5),
      weights('weight_last', [width, quantiles], 1e-4, from + 7),
      tensor('bias_last', [quantiles], bias),
    ],
    features,
    quantiles,
  );
}
