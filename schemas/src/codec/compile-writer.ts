import { RoundhouseError } from '../errors';
import type { AvroRecord, AvroType } from './avro-schema';
import type { ByteWriter } from './byte-writer';

export type Write = (to: ByteWriter, value: unknown) => void;

/** A value that its schema can't hold; records and arrays prepend where it stands. */
class UnwritableValue extends Error {
  path = '';
  constructor(expected: string, value: unknown) {
    super(`expected ${expected}, got ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  }
}

export function payloadError(error: unknown): unknown {
  if (!(error instanceof UnwritableValue)) return error;
  const path = error.path.replace(/^\./, '');
  return new RoundhouseError('PAYLOAD_INVALID', `${path}: ${error.message}`, [], { cause: error });
}

function located(error: unknown, step: string): unknown {
  if (error instanceof UnwritableValue) error.path = step + error.path;
  return error;
}

/** Without it an unpaired surrogate would silently become another character. */
function isWellFormed(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}

const checkedWrites: Readonly<Record<string, Write>> = {
  null: (_to, value) => {
    if (value !== null) throw new UnwritableValue('null', value);
  },
  boolean: (to, value) => {
    if (typeof value !== 'boolean') throw new UnwritableValue('a boolean', value);
    to.boolean(value);
  },
  int: (to, value) => {
    if (typeof value !== 'number' || value !== (value | 0))
      throw new UnwritableValue('a 32-bit integer', value);
    to.long(value);
  },
  float: (to, value) => {
    if (typeof value !== 'number') throw new UnwritableValue('a number', value);
    to.float(value);
  },
  double: (to, value) => {
    if (typeof value !== 'number') throw new UnwritableValue('a number', value);
    to.double(value);
  },
  bytes: (to, value) => {
    if (!(value instanceof Uint8Array)) throw new UnwritableValue('bytes', value);
    to.byteString(value);
  },
  string: (to, value) => {
    if (typeof value !== 'string' || !isWellFormed(value)) throw new UnwritableValue('text', value);
    to.string(value);
  },
};

function writeLong(to: ByteWriter, value: unknown): void {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new UnwritableValue('an integer of at most 53 bits', value);
  }
  to.long(value);
}

function writeBigLong(to: ByteWriter, value: unknown): void {
  if (typeof value !== 'bigint' || BigInt.asIntN(64, value) !== value) {
    throw new UnwritableValue('a 64-bit bigint', value);
  }
  to.bigLong(value);
}

function recordWriter(record: AvroRecord): Write {
  const names = record.fields.map((field) => field.name);
  const writes = record.fields.map((field): Write => {
    const write = compileWriter(field.type);
    return field.absentIfNull ? (to, value) => write(to, value === undefined ? null : value) : write;
  });
  return (to, value) => {
    if (typeof value !== 'object' || value === null) throw new UnwritableValue(record.name, value);
    let i = 0;
    try {
      for (; i < names.length; i++) writes[i]!(to, (value as Record<string, unknown>)[names[i]!]);
    } catch (error) {
      throw located(error, `.${names[i]}`);
    }
  };
}

function arrayWriter(items: AvroType): Write {
  const write = compileWriter(items);
  return (to, value) => {
    if (!Array.isArray(value)) throw new UnwritableValue('an array', value);
    if (value.length > 0) to.long(value.length);
    let i = 0;
    try {
      for (; i < value.length; i++) write(to, value[i]);
    } catch (error) {
      throw located(error, `[${i}]`);
    }
    to.long(0);
  };
}

function unionWriter(branches: readonly AvroType[]): Write {
  const writes = branches.map(compileWriter);
  const nullIndex = branches.findIndex((branch) => branch.kind === 'null');
  const byTag = new Map(branches.map((branch, i) => [branch.kind === 'record' ? branch.tag : null, i]));
  const others = branches.flatMap((branch, i) => (branch.kind === 'null' ? [] : [i]));
  const branchOf = (value: unknown): number | undefined => {
    if (value === null) return nullIndex < 0 ? undefined : nullIndex;
    if (others.length === 1) return others[0];
    return byTag.get((value as { kind?: string } | undefined)?.kind ?? null);
  };
  return (to, value) => {
    const branch = branchOf(value);
    if (branch === undefined) throw new UnwritableValue('a branch of the union', value);
    to.long(branch);
    writes[branch]!(to, value);
  };
}

export function compileWriter(type: AvroType): Write {
  switch (type.kind) {
    case 'record':
      return recordWriter(type);
    case 'array':
      return arrayWriter(type.items);
    case 'union':
      return unionWriter(type.branches);
    case 'long':
      return type.bigint ? writeBigLong : writeLong;
    case 'fixed':
      return (to, value) => {
        if (!(value instanceof Uint8Array) || value.byteLength !== type.size) {
          throw new UnwritableValue(`${type.size} bytes`, value);
        }
        to.fixed(value);
      };
    case 'enum': {
      const indices = new Map(type.symbols.map((symbol, i) => [symbol, i]));
      return (to, value) => {
        const index = indices.get(value as string);
        if (index === undefined) throw new UnwritableValue(`one of ${type.symbols.join(', ')}`, value);
        to.long(index);
      };
    }
    default:
      return checkedWrites[type.kind]!;
  }
}
