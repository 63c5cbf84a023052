import type { Fault } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import { MAX_ID_BYTES } from '#schemas/brands';

/** A cell is an id or a whole number within bounds. */
export type Column =
  | { readonly name: string; readonly kind: 'id' }
  | { readonly name: string; readonly kind: 'integer'; readonly min: number; readonly max: number };

export interface Row {
  /** Of the file, from 1. */
  readonly line: number;
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
}

/** Reads a tab-separated file with a header line; every fault is added to `faults` as `file:line`. */
export function parseTable(file: string, text: string, columns: readonly Column[], faults: Fault[]): Row[] {
  const lines = text.split(/\r?\n/);
  const header = (lines[0] ?? '').split('\t').map((cell) => cell.trim());
  const places = columns.map((column) => header.indexOf(column.name));
  columns.forEach((column, i) => {
    if (places[i] === -1)
      faults.push(fault(file, 1, lines[0] ?? '', `a column "${column.name}" in the header`));
  });
  if (places.includes(-1)) return [];
  const rows: Row[] = [];
  lines.forEach((text, index) => {
    if (index === 0 || text.trim() === '') return;
    const cells = text.split('\t').map((cell) => cell.trim());
    const row = parseRow(file, index + 1, cells, header.length, columns, places, faults);
    if (row !== null) rows.push(row);
  });
  return rows;
}

function parseRow(
  file: string,
  line: number,
  cells: readonly string[],
  width: number,
  columns: readonly Column[],
  places: readonly number[],
  faults: Fault[],
): Row | null {
  if (cells.length !== width) {
    faults.push(
      fault(file, line, `${cells.length} cells`, `${width} cells, tab-separated, as in the header`),
    );
    return null;
  }
  const ids: string[] = [];
  const numbers: number[] = [];
  const before = faults.length;
  columns.forEach((column, i) => {
    const cell = cells[places[i]!]!;
    const problem = column.kind === 'id' ? idProblem(cell) : integerProblem(cell, column.min, column.max);
    if (problem !== null) faults.push(fault(file, line, `${column.name} = ${shortened(cell)}`, problem));
    else if (column.kind === 'id') ids.push(cell);
    else numbers.push(Number(cell));
  });
  return faults.length === before ? { line, ids, numbers } : null;
}

function idProblem(cell: string): string | null {
  if (cell === '' || /\s/.test(cell)) return 'an id without blanks';
  return Buffer.byteLength(cell) > MAX_ID_BYTES ? `an id of at most ${MAX_ID_BYTES} bytes` : null;
}

function integerProblem(cell: string, min: number, max: number): string | null {
  const value = Number(cell);
  const isWithin = /^-?\d+$/.test(cell) && value >= min && value <= max;
  return isWithin ? null : `a whole number from ${min} to ${max}`;
}

export function fault(file: string, line: number, value: string, limit: string): Fault {
  return { path: `${file}:${line}`, value, limit };
}

function shortened(cell: string): string {
  return shownText(cell, 40);
}
