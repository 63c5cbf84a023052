import { isUtf8 } from 'node:buffer';
import { shownText } from '#schemas/shown-text';
import type { Json } from './exact-json';
import { invalid, type HttpFault } from './http-fault';

interface Kind {
  readonly bytes: number;
  /** False for a value that the datatype doesn't hold. */
  write(into: Buffer, at: number, value: Json): boolean;
  read(from: Buffer, at: number): string;
}

function integer(bytes: 1 | 2 | 4, isSigned: boolean): Kind {
  const least = isSigned ? -(2 ** (8 * bytes - 1)) : 0;
  const most = 2 ** (8 * bytes - (isSigned ? 1 : 0)) - 1;
  return {
    bytes,
    write(into, at, value) {
      if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) return false;
      if (isSigned) into.writeIntLE(value as number, at, bytes);
      else into.writeUIntLE(value as number, at, bytes);
      return true;
    },
    read: (from, at) => String(isSigned ? from.readIntLE(at, bytes) : from.readUIntLE(at, bytes)),
  };
}

function wideInteger(isSigned: boolean): Kind {
  const fits = isSigned ? BigInt.asIntN : BigInt.asUintN;
  return {
    bytes: 8,
    write(into, at, value) {
      if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return false;
      const exact = BigInt(value as number | bigint);
      if (fits(64, exact) !== exact) return false;
      into.writeBigUInt64LE(BigInt.asUintN(64, exact), at);
      return true;
    },
    read: (from, at) => String(isSigned ? from.readBigInt64LE(at) : from.readBigUInt64LE(at)),
  };
}

/** JSON has no NaN; Triton writes and reads these words all the same. */
const floatText = (value: number): string => (Object.is(value, -0) ? '-0.0' : String(value));

function float(bytes: 4 | 8): Kind {
  return {
    bytes,
    write(into, at, value) {
      if (typeof value !== 'number' && typeof value !== 'bigint') return false;
      const number = Number(value);
      if (bytes === 4 && Number.isFinite(number) && !Number.isFinite(Math.fround(number))) return false;
      if (bytes === 4) into.writeFloatLE(number, at);
      else into.writeDoubleLE(number, at);
      return true;
    },
    read: (from, at) => floatText(bytes === 4 ? shortest(from.readFloatLE(at)) : from.readDoubleLE(at)),
  };
}

/** The shortest decimal that is the same number as a float of 32 bits. */
function shortest(value: number): number {
  if (!Number.isFinite(value) || value === 0) return value;
  for (let digits = 6; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return Number(value.toPrecision(9));
}

const bool: Kind = {
  bytes: 1,
  write(into, at, value) {
    if (typeof value !== 'boolean') return false;
    into[at] = value ? 1 : 0;
    return true;
  },
  read: (from, at) => (from[at] === 0 ? 'false' : 'true'),
};

const kinds = new Map<string, Kind>([
  ['BOOL', bool],
  ['INT8', integer(1, true)],
  ['INT16', integer(2, true)],
  ['INT32', integer(4, true)],
  ['INT64', wideInteger(true)],
  ['UINT8', integer(1, false)],
  ['UINT16', integer(2, false)],
  ['UINT32', integer(4, false)],
  ['UINT64', wideInteger(false)],
  ['FP32', float(4)],
  ['FP64', float(8)],
]);

function shown(value: Json): string {
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Map) return 'an object';
  return typeof value === 'string' ? JSON.stringify(shownText(value, 40)) : String(value as number);
}

/** Nested arrays may stand for the shape; row-major either way. */
function flat(data: readonly Json[]): readonly Json[] {
  if (!data.some(Array.isArray)) return data;
  const into: Json[] = [];
  flatten(data, into);
  return into;
}

function flatten(data: readonly Json[], into: Json[]): void {
  for (const value of data) {
    if (Array.isArray(value)) flatten(value as readonly Json[], into);
    else into.push(value);
  }
}

function packBytes(values: readonly Json[], where: string): Buffer {
  const parts = values.flatMap((value, i) => {
    if (typeof value !== 'string') throw invalid(`${where}[${i}]: ${shown(value)}, BYTES are strings`);
    if (/\p{Surrogate}/u.test(value)) throw invalid(`${where}[${i}]: half a surrogate pair is no text`);
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat(parts);
}

/** `data` of an input as the raw bytes of a tensor. Throws 400 naming the element that is wrong. */
export function packData(
  data: readonly Json[],
  datatype: string,
  shape: readonly number[],
  where: string,
): Buffer {
  const values = flat(data);
  const expected = shape.reduce((product, dimension) => product * dimension, 1);
  if (values.length !== expected) {
    throw invalid(`${where}: ${values.length} elements, the shape [${shape.join(', ')}] has ${expected}`);
  }
  if (datatype === 'BYTES') return packBytes(values, where);
  const kind = kinds.get(datatype);
  if (kind === undefined) throw noJson(datatype, where);
  const bytes = Buffer.allocUnsafe(values.length * kind.bytes);
  for (const [i, value] of values.entries()) {
    if (!kind.write(bytes, i * kind.bytes, value)) {
      throw invalid(`${where}[${i}]: ${shown(value)} is no ${datatype}`);
    }
  }
  return bytes;
}

function noJson(datatype: string, where: string): HttpFault {
  const name = shownText(datatype, 40);
  return ['FP16', 'BF16'].includes(datatype)
    ? invalid(`${where}: ${name} has no form in JSON, use the binary tensor data extension`)
    : invalid(`${where}: "${name}" is no datatype`);
}

function* bytesElements(raw: Buffer, where: string): Generator<string> {
  for (let at = 0; at < raw.length;) {
    const length = at + 4 <= raw.length ? raw.readUInt32LE(at) : Infinity;
    if (at + 4 + length > raw.length) throw invalid(`${where}: an element of BYTES runs over the end`);
    const element = raw.subarray(at + 4, at + 4 + length);
    if (!isUtf8(element)) throw invalid(`${where}: bytes that are no UTF-8 text, ask for binary_data`);
    yield JSON.stringify(element.toString());
    at += 4 + length;
  }
}

/** Raw bytes of an output as the text of a flat JSON array; 64-bit integers with all their digits. */
export function dataText(raw: Buffer, datatype: string, where: string): string {
  if (datatype === 'BYTES') return `[${[...bytesElements(raw, where)].join(',')}]`;
  const kind = kinds.get(datatype);
  if (kind === undefined) throw noJson(datatype, where);
  const texts = new Array<string>(Math.floor(raw.length / kind.bytes));
  for (let i = 0; i < texts.length; i += 1) texts[i] = kind.read(raw, i * kind.bytes);
  return `[${texts.join(',')}]`;
}
