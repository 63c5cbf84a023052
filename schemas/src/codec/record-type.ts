import { types, type Type } from 'avsc';

interface RecordSchema {
  readonly 'x-kind'?: unknown;
  readonly fields: readonly {
    readonly name: string;
    readonly default?: unknown;
    readonly 'x-absent'?: unknown;
  }[];
}
interface Reading {
  _read(tap: unknown): unknown;
}
type Fields = Readonly<Record<string, unknown>>;

/**
 * A record as the domain has it: a plain object; a field marked `x-absent` is an absent property where it is
 * null on the wire; a record marked `x-kind` has a property `kind` of that value, by which a union finds it.
 */
export class DomainRecordType extends types.LogicalType {
  private readonly kind: unknown;
  private readonly absent: readonly string[];
  private readonly record: types.RecordType;

  constructor(schema: RecordSchema, options: object) {
    super({ ...schema, logicalType: 'x-record' } as never, options);
    this.record = this.underlyingType as types.RecordType;
    this.record.recordConstructor.prototype = Object.prototype;
    this.kind = schema['x-kind'];
    const absent = schema.fields.filter((field) => field['x-absent'] === true);
    for (const field of absent) {
      if (field.default !== null)
        throw new Error(`schema: ${field.name} is x-absent: its default must be null`);
    }
    this.absent = absent.map((field) => field.name);
  }

  get expects(): string {
    return this.record.name ?? 'a record';
  }

  protected override _toValue(value: unknown): unknown {
    if (this.kind === undefined) return value;
    return (value as { kind?: unknown } | null | undefined)?.kind === this.kind ? value : undefined;
  }

  protected override _fromValue(value: Fields): Fields {
    const whole = this.absent.some((name) => value[name] === null) ? this.withoutAbsent(value) : value;
    return this.kind === undefined ? whole : { kind: this.kind, ...whole };
  }

  private withoutAbsent(value: Fields): Fields {
    const present: Record<string, unknown> = {};
    for (const { name } of this.record.fields) {
      if (value[name] !== null || !this.absent.includes(name)) present[name] = value[name];
    }
    return present;
  }

  /**
   * avsc's hook behind `createResolver`. The documented `_resolve` would get a value in the writer's shape,
   * without defaults; the record's own resolver reads the bytes into ours.
   */
  _update(resolver: Reading, writer: Type, options: object): void {
    const written = writer instanceof DomainRecordType ? writer.record : writer;
    if (written.name !== this.record.name) return; // avsc says "cannot read … as …"
    const inner = this.record.createResolver(written, options) as unknown as Reading;
    resolver._read = (tap) => this._fromValue(inner._read(tap) as Fields);
  }
}
