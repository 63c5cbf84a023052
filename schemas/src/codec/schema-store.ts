import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SchemaParser, canonicalForm, type AvroType } from './avro-schema';
import { compileReader, type Read } from './compile-reader';
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
    if (!this.readers.has(key)) this.readers.set(key, compileReader(writer.type, this.current.type));
  }

  private scanHistory(): void {
    const now = performance.now();
    if (now < this.nextScanAt || !existsSync(this.historyFolder)) return;
    this.nextScanAt = now + rescanEveryMs;
    for (const file of readdirSync(this.historyFolder).sort()) {
      if (file.endsWith('.avsc')) this.add(loadSchema(join(this.historyFolder, file)));
    }
  }
}
