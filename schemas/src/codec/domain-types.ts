import { isUtf8 } from 'node:buffer';
import { types, type Type } from 'avsc';

/**
 * How avsc's values and ours differ, as avsc's logical types: none of them changes a byte. `_toValue` gives
 * undefined for what the schema can't hold, and avsc then rejects it; `_resolve` says how to take a value of
 * another writer's type.
 */
const identity = (value: unknown) => value;

abstract class CheckedType extends types.LogicalType {
  /** For messages: "expected …". */
  abstract readonly expects: string;
  protected override _fromValue(value: unknown): unknown {
    return value;
  }
}

/** avsc's own range is wider but wrong below −2^52: it reads −2^52 − 3 back as +2^52 + 2. */
const smallestLong = -(2 ** 52);
/** avsc's own bound. */
export const largestLong = 2 ** 53 - 2;

class IntegerType extends CheckedType {
  override readonly expects: string;
  constructor(
    type: 'int' | 'long',
    private readonly smallest: number,
    private readonly largest: number,
  ) {
    super({ type, logicalType: `x-${type}` });
    this.expects = type === 'int' ? 'a 32-bit integer' : 'an integer from −2^52 to 2^53 − 2';
  }

  protected override _toValue(value: unknown): number | undefined {
    if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
    return value >= this.smallest && value <= this.largest ? value : undefined;
  }

  protected override _resolve(writer: Type): ((value: unknown) => unknown) | undefined {
    if (writer.typeName === 'logical:x-int' || writer.typeName === this.typeName) return identity;
    if (writer.typeName !== 'abstract:long') return undefined;
    return (value) => {
      const number = this._toValue(Number(value));
      if (number === undefined) throw new Error(`${String(value)} is not exact as a number`);
      return number;
    };
  }
}

/** avsc's string writes an unpaired surrogate as three bytes that no reader takes back. */
class TextType extends CheckedType {
  override readonly expects = 'text';
  protected override _toValue(value: unknown): string | undefined {
    if (typeof value !== 'string') return undefined;
    return (value as unknown as { isWellFormed(): boolean }).isWellFormed() ? value : undefined;
  }

  protected override _resolve(writer: Type): ((value: unknown) => unknown) | undefined {
    if (writer.typeName === this.typeName) return identity;
    if (writer.typeName !== 'logical:x-bytes') return undefined;
    return (value) => {
      if (!isUtf8(value as Buffer)) throw new Error('text is not UTF-8');
      return String(value);
    };
  }
}

/** avsc's bytes take a Buffer only. */
class BytesType extends CheckedType {
  override readonly expects = 'bytes';
  protected override _toValue(value: unknown): Buffer | undefined {
    if (Buffer.isBuffer(value)) return value;
    if (!(value instanceof Uint8Array)) return undefined;
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }

  protected override _resolve(writer: Type): ((value: unknown) => unknown) | undefined {
    if (writer.typeName === this.typeName) return identity;
    return writer.typeName === 'logical:x-text' ? (value) => Buffer.from(value as string) : undefined;
  }
}

/** avsc's enum takes `constructor` and `['bike']` for symbols: it looks them up in an object. */
export class SymbolType extends CheckedType {
  private get symbols(): readonly string[] {
    return (this.underlyingType as types.EnumType).symbols;
  }
  override get expects(): string {
    return `one of ${this.symbols.join(', ')}`;
  }
  protected override _toValue(value: unknown): unknown {
    return this.symbols.includes(value as string) ? value : undefined;
  }

  protected override _resolve(writer: Type): ((value: unknown) => unknown) | undefined {
    if (!(writer instanceof SymbolType)) return undefined;
    this.underlyingType.createResolver(writer.underlyingType); // throws where they can't be resolved
    const fallback = (this.underlyingType as unknown as { default?: string }).default;
    return (symbol) => (this.symbols.includes(symbol as string) ? symbol : fallback);
  }
}

export const intType = new IntegerType('int', -(2 ** 31), 2 ** 31 - 1);
export const longType = new IntegerType('long', smallestLong, largestLong);
export const textType = new TextType({ type: 'string', logicalType: 'x-text' });
export const bytesType = new BytesType({ type: 'bytes', logicalType: 'x-bytes' });

/** `"x-js": "bigint"`: exact over all of int64. */
export const bigintType = types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const buffer = Buffer.allocUnsafe(8);
    buffer.writeBigInt64LE(value);
    return buffer;
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value,
  compare: (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0),
});
