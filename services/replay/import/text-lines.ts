import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { importInvalid } from './import-faults';

const PIECE_BYTES = 1024 * 1024;
/** Longer ones are no line of a table. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface TextLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

function open(file: string): number {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw importInvalid(file, (error as NodeJS.ErrnoException).code ?? String(error), 'a readable file');
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw importInvalid(file, 'no regular file', 'a readable file');
}

function decoded(bytes: Buffer, file: string, number: number): string {
  if (!isUtf8(bytes)) throw importInvalid(`${file}:${number}`, 'bytes that are no text', 'UTF-8');
  return bytes.toString('utf8').replace(/\r$/, '');
}

/** The lines of a text of any size, a piece of it in memory. Throws IMPORT_INVALID. */
export function* textLines(path: string, file: string): Generator<TextLine> {
  const fd = open(path);
  let rest = Buffer.alloc(0);
  let number = 0;
  try {
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const read = readSync(fd, piece);
      const bytes = Buffer.concat([rest, piece.subarray(0, read)]);
      let begin = 0;
      for (let end = bytes.indexOf(10, begin); end >= 0; end = bytes.indexOf(10, begin)) {
        yield { number: ++number, text: decoded(bytes.subarray(begin, end), file, number) };
        begin = end + 1;
      }
      rest = bytes.subarray(begin);
      if (rest.length > MAX_LINE_BYTES) {
        throw importInvalid(`${file}:${number + 1}`, 'a line without end', `at most ${MAX_LINE_BYTES} bytes`);
      }
      if (read === 0) break;
    }
    if (rest.length > 0) yield { number: ++number, text: decoded(rest, file, number) };
  } finally {
    closeSync(fd);
  }
}
