/**
 * The part of Avro that our topics use. Maps are left out on purpose (arrays of records instead): a map's
 * keys come from the wire. So are recursive types: nesting is bounded by the schema. Attributes of our own, which the canonical form ignores:
 * `x-js: bigint` on a long; `x-absent` on a nullable field whose null is an absent property;
 * `x-kind` on records of a union: the value of their `kind` property in the domain type.
 */
export type PrimitiveName = 'null' | 'boolean' | 'int' | 'float' | 'double' | 'bytes' | 'string';

export interface AvroField {
  readonly name: string;
  readonly type: AvroType;
  readonly absentIfNull: boolean;
  readonly hasDefault: boolean;
  /** JSON as the schema has it. */
  readonly default: unknown;
}
export interface AvroRecord {
  readonly kind: 'record';
  readonly name: string;
  readonly tag: string | null;
  readonly fields: readonly AvroField[];
}
export interface AvroEnum {
  readonly kind: 'enum';
  readonly name: string;
  readonly symbols: readonly string[];
  readonly default: string | null;
}
export type AvroType =
  | { readonly kind: PrimitiveName }
  | { readonly kind: 'long'; readonly bigint: boolean }
  | { readonly kind: 'fixed'; readonly name: string; readonly size: number }
  | { readonly kind: 'array'; readonly items: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }
  | AvroEnum
  | AvroRecord;

type Json = Readonly<Record<string, unknown>>;
const primitives: readonly string[] = ['null', 'boolean', 'int', 'float', 'double', 'bytes', 'string'];
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

function checkedName(name: unknown): string {
  const good = typeof name === 'string' && namePattern.test(name) && name !== '__proto__';
  if (!good) throw new Error(`schema: ${JSON.stringify(name)} is no name`);
  return name;
}

/** Turns a schema's JSON into a tree. Throws Error on anything outside the part of Avro above. */
export class SchemaParser {
  private readonly named = new Map<string, AvroType>();

  parse(schema: unknown, namespace = ''): AvroType {
    if (Array.isArray(schema)) {
      return { kind: 'union', branches: schema.map((branch) => this.parse(branch, namespace)) };
    }
    if (typeof schema === 'string') return this.reference(schema, namespace);
    if (typeof schema !== 'object' || schema === null) throw new Error('schema: not a schema');
    return this.complex(schema as Json, namespace);
  }

  private reference(name: string, namespace: string): AvroType {
    if (name === 'long') return { kind: 'long', bigint: false };
    if (primitives.includes(name)) return { kind: name as PrimitiveName };
    const found = this.named.get(name.includes('.') ? name : qualified(name, namespace));
    if (found === undefined) throw new Error(`schema: unknown type ${name}`);
    return found;
  }

  private complex(schema: Json, namespace: string): AvroType {
    switch (schema['type']) {
      case 'record':
        return this.record(schema, namespace);
      case 'enum':
        return this.enumeration(schema, namespace);
      case 'fixed': {
        const type: AvroType = {
          kind: 'fixed',
          name: checkedName(schema['name']),
          size: Number(schema['size']),
        };
        return this.define(type, schema, namespace);
      }
      case 'array':
        return { kind: 'array', items: this.parse(schema['items'], namespace) };
      case 'long':
        return { kind: 'long', bigint: schema['x-js'] === 'bigint' };
      default:
        return this.parse(schema['type'], namespace);
    }
  }

  private record(schema: Json, outer: string): AvroType {
    const namespace = namespaceOf(schema, outer);
    const tag = typeof schema['x-kind'] === 'string' ? schema['x-kind'] : null;
    const fields = (schema['fields'] as Json[]).map((field) => ({
      name: checkedName(field['name']),
      type: this.parse(field['type'], namespace),
      absentIfNull: field['x-absent'] === true,
      hasDefault: 'default' in field,
      default: field['default'],
    }));
    return this.define({ kind: 'record', name: checkedName(schema['name']), tag, fields }, schema, outer);
  }

  private enumeration(schema: Json, namespace: string): AvroType {
    const symbols = (schema['symbols'] as unknown[]).map(checkedName);
    const fallback = typeof schema['default'] === 'string' ? schema['default'] : null;
    return this.define(
      { kind: 'enum', name: checkedName(schema['name']), symbols, default: fallback },
      schema,
      namespace,
    );
  }

  private define(type: AvroType, schema: Json, outer: string): AvroType {
    const fullName = qualified(String(schema['name']), namespaceOf(schema, outer));
    if (this.named.has(fullName)) throw new Error(`schema: ${fullName} is defined twice`);
    this.named.set(fullName, type);
    return type;
  }
}

function namespaceOf(schema: Json, outer: string): string {
  return typeof schema['namespace'] === 'string' ? schema['namespace'] : outer;
}

function qualified(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`;
}

/** Parsing Canonical Form of the Avro specification ("Transforming into Parsing Canonical Form"). */
export function canonicalForm(schema: unknown, namespace = ''): string {
  if (Array.isArray(schema)) return `[${schema.map((s) => canonicalForm(s, namespace)).join(',')}]`;
  if (typeof schema === 'string') {
    const plain = schema === 'long' || primitives.includes(schema);
    return JSON.stringify(plain ? schema : qualified(schema, namespace));
  }
  const { type, name, fields, symbols, items, size } = schema as Json;
  const own = namespaceOf(schema as Json, namespace);
  const head = `{"name":${JSON.stringify(qualified(String(name), own))},"type":${JSON.stringify(type)}`;
  if (type === 'record') {
    const list = (fields as Json[]).map(
      (field) => `{"name":${JSON.stringify(field['name'])},"type":${canonicalForm(field['type'], own)}}`,
    );
    return `${head},"fields":[${list.join(',')}]}`;
  }
  if (type === 'enum') return `${head},"symbols":${JSON.stringify(symbols)}}`;
  if (type === 'fixed') return `${head},"size":${Number(size)}}`;
  if (type === 'array') return `{"type":"array","items":${canonicalForm(items, namespace)}}`;
  return canonicalForm(type, namespace);
}
