import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Never waits: a pipe that nobody writes to would hold whoever opens it for good. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK;
const pieceBytes = 1024 * 1024;
/** Far above any configuration, far below what would be felt. */
const mostTextBytes = 16 * 1024 * 1024;

/** Looks like one of the file system, as it is for whoever reads. */
function fileError(path: string, what: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${path} ${what}`), { code: 'EINVAL', syscall: 'open', path });
}

function checked(path: string, found: { isFile(): boolean; size: number }): number {
  if (!found.isFile()) throw fileError(path, 'is no regular file');
  return found.size;
}

function withRegularFile<T>(path: string, read: (descriptor: number, size: number) => T): T {
  const descriptor = openSync(path, flags);
  try {
    return read(descriptor, checked(path, fstatSync(descriptor)));
  } finally {
    closeSync(descriptor);
  }
}

/** A text that people write; pipes, devices and folders are refused, and so are absurd sizes. */
export function readRegularFile(path: string, mostBytes = mostTextBytes): Buffer {
  return withRegularFile(path, (descriptor, size) => {
    if (size > mostBytes) throw fileError(path, `has ${size} bytes, the limit is ${mostBytes}`);
    return readFileSync(descriptor);
  });
}

export interface PieceReader {
  size(bytes: number): void;
  piece(bytes: Uint8Array): void;
}

/** A regular file of any size. */
export function readInPieces(path: string, reader: PieceReader): void {
  withRegularFile(path, (descriptor, size) => {
    reader.size(size);
    const piece = Buffer.allocUnsafe(Math.min(size + 1, pieceBytes));
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
      reader.piece(piece.subarray(0, read));
    }
  });
}

/** The same; others have their turn between two pieces. */
export async function readInPiecesAside(path: string, reader: PieceReader): Promise<void> {
  const file = await open(path, flags);
  try {
    reader.size(checked(path, await file.stat()));
    for await (const piece of file.createReadStream({ autoClose: false })) reader.piece(piece as Buffer);
  } finally {
    await file.close();
  }
}
