import { Type } from 'avsc';
import { RoundhouseError } from '../errors';
import { SymbolType, bigintType, bytesType, intType, longType, textType } from './domain-types';
import { DomainRecordType } from './record-type';

type Options = Parameters<typeof Type.forSchema>[1];

const plainTypes = new Map<unknown, Type>([
  ['int', intType],
  ['long', longType],
  ['string', textType],
  ['bytes', bytesType],
]);

/** avsc asks it for every schema that it meets; undefined leaves the type to avsc. */
function typeHook(schema: unknown, options: object): Type | undefined {
  if (typeof schema === 'string') return plainTypes.get(schema);
  if (Array.isArray(schema)) return undefined;
  const { type, logicalType, 'x-js': js } = schema as Readonly<Record<string, unknown>>;
  if (type === 'long' && js === 'bigint') return bigintType;
  if (plainTypes.has(type)) return plainTypes.get(type);
  if (typeof logicalType === 'string' && logicalType.startsWith('x-')) return undefined; // asked by our own type
  if (type === 'record') return new DomainRecordType(schema as never, options);
  if (type === 'enum')
    return new SymbolType({ ...(schema as object), logicalType: 'x-enum' } as never, options);
  return undefined;
}

/** The avsc type of a schema's JSON, with values as the domain has them. Throws Error for no schema. */
export function avroType(schema: unknown): Type {
  return Type.forSchema(
    schema as Parameters<typeof Type.forSchema>[0],
    { typeHook, wrapUnions: 'never', omitRecordMethods: true } as Options,
  );
}

/** Parsing Canonical Form of the Avro specification. */
export function canonicalForm(type: Type): string {
  return JSON.stringify(type.schema());
}

function expected(type: Type): string {
  if ('expects' in type) return String(type.expects);
  if (type.typeName === 'abstract:long') return 'a 64-bit bigint';
  if (type.typeName === 'union:unwrapped') {
    return (type as unknown as { types: Type[] }).types.map(expected).join(' or ');
  }
  return type.name ?? type.typeName;
}

function shown(value: unknown): string {
  return typeof value === 'object'
    ? JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}` : v))
    : String(value);
}

/** What avsc refused to write, as PAYLOAD_INVALID with the path of the first field at fault. */
export function unwritable(type: Type, value: unknown, cause: unknown): unknown {
  let message: string | null = null;
  const errorHook = (path: string[], found: unknown, at: Type) => {
    const steps = path.map((step) => (/^\d/.test(step) ? `[${step}]` : `.${step}`)).join('');
    message ??= `${steps.replace(/^\./, '')}: expected ${expected(at)}, got ${shown(found)}`;
  };
  if (type.isValid(value, { errorHook }) || message === null) return cause;
  return new RoundhouseError('PAYLOAD_INVALID', message, [], { cause });
}
