import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RoundhouseError } from '../errors';
import { SchemaParser, canonicalForm, type AvroType } from './avro-schema';
import { SchemasIncompatible, compileReader, type Read } from './compile-reader';
import { fingerprintBytes } from './fingerprint';

const rescanEveryMs = 1_000;

interface StoredSchema {
  readonly type: AvroType;
  /** The 8 bytes of the single-object header. */
  readonly fingerprint: Buffer;
}

function loadSchema(file: string): StoredSchema {
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return { type: new SchemaParser().parse(json), fingerprint: fingerprintBytes(canonicalForm(json)) };
}

/** A schema that can't be read as the current one fails its messages, not those of other writers. */
function readerOf(writer: AvroType, current: AvroType): Read {
  try {
    return compileReader(writer, current);
  } catch (error) {
    if (!(error instanceof SchemasIncompatible)) throw error;
    return () => {
      throw new RoundhouseError('SCHEMA_UNKNOWN', `the writer's schema can't be read here: ${error.message}`);
    };
  }
}

/**
 * The schemas of one topic: `<name>.avsc` is what this version writes and reads as, `history/<name>/*.avsc`
 * are those of other versions' writers, older or newer. An unknown fingerprint makes it look into the
 * folder again (at most once a second), so a newer writer's schema can be laid there before it is rolled out.
 */
export class SchemaStore {
  readonly current: StoredSchema;
  private readonly readers = new Map<bigint, Read>();
  private readonly historyFolder: string;
  private nextScanAt = 0;

  constructor(folder: string, name: string) {
    this.current = loadSchema(join(folder, `${name}.avsc`));
    this.historyFolder = join(folder, 'history', name);
    this.add(this.current);
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
    if (!this.readers.has(key)) this.readers.set(key, readerOf(writer.type, this.current.type));
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
