import { fieldBytes, stringBytes, varintBytes, WireReader, WireType, WireWriter } from './wire';

/** Where a tensor lies in registered shared memory, as the parameters of an input or a requested output say. */
export interface RegionReference {
  readonly region: string;
  readonly byteSize: number;
  /** Within the region. */
  readonly offset: number;
}

const keys = {
  region: 'shared_memory_region',
  byteSize: 'shared_memory_byte_size',
  offset: 'shared_memory_offset',
} as const;
const choice = { int64: 2, text: 3, uint64: 5 } as const;

/** A parameter; NaN for an integer that no number holds, undefined for a kind that no region has. */
export interface Parameter {
  readonly key: string;
  readonly value: string | number | undefined;
}

function readChoice(bytes: Buffer): string | number | undefined {
  const reader = new WireReader(bytes);
  let value: string | number | undefined;
  while (!reader.atEnd) {
    const { field, type } = reader.tag();
    if (field === choice.text && type === WireType.bytes) value = reader.string();
    else if (field === choice.int64 && type === WireType.varint) value = reader.signed();
    else if (field === choice.uint64 && type === WireType.varint) value = reader.signed();
    else reader.skip(type);
  }
  return value;
}

/** An entry of map<string, InferParameter>. */
export function readParameter(bytes: Buffer): Parameter {
  const reader = new WireReader(bytes);
  let key = '';
  let value: string | number | undefined;
  while (!reader.atEnd) {
    const { field, type } = reader.tag();
    if (field === 1 && type === WireType.bytes) key = reader.string();
    else if (field === 2 && type === WireType.bytes) value = readChoice(reader.bytes());
    else reader.skip(type);
  }
  return { key, value };
}

/** undefined where they name no region; NaN for a size or offset that is none. */
export function regionOf(parameters: readonly Parameter[]): RegionReference | undefined {
  const value = (key: string): string | number | undefined =>
    parameters.find((parameter) => parameter.key === key)?.value;
  const region = value(keys.region);
  if (region === undefined) return undefined;
  const byteSize = value(keys.byteSize);
  const offset = value(keys.offset) ?? 0;
  return {
    region: typeof region === 'string' ? region : '',
    byteSize: typeof byteSize === 'number' ? byteSize : NaN,
    offset: typeof offset === 'number' ? offset : NaN,
  };
}

function entry(key: string, value: string | number): Buffer {
  const inner = typeof value === 'string' ? fieldBytes(Buffer.byteLength(value)) : 1 + varintBytes(value);
  const writer = new WireWriter(stringBytes(key) + fieldBytes(inner));
  writer.string(1, key);
  writer.header(2, inner);
  if (typeof value === 'string') {
    writer.bytes(choice.text, Buffer.from(value));
  } else {
    writer.varint(choice.int64 * 8 + WireType.varint);
    writer.varint(value);
  }
  return writer.buffer;
}

/** The entries of the parameters' map. */
export function regionEntries({ region, byteSize, offset }: RegionReference): Buffer[] {
  return [entry(keys.region, region), entry(keys.byteSize, byteSize), entry(keys.offset, offset)];
}
