import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import { fieldBytes, stringBytes, WireReader, WireType, WireWriter } from './wire';

export type ParameterValue = boolean | number | bigint | string;
export type RequestParameters = Readonly<Record<string, ParameterValue>>;

/** [key, value, key, value, …] with the kinds fixed: a bigint is an int64, a number a double. */
export type ParameterRow = readonly ParameterValue[];

/** The engine takes no more in a request; what comes beyond it isn't even read. */
export const mostParameters = 64;

const choice = { bool: 1, int64: 2, text: 3, double: 4, uint64: 5 } as const;
const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n } as const;
const mostUint64 = 2n ** 64n - 1n;

function invalid(key: string, why: string): RoundhouseError {
  return new RoundhouseError('PAYLOAD_INVALID', `parameters["${shownText(key, 100)}"]: ${why}`);
}

function withKind(key: string, value: unknown): ParameterValue {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  if (typeof value === 'bigint' && (value < int64.least || value > mostUint64)) {
    throw invalid(key, 'no integer of 64 bits holds it');
  }
  if (['boolean', 'number', 'bigint', 'string'].includes(typeof value)) return value as ParameterValue;
  throw invalid(key, 'no boolean, number or text');
}

/** Whole numbers up to 2^53 go as int64, other numbers as double. Throws PAYLOAD_INVALID naming the parameter. */
export function parameterRow(parameters: RequestParameters | undefined): ParameterRow {
  if (parameters === undefined) return [];
  return Object.entries(parameters).flatMap(([key, value]) => [key, withKind(key, value)]);
}

function choiceBytes(value: ParameterValue): Buffer {
  if (typeof value === 'string') {
    const writer = new WireWriter(fieldBytes(Buffer.byteLength(value)));
    writer.bytes(choice.text, Buffer.from(value));
    return writer.buffer;
  }
  if (typeof value === 'number') {
    const writer = new WireWriter(9);
    writer.varint(choice.double * 8 + WireType.fixed64);
    writer.double(value);
    return writer.buffer;
  }
  const writer = new WireWriter(11);
  const kind = typeof value === 'boolean' ? choice.bool : value > int64.most ? choice.uint64 : choice.int64;
  writer.varint(kind * 8 + WireType.varint);
  writer.varint64(BigInt(value));
  return writer.written;
}

/** The entries of a request's map<string, InferParameter>. */
export function parameterEntries(row: ParameterRow): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < row.length; at += 2) {
    const key = String(row[at]);
    const value = choiceBytes(row[at + 1]!);
    const writer = new WireWriter(stringBytes(key) + fieldBytes(value.length));
    writer.string(1, key);
    writer.bytes(2, value);
    entries.push(writer.buffer);
  }
  return entries;
}

function readChoice(bytes: Buffer): ParameterValue | undefined {
  const reader = new WireReader(bytes);
  let value: ParameterValue | undefined;
  while (!reader.atEnd) {
    const { field, type } = reader.tag();
    if (field === choice.bool && type === WireType.varint) value = reader.varint() !== 0n;
    else if (field === choice.int64 && type === WireType.varint) value = BigInt.asIntN(64, reader.varint());
    else if (field === choice.uint64 && type === WireType.varint) value = reader.varint();
    else if (field === choice.double && type === WireType.fixed64) value = reader.fixed(8).readDoubleLE();
    else if (field === choice.text && type === WireType.bytes) value = reader.string();
    else reader.skip(type);
  }
  return value;
}

/** Adds an entry of the map to `into`, where a later one of the same key wins. undefined: it has no value. */
export function readRequestParameter(bytes: Buffer, into: Map<string, ParameterValue | undefined>): void {
  const reader = new WireReader(bytes);
  let key = '';
  let value: ParameterValue | undefined;
  while (!reader.atEnd) {
    const { field, type } = reader.tag();
    if (field === 1 && type === WireType.bytes) key = reader.string();
    else if (field === 2 && type === WireType.bytes) value = readChoice(reader.bytes());
    else reader.skip(type);
  }
  if (into.size <= mostParameters || into.has(key)) into.set(key, value);
}

/** The parameters of a decoded request. Throws PAYLOAD_INVALID for one without a value. */
export function rowOfParameters(parameters: ReadonlyMap<string, ParameterValue | undefined>): ParameterRow {
  return [...parameters].flatMap(([key, value]) => {
    if (value === undefined) throw invalid(key, 'has no value');
    return [key, value];
  });
}
