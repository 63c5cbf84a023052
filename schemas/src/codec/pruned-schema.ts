/** Fields that are read; those of a record within, or of the records of an array, by their names in turn. */
export interface WantedFields {
  readonly [field: string]: true | WantedFields;
}

interface RecordSchema {
  readonly type: 'record';
  readonly fields: readonly { readonly name: string; readonly type: unknown }[];
}
interface ArraySchema {
  readonly type: 'array';
  readonly items: unknown;
}

function isObject(schema: unknown): schema is RecordSchema | ArraySchema {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema);
}

/** The schema of a reader that wants only these fields. Throws Error for a field that is not there. */
export function prunedSchema(schema: unknown, wanted: WantedFields): unknown {
  if (!isObject(schema)) throw new Error('only records and arrays of them have fields to choose from');
  if (schema.type === 'array') return { ...schema, items: prunedSchema(schema.items, wanted) };
  const { fields } = schema;
  const missing = Object.keys(wanted).filter((name) => !fields.some((field) => field.name === name));
  if (missing.length > 0) throw new Error(`no field ${missing.join(', ')}`);
  return {
    ...schema,
    fields: fields.flatMap((field) => {
      const inner = wanted[field.name];
      if (inner === undefined) return [];
      return [inner === true ? field : { ...field, type: prunedSchema(field.type, inner) }];
    }),
  };
}
