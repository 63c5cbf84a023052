import type { DecodedInfer } from '#lib/engine-client/infer-messages';
import type { NamedTensor } from '#schemas/domain';

const alignment = 64;
const padding = new Uint8Array(alignment);

const alignedUp = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** Where tensors of these lengths lie in the data, and how long the data are. */
export function placesOf(lengths: readonly number[]): { offsets: number[]; bytes: number } {
  let bytes = 0;
  const offsets = lengths.map((length) => {
    const offset = length === 0 ? bytes : alignedUp(bytes);
    bytes = offset + length;
    return offset;
  });
  return { offsets, bytes };
}

/** The data of a message as UCX gathers them: the tensors where they are, and zeros between them. */
export function partsOf(data: readonly Uint8Array[]): Uint8Array[] {
  const { offsets } = placesOf(data.map(({ byteLength }) => byteLength));
  const parts: Uint8Array[] = [];
  let end = 0;
  data.forEach((bytes, i) => {
    if (bytes.byteLength === 0) return;
    if (offsets[i]! > end) parts.push(padding.subarray(0, offsets[i]! - end));
    parts.push(bytes);
    end = offsets[i]! + bytes.byteLength;
  });
  return parts;
}
/** Tensors without their data, and how long those are. */
export interface DescribedTensors {
  readonly tensors: DecodedInfer['tensors'];
  readonly lengths: readonly number[];
}

/** The tensors over the bytes that came. */
export function tensorsOver(memory: Buffer, { tensors, lengths }: DescribedTensors): NamedTensor[] {
  const { offsets } = placesOf(lengths);
  return tensors.map(({ name, datatype, shape }, i) => ({
    name,
    datatype: datatype as NamedTensor['datatype'],
    shape,
    data: memory.subarray(offsets[i], offsets[i]! + lengths[i]!),
  }));
}
