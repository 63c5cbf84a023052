import type { AvroEnum, AvroField, AvroRecord, AvroType } from './avro-schema';
import type { ByteReader } from './byte-reader';

export type Read = (from: ByteReader) => unknown;

/** The two schemas can't be resolved (Avro specification, "Schema Resolution"). */
export class SchemasIncompatible extends Error {}

const primitiveReads: Readonly<Record<string, Read>> = {
  null: () => null,
  boolean: (from) => from.boolean(),
  int: (from) => from.int(),
  float: (from) => from.float(),
  double: (from) => from.double(),
  bytes: (from) => from.byteString(),
  string: (from) => from.string(),
};

const promotions: Readonly<Record<string, readonly string[]>> = {
  int: ['long', 'float', 'double'],
  long: ['float', 'double'],
  float: ['double'],
  string: ['bytes'],
  bytes: ['string'],
};

/** Reads what `writer` wrote, as `reader` wants it. Throws SchemasIncompatible at compile time. */
export function compileReader(writer: AvroType, reader: AvroType): Read {
  if (writer.kind === 'union') return unionReader(writer.branches, reader);
  if (reader.kind === 'union') {
    const branch = reader.branches.find((b) => b.kind === writer.kind && sameName(writer, b));
    const promoted = branch ?? reader.branches.find((b) => promotions[writer.kind]?.includes(b.kind));
    if (promoted === undefined) throw incompatible(writer, reader);
    return compileReader(writer, promoted);
  }
  if (writer.kind === 'record' && reader.kind === 'record') return recordReader(writer, reader);
  if (writer.kind === 'array' && reader.kind === 'array') return arrayReader(writer.items, reader.items);
  if (writer.kind === 'enum' && reader.kind === 'enum') return enumReader(writer, reader);
  if (writer.kind === 'fixed' && reader.kind === 'fixed' && writer.size === reader.size) {
    return (from) => from.fixed(writer.size);
  }
  return scalarReader(writer, reader);
}

function sameName(a: AvroType, b: AvroType): boolean {
  return !('name' in a && 'name' in b) || a.name === b.name;
}

function incompatible(writer: AvroType, reader: AvroType): SchemasIncompatible {
  return new SchemasIncompatible(`${writer.kind} can't be read as ${reader.kind}`);
}

function scalarReader(writer: AvroType, reader: AvroType): Read {
  const fits = writer.kind === reader.kind || promotions[writer.kind]?.includes(reader.kind);
  if (!fits) throw incompatible(writer, reader);
  if (reader.kind === 'long' && reader.bigint) return (from) => from.bigLong();
  if (writer.kind === 'long') return (from) => from.long();
  const read =
    primitiveReads[reader.kind === 'string' || reader.kind === 'bytes' ? reader.kind : writer.kind];
  if (read === undefined) throw incompatible(writer, reader);
  return read;
}

function unionReader(branches: readonly AvroType[], reader: AvroType): Read {
  const reads = branches.map((branch) => {
    try {
      return compileReader(branch, reader);
    } catch (error) {
      if (error instanceof SchemasIncompatible) return null;
      throw error;
    }
  });
  if (reads.every((read) => read === null)) throw new SchemasIncompatible('no branch can be read');
  return (from) => {
    const index = from.long();
    const read = reads[index];
    if (!read) return from.fail(`union branch ${index} has no meaning here`);
    return read(from);
  };
}

function enumReader(writer: AvroEnum, reader: AvroEnum): Read {
  const symbols = writer.symbols.map((s) => (reader.symbols.includes(s) ? s : reader.default));
  return (from) => {
    const index = from.long();
    const symbol = symbols[index];
    return symbol ?? from.fail(`enum value ${writer.symbols[index] ?? index} has no meaning here`);
  };
}

function arrayReader(writer: AvroType, reader: AvroType): Read {
  const read = compileReader(writer, reader);
  const itemBytes = Math.max(1, smallestSize(writer));
  return (from) => {
    const items: unknown[] = [];
    for (let count = from.blockCount(itemBytes); count !== 0; count = from.blockCount(itemBytes)) {
      for (let i = 0; i < count; i++) items.push(read(from));
    }
    return items;
  };
}

/** Bytes that a value of the type takes at least: what bounds the count of a hostile block. */
export function smallestSize(type: AvroType): number {
  if (type.kind === 'record') return type.fields.reduce((sum, field) => sum + smallestSize(field.type), 0);
  if (type.kind === 'union') return 1 + Math.min(...type.branches.map(smallestSize));
  if (type.kind === 'fixed') return type.size;
  return { null: 0, float: 4, double: 8 }[type.kind as string] ?? 1;
}

type ReadField = (from: ByteReader, into: Record<string, unknown>) => void;

function fieldReader(writer: AvroField, reader: AvroRecord): ReadField {
  const target = reader.fields.find((field) => field.name === writer.name);
  const read = compileReader(writer.type, target?.type ?? writer.type);
  if (target === undefined) return (from) => void read(from);
  const { name, absentIfNull } = target;
  if (!absentIfNull) return (from, into) => (into[name] = read(from));
  return (from, into) => {
    const value = read(from);
    if (value !== null) into[name] = value;
  };
}

function recordReader(writer: AvroRecord, reader: AvroRecord): Read {
  if (writer.name !== reader.name) throw new SchemasIncompatible(`${writer.name} is not ${reader.name}`);
  const steps = writer.fields.map((field) => fieldReader(field, reader));
  const missing = reader.fields.filter((field) => !writer.fields.some((f) => f.name === field.name));
  for (const field of missing) steps.push(defaultStep(field, reader));
  const { tag } = reader;
  return (from) => {
    const into: Record<string, unknown> = tag === null ? {} : { kind: tag };
    for (const step of steps) step(from, into);
    return into;
  };
}

function defaultStep(field: AvroField, reader: AvroRecord): ReadField {
  if (!field.hasDefault) throw new SchemasIncompatible(`${reader.name}.${field.name} has no default`);
  if (field.absentIfNull && field.default === null) return () => undefined;
  defaultValue(field.type, field.default);
  return (_from, into) => (into[field.name] = defaultValue(field.type, field.default));
}

/** A default of the schema's JSON as a value; a union's default is of its first branch. */
function defaultValue(type: AvroType, json: unknown): unknown {
  switch (type.kind) {
    case 'union':
      return defaultValue(type.branches[0]!, json);
    case 'array':
      return (json as unknown[]).map((item) => defaultValue(type.items, item));
    case 'record':
      return Object.fromEntries(
        type.fields.map((f) => [f.name, defaultValue(f.type, (json as Record<string, unknown>)[f.name])]),
      );
    case 'long':
      return type.bigint ? BigInt(json as number) : json;
    case 'bytes':
    case 'fixed':
      return Buffer.from(json as string, 'latin1');
    default:
      return json;
  }
}
