import type { Shard } from '#schemas/domain';

const typed = {
  INT64: BigInt64Array,
  INT32: Int32Array,
  FP32: Float32Array,
  UINT16: Uint16Array,
  UINT8: Uint8Array,
};

/** A copy of what a shard's tensor holds. */
export function tensorValues(shard: Shard, name: string) {
  const { datatype, data } = shard.tensors.find((tensor) => tensor.name === name)!;
  return new typed[datatype](Uint8Array.from(data).buffer);
}
