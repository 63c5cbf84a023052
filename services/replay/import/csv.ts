import type { ImportFaults } from './import-faults';
import { textLines, type TextLine } from './text-lines';

export interface CsvRecord {
  /** Where it begins. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Cells of a line by RFC 4180; null where a quoted cell goes on in the next line. A quote in the middle of a
 * cell without quotes is a character like any other.
 */
function cellsOf(text: string): string[] | null {
  const cells: string[] = [];
  for (let at = 0; ;) {
    if (text[at] !== '"') {
      const end = text.indexOf(',', at);
      cells.push(end < 0 ? text.slice(at) : text.slice(at, end));
      if (end < 0) return cells;
      at = end + 1;
      continue;
    }
    const end = closingQuote(text, at + 1);
    if (end < 0) return null;
    cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
    if (end + 1 >= text.length) return cells;
    at = text[end + 1] === ',' ? end + 2 : end + 1;
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

const mostLines = 10_000;

interface OpenRecord {
  readonly line: number;
  readonly text: string;
  readonly lines: number;
}

function joined(open: OpenRecord | null, { number, text }: TextLine): OpenRecord {
  if (open === null) return { line: number, text, lines: 1 };
  return { line: open.line, text: `${open.text}\n${text}`, lines: open.lines + 1 };
}

function* records(lines: Iterable<TextLine>, file: string, faults: ImportFaults): Generator<CsvRecord> {
  let open: OpenRecord | null = null;
  for (const line of lines) {
    open = joined(open, line);
    const cells = cellsOf(open.text);
    if (cells === null && open.lines > mostLines) break;
    if (cells === null) continue;
    if (open.text.trim() !== '') yield { line: open.line, cells };
    open = null;
  }
  if (open !== null) faults.add(`${file}:${open.line}`, 'a quote without an end', 'a closing quote');
}

const separators: readonly (readonly [character: string, name: string])[] = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
];

/** What parts the names of a header instead of commas; null where nothing does. */
function otherSeparator(header: readonly string[]): string | null {
  if (header.length !== 1) return null;
  return separators.find(([character]) => header[0]!.includes(character))?.[1] ?? null;
}

/**
 * The records of a CSV file, by the names of its header; a byte order mark and empty lines are no matter. A
 * table that is not parted by commas is one fault.
 */
export function* csvRecords(
  path: string,
  file: string,
  faults: ImportFaults,
): Generator<{ readonly line: number; readonly fields: ReadonlyMap<string, string> }> {
  let header: string[] | null = null;
  for (const { line, cells } of records(textLines(path, file), file, faults)) {
    if (header === null) {
      header = cells.map((cell) => cell.replace(/^\ufeff/, '').trim());
      const other = otherSeparator(header);
      if (other !== null)
        return faults.add(`${file}:${line}`, `a header parted by ${other}`, 'columns parted by commas');
      const twice = header.find((name, index) => name !== '' && header!.indexOf(name) !== index);
      if (twice !== undefined) faults.add(`${file}:${line}`, `two columns ${twice}`, 'one of each name');
      continue;
    }
    if (cells.length !== header.length) {
      faults.add(`${file}:${line}`, `${cells.length} cells`, `${header.length} as in the header`);
      continue;
    }
    yield { line, fields: new Map(header.map((name, index) => [name, cells[index]!.trim()])) };
  }
  if (header === null) faults.add(`${file}:1`, 'nothing', 'a header with the names of the columns');
}
