import type { Type } from 'avsc';
import { avroType } from '#schemas/codec/avro-type';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const named = new Set(['record', 'enum', 'fixed']);

/**
 * Schemas of several topics in one: a type that stands in two of them (ModelRef) is defined once and named
 * afterwards, as Avro wants it. Throws Error where two of a name differ.
 */
function defineOnce(schema: unknown, known: Map<string, string>): unknown {
  if (Array.isArray(schema)) return schema.map((branch) => defineOnce(branch, known));
  if (!isObject(schema)) return schema;
  const { name, type } = schema;
  if (typeof name === 'string' && named.has(String(type))) {
    const text = JSON.stringify({ ...schema, namespace: null });
    const before = known.get(name);
    if (before === text) return name;
    if (before !== undefined) throw new Error(`two schemas of the name ${name}`);
    known.set(name, text);
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'fields') return [key, (value as Json[]).map((field) => fieldOnce(field, known))];
      return [key, key === 'type' || key === 'items' ? defineOnce(value, known) : value];
    }),
  );
}

function fieldOnce(field: Json, known: Map<string, string>): Json {
  return { ...field, type: defineOnce(field['type'], known) };
}

export interface EntryType {
  /** As it goes into a container's header. */
  readonly schemaText: string;
  readonly type: Type;
}

/** What stands in a container: a value, and before it the CRC-32 of the value's bytes. */
export function entryTypeOf(value: unknown): EntryType {
  const entry = {
    type: 'record',
    name: 'Entry',
    namespace: 'roundhouse',
    fields: [
      { name: 'crc32', type: 'long', doc: "CRC-32 of the value's bytes" },
      { name: 'value', type: value },
    ],
  };
  const schema = defineOnce(entry, new Map());
  return { schemaText: JSON.stringify(schema), type: avroType(schema) };
}
