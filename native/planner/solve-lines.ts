import type { Readable } from 'node:stream';

/** A longer line is refused instead of being kept in memory; a problem at the limits has about 4 kB. */
export const MAX_LINE_BYTES = 1 << 20;

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Null: the line is longer than MAX_LINE_BYTES. */
  readonly bytes: Buffer | null;
}

const newline = 0x0a;

/** Collects the pieces of one line, up to the limit. */
class LineBuffer {
  private pieces: Buffer[] = [];
  private length = 0;
  private number = 0;

  get isEmpty(): boolean {
    return this.length === 0;
  }

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > MAX_LINE_BYTES) this.pieces = [];
    else if (piece.length > 0) this.pieces.push(piece);
  }

  end(): Line {
    const bytes = this.length > MAX_LINE_BYTES ? null : Buffer.concat(this.pieces);
    this.pieces = [];
    this.length = 0;
    this.number += 1;
    return { number: this.number, bytes };
  }
}

/**
 * The lines of a stream, chunk by chunk, in bounded memory: the lines that a chunk ended come at once, so that
 * a producer may wait for its answers. A last line without a newline counts too.
 */
export async function* readLines(input: Readable): AsyncGenerator<Line[]> {
  const line = new LineBuffer();
  for await (const chunk of input as AsyncIterable<Buffer>) {
    const ended: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      line.add(chunk.subarray(start, end));
      ended.push(line.end());
      start = end + 1;
    }
    // The rest is copied: a stream may use its chunk again.
    line.add(Buffer.from(chunk.subarray(start)));
    yield ended;
  }
  if (!line.isEmpty) yield [line.end()];
}
