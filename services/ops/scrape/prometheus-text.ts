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
/** Each where the one before ended: from a text that is none of ours it goes on to nowhere. */
const labelPattern = /\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*,?/gy;
/** Of name and labels; the longest of ours has some 300. */
const mostLetters = 4_096;

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
  // A part of a text holds the whole of it: what is kept is a copy.
  const own = Buffer.from(id).toString();
  const [, name, labels] = seriesPattern.exec(own) ?? [];
  const series = name === undefined ? null : { id: own, name, labels: labelsIn(labels) };
  known.set(own, series);
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
  if (space > mostLetters) return null;
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
