import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { csvRecords } from './csv';
import { importInvalid, type ImportFaults } from './import-faults';
import { checkColumns, RowReader } from './row-reader';
import { textLines } from './text-lines';

/** The file of a table: `orders.csv` or `orders.jsonl`. Throws IMPORT_INVALID where there is none, or both. */
export function tableFile(folder: string, name: string): string {
  const files = [`${name}.csv`, `${name}.jsonl`];
  const there = files.filter((file) => existsSync(join(folder, file)));
  if (there.length === 1) return there[0]!;
  throw importInvalid(
    join(folder, name),
    there.length === 0 ? 'absent' : 'both',
    `one of ${files.join(' and ')}`,
  );
}

function* jsonRecords(path: string, file: string, faults: ImportFaults) {
  for (const { number: line, text } of textLines(path, file)) {
    if (text.trim() === '') continue;
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      faults.add(`${file}:${line}`, (error as Error).message, 'a JSON object a line');
      continue;
    }
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      yield { line, fields: new Map(Object.entries(parsed)) };
    else faults.add(`${file}:${line}`, typeof parsed, 'a JSON object a line');
  }
}

/** Rows of a CSV or JSON-lines table with these columns; others are faults. */
export function* tableRows(
  folder: string,
  file: string,
  columns: readonly string[],
  faults: ImportFaults,
): Generator<RowReader> {
  const path = join(folder, file);
  const isCsv = file.endsWith('.csv');
  const rows = isCsv ? csvRecords(path, file, faults) : jsonRecords(path, file, faults);
  let isFirst = true;
  for (const { line, fields } of rows) {
    if (isFirst || !isCsv) checkColumns(fields.keys(), columns, `${file}:${isCsv ? 1 : line}`, faults);
    isFirst = false;
    yield new RowReader(fields, `${file}:${line}`, faults);
  }
}
