import type { NamedTensor, Shard } from '#schemas/domain';

/** The shard with one tensor changed by `change`. */

export function changed(
  shard: Shard,
  name: string,
  change: (tensor: NamedTensor) => Partial<NamedTensor>,
): NamedTensor[] {
  return shard.tensors.map((tensor) => (tensor.name === name ? { ...tensor, ...change(tensor) } : tensor));
}

export function withInt32(shard: Shard, name: string, at: number, value: number): NamedTensor[] {
  return changed(shard, name, ({ data }) => {
    const values = new Int32Array(Uint8Array.from(data).buffer);
    values[at] = value;
    return { data: new Uint8Array(values.buffer) };
  });
}

export function withParam(shard: Shard, at: number, value: bigint): NamedTensor[] {
  return changed(shard, 'params', ({ data }) => {
    const values = new BigInt64Array(Uint8Array.from(data).buffer);
    values[at] = value;
    return { data: new Uint8Array(values.buffer) };
  });
}

export function withFloat(shard: Shard, name: string, at: number, value: number): NamedTensor[] {
  return changed(shard, name, ({ data }) => {
    const values = new Float32Array(Uint8Array.from(data).buffer);
    values[at] = value;
    return { data: new Uint8Array(values.buffer) };
  });
}
