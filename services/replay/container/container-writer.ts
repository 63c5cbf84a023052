import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';
import type { types } from 'avsc';
import { encodeWith } from '#schemas/codec/single-object';
import { encodeHeader, MAX_HEADER_BYTES, readHeader, SYNC_BYTES } from './container-header';
import type { EntryType } from './entry-type';
import { encodeLong } from './varint';

/** A block is closed at so many bytes before compression; a larger value has one of its own. */
const BLOCK_BYTES = 256 * 1024;
const nothing = Buffer.alloc(0);

/** Writes an Avro container with deflate, a block at a time; synchronous, so that memory stays that of one block. */
export class ContainerWriter<T> {
  private entries: Buffer[] = [];
  private bytes = 0;

  private constructor(
    private readonly fd: number,
    private readonly entry: EntryType,
    private readonly sync: Buffer,
    private length: number,
  ) {}

  /** A new file; throws where there is one. */
  static create<T>(file: string, entry: EntryType): ContainerWriter<T> {
    const fd = openSync(file, 'wx');
    const sync = randomBytes(SYNC_BYTES);
    const header = encodeHeader(entry.schemaText, sync);
    writeSync(fd, header);
    return new ContainerWriter(fd, entry, sync, header.length);
  }

  /** Goes on behind the first `length` bytes; what stands behind them was not finished and is cut off. */
  static resume<T>(file: string, entry: EntryType, length: number): ContainerWriter<T> {
    const fd = openSync(file, 'r+');
    try {
      const bytes = Buffer.alloc(Math.min(fstatSync(fd).size, MAX_HEADER_BYTES));
      readSync(fd, bytes, 0, bytes.length, 0);
      const { schemaText, sync, end } = readHeader(bytes);
      if (schemaText !== entry.schemaText) throw new Error('it was begun with other schemas');
      if (length < end || length > fstatSync(fd).size)
        throw new Error('it is shorter than its progress says');
      ftruncateSync(fd, length);
      return new ContainerWriter(fd, entry, sync, length);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Throws PAYLOAD_INVALID, naming the field, for a value that the schema can't hold. */
  append(value: T): void {
    const body = encodeWith(nothing, this.valueType(), value);
    const crc = encodeLong(crc32(body));
    this.entries.push(crc, body);
    this.bytes += crc.length + body.length;
    if (this.bytes >= BLOCK_BYTES) this.closeBlock();
  }

  private valueType() {
    const record = (this.entry.type as types.LogicalType).underlyingType as types.RecordType;
    return record.field('value').type;
  }

  private closeBlock(): void {
    if (this.entries.length === 0) return;
    const data = deflateRawSync(Buffer.concat(this.entries));
    const count = encodeLong(this.entries.length / 2);
    const block = Buffer.concat([count, encodeLong(data.length), data, this.sync]);
    for (let at = 0; at < block.length;)
      at += writeSync(this.fd, block, at, block.length - at, this.length + at);
    this.length += block.length;
    this.entries = [];
    this.bytes = 0;
  }

  /** Everything so far is on the disk; the length up to which it counts. */
  flush(): number {
    this.closeBlock();
    fsyncSync(this.fd);
    return this.length;
  }

  close(): number {
    const length = this.flush();
    closeSync(this.fd);
    return length;
  }
}
