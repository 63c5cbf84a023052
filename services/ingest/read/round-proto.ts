import { loadSync, type PackageDefinition } from '@grpc/proto-loader';
import { RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import type { ElementLimits } from './json-shape';
import { requireProtoShape, type FieldShape, type MessageShape, type WireType } from './proto-shape';

/** Absent fields stay absent, so that the round's defaults hold; 64-bit integers are strings of digits. */
const options = { keepCase: false, longs: String, enums: String, arrays: false, defaults: false } as const;

export const loadProto = (file: string): PackageDefinition =>
  loadSync(projectPath('schemas', 'proto', file), options);

interface FieldDescriptor {
  readonly number: number;
  readonly type: string;
  readonly typeName: string;
}

const wireTypes: Readonly<Record<string, WireType>> = {
  ...{ TYPE_DOUBLE: 1, TYPE_FIXED64: 1, TYPE_SFIXED64: 1 },
  ...{ TYPE_FLOAT: 5, TYPE_FIXED32: 5, TYPE_SFIXED32: 5 },
  ...{ TYPE_STRING: 2, TYPE_BYTES: 2, TYPE_MESSAGE: 2 },
};

const scope = 'roundhouse.v1';

/** No message holds one of its own type. */
export function shapeOf(definition: PackageDefinition, name: string): MessageShape {
  const { type } = definition[`${scope}.${name}`] as unknown as {
    readonly type: { readonly field: readonly FieldDescriptor[] };
  };
  const shape = (field: FieldDescriptor): FieldShape => ({
    wire: wireTypes[field.type] ?? 0,
    message: field.type === 'TYPE_MESSAGE' ? shapeOf(definition, field.typeName) : null,
  });
  return new Map(type.field.map((field) => [field.number, shape(field)]));
}

let loaded: PackageDefinition | null = null;
let roundShape: MessageShape | null = null;

/** Of `roundhouse.proto`; read when it is first needed, which threads may never do. */
export function roundhouseProto(): PackageDefinition {
  return (loaded ??= loadProto('roundhouse.proto'));
}

/** A Round as it came over gRPC. Throws ROUND_TOO_LARGE or PAYLOAD_INVALID. */
export function parseProto(bytes: Buffer, limits: ElementLimits): unknown {
  const definition = roundhouseProto();
  requireProtoShape(bytes, (roundShape ??= shapeOf(definition, 'Round')), limits);
  const { deserialize } = definition[`${scope}.Round`] as unknown as { deserialize(bytes: Buffer): object };
  try {
    return deserialize(bytes);
  } catch (cause) {
    const message = `the message is no Round: ${(cause as Error).message}`;
    throw new RoundhouseError('PAYLOAD_INVALID', message, [], { cause });
  }
}
