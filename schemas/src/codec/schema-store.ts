import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RoundhouseError } from '../errors';
import { type Type } from 'avsc';
import { avroType, canonicalForm } from './avro-type';
import { fingerprintBytes } from './fingerprint';
import { guardOf } from './guard';
import { prunedSchema, type WantedFields } from './pruned-schema';

const rescanEveryMs = 1_000;

interface StoredSchema {
  readonly type: Type;
  /** The 8 bytes of the single-object header. */
  readonly fingerprint: Buffer;
}
/** Reads the body of a message, which starts at `start` and takes the rest. */
export type Read = (bytes: Buffer, start: number) => unknown;

function readSchema(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8')) as unknown;
}

function loadSchema(file: string): StoredSchema {
  const type = avroType(readSchema(file));
  return { type, fingerprint: fingerprintBytes(canonicalForm(type)) };
}

/** Reads what `writer` wrote as `reader` wants it. Throws Error where the two schemas can't be resolved. */
export function compileReader(writer: Type, reader: Type): Read {
  const guard = guardOf(writer);
  const resolver = writer === reader ? undefined : reader.createResolver(writer);
  return (bytes, start) => {
    const cursor = { bytes, at: start };
    guard(cursor);
    const left = bytes.length - cursor.at;
    if (left > 0) throw new RoundhouseError('PAYLOAD_INVALID', `${left} bytes too many at byte ${cursor.at}`);
    try {
      const { value, offset } = reader.decode(bytes, start, resolver) as { value: unknown; offset: number };
      if (offset !== bytes.length) throw new Error(`avsc stopped at byte ${offset}`);
      return value;
    } catch (error) {
      throw new RoundhouseError('PAYLOAD_INVALID', `has no meaning here: ${String(error)}`, [], {
        cause: error,
      });
    }
  };
}

/** A schema that can't be read as the current one fails its messages, not those of other writers. */
function readerOf(writer: Type, reader: Type): Read {
  try {
    return compileReader(writer, reader);
  } catch (error) {
    return () => {
      throw new RoundhouseError('SCHEMA_UNKNOWN', `the writer's schema can't be read here: ${String(error)}`);
    };
  }
}

/**
 * The schemas of one topic: `<name>.avsc` is what this version writes and reads as, `history/<name>/*.avsc`
 * are those of other versions' writers, older or newer. An unknown fingerprint makes it look into the
 * folder again (at most once a second), so a newer writer's schema can be laid there before it is rolled out.
 * A store with `wanted` reads only those fields, and passes over the bytes of the others.
 */
export class SchemaStore {
  readonly current: StoredSchema;
  private readonly readers = new Map<bigint, Read>();
  private readonly historyFolder: string;
  private readonly reader: Type;
  private nextScanAt = 0;

  constructor(folder: string, name: string, wanted?: WantedFields) {
    const file = join(folder, `${name}.avsc`);
    this.current = loadSchema(file);
    this.reader = wanted === undefined ? this.current.type : avroType(prunedSchema(readSchema(file), wanted));
    this.historyFolder = join(folder, 'history', name);
    // An own schema that can't be guarded is a fault of the program, not of a message.
    this.readers.set(
      this.current.fingerprint.readBigUInt64LE(),
      compileReader(this.current.type, this.reader),
    );
  }

  /** Reads what the writer with this fingerprint wrote; null where nobody knows that schema. */
  readerFor(fingerprint: bigint): Read | null {
    const known = this.readers.get(fingerprint);
    if (known !== undefined) return known;
    this.scanHistory();
    return this.readers.get(fingerprint) ?? null;
  }

  private add(writer: StoredSchema): void {
    const key = writer.fingerprint.readBigUInt64LE();
    if (!this.readers.has(key)) this.readers.set(key, readerOf(writer.type, this.reader));
  }

  private addFile(file: string): void {
    try {
      this.add(loadSchema(file));
    } catch (error) {
      throw new RoundhouseError('SCHEMA_UNKNOWN', `${file} is no schema: ${String(error)}`);
    }
  }

  private scanHistory(): void {
    const now = performance.now();
    if (now < this.nextScanAt || !existsSync(this.historyFolder)) return;
    this.nextScanAt = now + rescanEveryMs;
    for (const file of readdirSync(this.historyFolder).sort()) {
      if (file.endsWith('.avsc')) this.addFile(join(this.historyFolder, file));
    }
  }
}
