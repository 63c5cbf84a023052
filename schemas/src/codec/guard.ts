import { isUtf8 } from 'node:buffer';
import type { Type, types } from 'avsc';
import { RoundhouseError } from '../errors';
import { largestLong } from './domain-types';

/**
 * Walks bytes that nobody vouches for by the type that their writer had, and builds nothing: what comes
 * through, avsc can decode in memory bounded by the message. See docs/adr on avsc.
 */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
}
export type Walk = (cursor: Cursor) => void;

function fail(cursor: Cursor, reason: string): never {
  throw new RoundhouseError('PAYLOAD_INVALID', `${reason} at byte ${cursor.at}`);
}

function take(cursor: Cursor, count: number): void {
  const left = cursor.bytes.length - cursor.at;
  if (count > left) fail(cursor, `${count} bytes wanted, ${left} left`);
  cursor.at += count;
}

/** The zig-zag number of a varint of at most 10 bytes: exact to 2^53, even ones to 2^54. */
function zigzag(cursor: Cursor): number {
  const { bytes } = cursor;
  let value = 0;
  let scale = 1;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[cursor.at + i];
    if (byte === undefined) fail(cursor, 'integer cut off');
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      if (i === 9 && byte > 1) fail(cursor, 'integer beyond 64 bits');
      cursor.at += i + 1;
      return value;
    }
    scale *= 128;
  }
  return fail(cursor, 'integer of more than 10 bytes');
}

/**
 * A long that avsc reads exactly. Odd ones are −(z + 1) / 2, and z must be below 2^53: beyond it z loses its
 * parity, which is the sign.
 */
function long(cursor: Cursor): number {
  const odd = cursor.at < cursor.bytes.length && (cursor.bytes[cursor.at]! & 1) === 1;
  const z = zigzag(cursor);
  if (odd ? z >= 2 ** 53 : z > 2 * largestLong) fail(cursor, 'integer is not exact as a number');
  return odd ? -(z + 1) / 2 : z / 2;
}

function int(cursor: Cursor): void {
  if (zigzag(cursor) >= 2 ** 32) fail(cursor, 'integer beyond 32 bits');
}

function boolean(cursor: Cursor): void {
  take(cursor, 1);
  if (cursor.bytes[cursor.at - 1]! > 1) fail(cursor, 'no boolean');
}

/** Moves behind the length and the bytes; returns where the bytes start. */
function byteString(cursor: Cursor): number {
  const length = long(cursor);
  if (length < 0) fail(cursor, `negative length ${length}`);
  const start = cursor.at;
  take(cursor, length);
  return start;
}

/** avsc would read bytes that are not UTF-8 as U+FFFD, so that two ids could become one. */
function text(cursor: Cursor): void {
  const { bytes } = cursor;
  let at = byteString(cursor);
  while (at < cursor.at && bytes[at]! < 0x80) at++;
  if (at < cursor.at && !isUtf8(bytes.subarray(at, cursor.at))) fail(cursor, 'text is not UTF-8');
}

function index(cursor: Cursor, count: number, what: string): number {
  const value = long(cursor);
  if (value < 0 || value >= count) fail(cursor, `${what} ${value} of ${count}`);
  return value;
}

/** Items of the next block, 0 at the end of the array, and where the block must end (if it says so). */
function block(cursor: Cursor, itemBytes: number): { count: number; end: number | null } {
  const count = long(cursor);
  const size = count < 0 ? long(cursor) : null;
  const left = cursor.bytes.length - cursor.at;
  if (size !== null && (size < 0 || size > left)) fail(cursor, `block of ${size} bytes, ${left} left`);
  if (Math.abs(count) * itemBytes > left) fail(cursor, `${Math.abs(count)} items cannot be in ${left} bytes`);
  return { count: Math.abs(count), end: size === null ? null : cursor.at + size };
}

function arrayWalk(item: Walk, itemBytes: number): Walk {
  return (cursor) => {
    for (let next = block(cursor, itemBytes); next.count > 0; next = block(cursor, itemBytes)) {
      for (let i = 0; i < next.count; i++) item(cursor);
      // avsc skips a block by its size: a wrong one would let it go on somewhere else.
      if (next.end !== null && next.end !== cursor.at) fail(cursor, `block ends at ${next.end}, not`);
    }
  };
}

/** Bytes that a value of the type takes at least: what bounds the count of a hostile block. */
function smallestSize(type: Type): number {
  const plain = withoutLogic(type);
  if (is<types.RecordType>(plain, 'record')) {
    return plain.fields.reduce((sum, field) => sum + smallestSize(field.type), 0);
  }
  if (is<types.UnwrappedUnionType>(plain, 'union:unwrapped')) {
    return 1 + Math.min(...plain.types.map(smallestSize));
  }
  if (is<types.FixedType>(plain, 'fixed')) return plain.size;
  return { null: 0, float: 4, double: 8 }[plain.typeName] ?? 1;
}

function withoutLogic(type: Type): Type {
  return (type as Partial<types.LogicalType>).underlyingType ?? type;
}

function is<T extends Type>(type: Type, typeName: string): type is T {
  return type.typeName === typeName;
}

const leaves: Readonly<Record<string, Walk>> = {
  null: () => undefined,
  boolean,
  int,
  long,
  'abstract:long': zigzag,
  float: (cursor) => take(cursor, 4),
  double: (cursor) => take(cursor, 8),
  bytes: byteString,
  string: text,
};

function recordWalk(type: types.RecordType, open: readonly string[]): Walk {
  const name = String(type.name);
  if (open.includes(name)) throw new Error(`schema: ${name} is recursive`);
  const bad = type.fields.find((field) => field.name === '__proto__');
  if (bad) throw new Error(`schema: ${name} has a field __proto__`);
  const walks = type.fields.map((field) => guardOf(field.type, [...open, name]));
  return (cursor) => {
    for (let i = 0; i < walks.length; i++) walks[i]!(cursor);
  };
}

/**
 * Throws PAYLOAD_INVALID where the bytes are not a value of the type. Here it throws Error for a schema that
 * could not be bounded: recursion, maps (their keys would come from the wire).
 */
export function guardOf(type: Type, open: readonly string[] = []): Walk {
  const plain = withoutLogic(type);
  if (is<types.RecordType>(plain, 'record')) return recordWalk(plain, open);
  if (is<types.ArrayType>(plain, 'array')) {
    return arrayWalk(guardOf(plain.itemsType, open), Math.max(1, smallestSize(plain.itemsType)));
  }
  if (is<types.EnumType>(plain, 'enum')) {
    const count = plain.symbols.length;
    return (cursor) => void index(cursor, count, 'enum value');
  }
  if (is<types.UnwrappedUnionType>(plain, 'union:unwrapped')) {
    const walks = plain.types.map((branch) => guardOf(branch, open));
    return (cursor) => walks[index(cursor, walks.length, 'union branch')]!(cursor);
  }
  if (is<types.FixedType>(plain, 'fixed')) return (cursor) => take(cursor, plain.size);
  const leaf = leaves[plain.typeName];
  if (leaf === undefined) throw new Error(`schema: ${plain.typeName} is not for messages`);
  return leaf;
}
