import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Of one file: two of them fit into a transfer beside the tracked files. */
export const pieceBytes = 25_000_000;
/** What a transfer carries in all, and what is left free of it. */
const transferBytes = 64 * 1024 * 1024;
const reserveBytes = 2 * 1024 * 1024;

/** Bytes that travel with every transfer: what git tracks, and what it neither tracks nor ignores. */
export function treeBytes(root) {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '');
  return files.reduce(
    (sum, file) => sum + (statSync(join(root, file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

export const roomBeside = (tree) => transferBytes - reserveBytes - tree;

/** Pieces in their order, as many in a transfer as there is room for. Throws where one alone has none. */
export function groupPieces(pieces, room) {
  const groups = [];
  let free = 0;
  for (const piece of pieces) {
    if (piece.bytes > room)
      throw new Error(`${piece.name} has ${piece.bytes} bytes, a transfer has room for ${room}`);
    if (groups.length === 0 || piece.bytes > free) {
      groups.push([]);
      free = room;
    }
    groups.at(-1).push(piece);
    free -= piece.bytes;
  }
  return groups;
}

/** One file into pieces beside it; the file is gone then. */
function cut(file, part, most) {
  const pieces = [];
  const descriptor = openSync(file, 'r');
  const buffer = Buffer.alloc(most);
  for (;;) {
    const bytes = readSync(descriptor, buffer, 0, most, null);
    if (bytes === 0) break;
    const name = `${part}.${String(pieces.length).padStart(3, '0')}.piece`;
    writeFileSync(`${file}.${name}`, buffer.subarray(0, bytes));
    pieces.push({ part, name, bytes, file: `${file}.${name}`, isLast: false });
  }
  closeSync(descriptor);
  rmSync(file);
  pieces.at(-1).isLast = true;
  return pieces;
}

function piecesOf(from, stage, part, most) {
  const archive = join(stage, part);
  execFileSync('tar', ['-C', from, '-cf', archive, part]);
  return cut(archive, part, most);
}

/** In each transfer's folder: pieces, their hashes, the parts that are whole with them, and this. */
export const receiveScript = `#!/usr/bin/env bash
# Keeps the pieces that came with it. A part whose last piece is among them is put together and unpacked.
set -euo pipefail
cd "$(dirname "$0")"
export ROUNDHOUSE_CHECKOUT=\${ROUNDHOUSE_CHECKOUT:-$(cd ../../.. && pwd)}
kept=\${GPU_PIECES:-/opt/rh/pieces}
sha256sum --quiet -c pieces.sha256
mkdir -p "$kept"
cp -- *.piece "$kept/"
while read -r part; do
  cat "$kept/$part".*.piece | tar -C "$kept" -xf -
  rm "$kept/$part".*.piece
  bash "$kept/$part/unpack.sh"
  echo "unpacked: $part"
done < complete
`;

function writeTransfer(folder, pieces) {
  mkdirSync(folder, { recursive: true });
  for (const { file, name } of pieces) linkSync(file, join(folder, name));
  const hashes = pieces.map(({ file, name }) => {
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
    return `${hash}  ${name}\n`;
  });
  writeFileSync(join(folder, 'pieces.sha256'), hashes.join(''));
  writeFileSync(
    join(folder, 'complete'),
    pieces
      .filter(({ isLast }) => isLast)
      .map(({ part }) => `${part}\n`)
      .join(''),
  );
  writeFileSync(join(folder, 'receive.sh'), receiveScript);
}

/**
 * Cuts the parts, folders of `from` with an unpack.sh each, into the transfers of `to`: folders 01, 02, … Whatever was in `to`
 * is gone. Gives for each its number, bytes, and the parts that it brings (with `whole` where it ends them).
 */
export function makeTransfers({ from, to, parts, room, most = pieceBytes }) {
  rmSync(to, { recursive: true, force: true });
  const stage = join(to, 'stage');
  mkdirSync(stage, { recursive: true });
  const pieces = parts.flatMap((part) => piecesOf(from, stage, part, most));
  const transfers = groupPieces(pieces, room).map((group, index) => {
    const number = String(index + 1).padStart(2, '0');
    writeTransfer(join(to, number), group);
    const bytes = group.reduce((sum, piece) => sum + piece.bytes, 0);
    const whole = group.filter(({ isLast }) => isLast).map(({ part }) => part);
    return { number, bytes, parts: [...new Set(group.map(({ part }) => part))], whole };
  });
  rmSync(stage, { recursive: true });
  return transfers;
}
