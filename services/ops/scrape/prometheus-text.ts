/** One line of a scrape. */
export interface Series {
  /** Name and labels as they stand there. */
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type Named = Omit<Series, 'value'>;

const seriesPattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?$/;
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

function labelsIn(text: string | undefined): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name, value] of (text ?? '').matchAll(labelPattern)) {
    labels[name!] = value!.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }
  return labels;
}

const mostKnown = 20_000;
/** The same series come in scrape after scrape. */
const known = new Map<string, Named | null>();

function seriesOf(id: string): Named | null {
  const found = known.get(id);
  if (found !== undefined) return found;
  if (known.size >= mostKnown) known.clear();
  const [, name, labels] = seriesPattern.exec(id) ?? [];
  const series = name === undefined ? null : { id, name, labels: labelsIn(labels) };
  known.set(id, series);
  return series;
}

function nameEnd(text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x7b || char === 0x20) return at;
  }
  return end;
}

/** A value stands behind the labels' brace, or the name; a time behind it is of no use here. */
function readLine(line: string): Series | null {
  const brace = line.lastIndexOf('}');
  const space = line.indexOf(' ', Math.max(0, brace));
  const series = space < 0 ? null : seriesOf(line.slice(0, space));
  const value = line.slice(space + 1).split(' ', 1)[0]!;
  return series === null || value === ''
    ? null
    : { ...series, value: Number(value.replace('Inf', 'Infinity')) };
}

/** The series with the names that are wanted, of Prometheus' text format; lines that can't be read are left out. */
export function readSeries(text: string, wanted: ReadonlySet<string>): Series[] {
  const found: Series[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (wanted.has(text.slice(start, nameEnd(text, start, end)))) {
      const series = readLine(text.slice(start, end));
      if (series !== null) found.push(series);
    }
    start = end + 1;
  }
  return found;
}
