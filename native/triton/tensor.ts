import type { NativeOutput } from './bindings';
import { TritonError } from './triton-error';

/** `data` is little-endian and row-major; for BYTES each element has a 4-byte length before it. */
export interface TritonTensor {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

const elementBytes = new Map([
  ['BOOL', 1],
  ['UINT8', 1],
  ['UINT16', 2],
  ['UINT32', 4],
  ['UINT64', 8],
  ['INT8', 1],
  ['INT16', 2],
  ['INT32', 4],
  ['INT64', 8],
  ['FP16', 2],
  ['BF16', 2],
  ['FP32', 4],
  ['FP64', 8],
]);

/** Bytes that a tensor of this type and shape has; undefined where only its content says (BYTES). */
function expectedBytes(tensor: TritonTensor, where: string): number | undefined {
  const size = elementBytes.get(tensor.datatype);
  if (size === undefined && tensor.datatype !== 'BYTES') {
    throw new TritonError('INVALID_ARG', `${where}.datatype: ${tensor.datatype || '(empty)'} is no datatype`);
  }
  let elements = 1;
  for (const dimension of tensor.shape) {
    if (!Number.isSafeInteger(dimension) || dimension < 0) {
      throw new TritonError('INVALID_ARG', `${where}.shape: ${dimension} is no dimension`);
    }
    elements *= dimension;
  }
  return size === undefined ? undefined : elements * size;
}

/** Throws INVALID_ARG naming the input whose type, shape or size doesn't hold together, or that comes twice. */
export function checkInputs(inputs: readonly TritonTensor[]): void {
  const names = new Set<string>();
  for (const [index, tensor] of inputs.entries()) {
    const where = `inputs[${index}] "${tensor.name}"`;
    if (names.has(tensor.name)) throw new TritonError('INVALID_ARG', `${where}.name: stands there twice`);
    names.add(tensor.name);
    const expected = expectedBytes(tensor, where);
    if (expected === undefined || expected === tensor.data.byteLength) continue;
    const shape = `[${tensor.shape.join(', ')}]`;
    throw new TritonError(
      'INVALID_ARG',
      `${where}.data: ${tensor.data.byteLength} bytes, but ${shape} of ${tensor.datatype} needs ${expected}`,
    );
  }
}

/** An output of the core: a view of the arena, or of its own copy. */
export function tensorOf(output: NativeOutput, arena: Buffer): TritonTensor {
  const { name, datatype, shape, byteLength, offset, copy } = output;
  const data = copy ?? arena.subarray(offset ?? 0, (offset ?? 0) + byteLength);
  return { name, datatype, shape, data };
}
