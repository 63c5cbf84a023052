import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';
import type { Type } from 'avsc';
import { avroType } from '#schemas/codec/avro-type';
import { guardOf, type Walk } from '#schemas/codec/guard';
import { compileReader, type Read } from '#schemas/codec/schema-store';
import { RoundhouseError } from '#schemas/errors';
import { MAX_HEADER_BYTES, readHeader, SYNC_BYTES } from './container-header';
import type { EntryType } from './entry-type';
import { readLong } from './varint';

/** A stretch of a file that is no whole block. */
export interface CorruptBlock {
  readonly file: string;
  readonly offset: number;
  /** Up to the next block that begins, or the end of the file. */
  readonly bytes: number;
  readonly reason: string;
}

export interface ReadOptions {
  /** Told of what is skipped; without it the first corrupt block throws RECORDING_INVALID with its offset. */
  readonly onCorrupt?: (block: CorruptBlock) => void;
  /** Bytes from here on are not read: they were not finished. */
  readonly length?: number;
}

/** A block has one value of at most a Kafka message's size, or small ones of 256 KiB together. */
const MAX_BLOCK_BYTES = 256 * 1024 * 1024;
const SCAN_BYTES = 1024 * 1024;

export function recordingInvalid(message: string, cause?: unknown): RoundhouseError {
  return new RoundhouseError('RECORDING_INVALID', message, [], { cause });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class BlockFile {
  private constructor(
    private readonly fd: number,
    readonly size: number,
  ) {}

  static open(file: string, length?: number): BlockFile {
    let fd: number;
    try {
      fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      throw recordingInvalid(`${file} can't be read (${(error as NodeJS.ErrnoException).code})`, error);
    }
    const found = fstatSync(fd);
    if (found.isFile()) return new BlockFile(fd, Math.min(found.size, length ?? Infinity));
    closeSync(fd);
    throw recordingInvalid(`${file} is no regular file`);
  }

  bytes(offset: number, count: number): Buffer {
    const buffer = Buffer.alloc(Math.max(0, Math.min(count, this.size - offset)));
    const read = readSync(this.fd, buffer, 0, buffer.length, offset);
    return buffer.subarray(0, read);
  }

  /** Where `marker` ends behind `from`; the file's end where it doesn't stand there. */
  behind(marker: Buffer, from: number): number {
    for (let at = from; at < this.size; at += SCAN_BYTES - marker.length) {
      const found = this.bytes(at, SCAN_BYTES).indexOf(marker);
      if (found >= 0) return at + found + marker.length;
    }
    return this.size;
  }

  close(): void {
    closeSync(this.fd);
  }
}

interface Block<T> {
  readonly values: readonly T[];
  readonly end: number;
}

/** The values of a container, in memory a block at a time, of writers with other versions of the schema, too. */
class ContainerReader<T> {
  private readonly walk: Walk;
  private readonly read: Read;
  private readonly sync: Buffer;
  readonly start: number;

  constructor(
    private readonly source: BlockFile,
    private readonly file: string,
    entry: EntryType,
  ) {
    try {
      const header = readHeader(source.bytes(0, MAX_HEADER_BYTES));
      if (header.codec !== 'deflate') throw new Error(`the codec is ${header.codec}, not deflate`);
      const writer: Type =
        header.schemaText === entry.schemaText ? entry.type : avroType(JSON.parse(header.schemaText));
      this.walk = guardOf(writer);
      this.read = compileReader(writer, entry.type);
      this.sync = header.sync;
      this.start = header.end;
    } catch (error) {
      throw recordingInvalid(`${file}: ${messageOf(error)}`, error);
    }
  }

  /** Throws Error with the reason where no whole block begins at the offset. */
  blockAt(offset: number): Block<T> {
    const head = this.source.bytes(offset, 20);
    const count = readLong(head, 0);
    const size = count && readLong(head, count.end);
    if (!count || !size) throw new Error('no block begins here');
    const dataStart = offset + size.end;
    const end = dataStart + size.value + SYNC_BYTES;
    if (size.value > MAX_BLOCK_BYTES || end > this.source.size) {
      throw new Error(
        `a block of ${size.value} bytes, and the file has ${this.source.size - dataStart} more`,
      );
    }
    const data = this.source.bytes(dataStart, size.value + SYNC_BYTES);
    if (!data.subarray(size.value).equals(this.sync))
      throw new Error('no sync marker at the end of the block');
    const plain = inflateRawSync(data.subarray(0, size.value), { maxOutputLength: MAX_BLOCK_BYTES });
    return { values: this.valuesIn(plain, count.value), end };
  }

  private valuesIn(bytes: Buffer, count: number): T[] {
    const values: T[] = [];
    const cursor = { bytes, at: 0 };
    while (cursor.at < bytes.length) {
      const start = cursor.at;
      this.walk(cursor);
      const crc = readLong(bytes, start)!;
      if (crc32(bytes.subarray(crc.end, cursor.at)) !== crc.value) throw new Error('a checksum differs');
      values.push((this.read(bytes.subarray(start, cursor.at), 0) as { value: T }).value);
    }
    if (values.length !== count) throw new Error(`${values.length} values, not the ${count} that it says`);
    return values;
  }

  corruptAt(offset: number, reason: string): CorruptBlock {
    return { file: this.file, offset, bytes: this.nextBlock(offset) - offset, reason };
  }

  /** Where its head says that it ends, if a block begins there; else behind the next sync marker. */
  private nextBlock(offset: number): number {
    const head = this.source.bytes(offset, 20);
    const count = readLong(head, 0);
    const size = count && readLong(head, count.end);
    const end = size ? offset + size.end + size.value + SYNC_BYTES : this.source.size;
    return end < this.source.size && this.isWhole(end) ? end : this.source.behind(this.sync, offset);
  }

  private isWhole(offset: number): boolean {
    try {
      return this.blockAt(offset).end > offset;
    } catch {
      return false;
    }
  }
}

export function corruptText({ file, offset, bytes, reason }: CorruptBlock): string {
  return `${file}: corrupt block at byte ${offset} (${bytes} bytes up to the next): ${reason}`;
}

/** Throws RECORDING_INVALID where the file can't be read at all. */
export function* readContainer<T>(
  file: string,
  entry: EntryType,
  { onCorrupt, length }: ReadOptions = {},
): Generator<T> {
  const source = BlockFile.open(file, length);
  try {
    const reader = new ContainerReader<T>(source, file, entry);
    for (let at = reader.start; at < source.size;) {
      let block: Block<T>;
      try {
        block = reader.blockAt(at);
      } catch (error) {
        const corrupt = reader.corruptAt(at, messageOf(error));
        if (onCorrupt === undefined) {
          throw recordingInvalid(`${corruptText(corrupt)}; --skip-corrupt uses the rest`, error);
        }
        onCorrupt(corrupt);
        at += corrupt.bytes;
        continue;
      }
      yield* block.values;
      at = block.end;
    }
  } finally {
    source.close();
  }
}
