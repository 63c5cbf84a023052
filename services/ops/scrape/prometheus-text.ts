/** One line of a scrape. */
export interface Series {
  /** Name and labels as they stand there. */
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const linePattern = /^(([a-zA-Z_:][\w:]*)(?:\{(.*)\})?) (\S+)/;
const labelPattern = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

function labelsIn(text: string | undefined): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name, value] of (text ?? '').matchAll(labelPattern)) {
    labels[name!] = value!.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  }
  return labels;
}

function nameEnd(text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x7b || char === 0x20) return at;
  }
  return end;
}

/** The series with the names that are wanted, of Prometheus' text format; lines that can't be read are left out. */
export function readSeries(text: string, wanted: ReadonlySet<string>): Series[] {
  const found: Series[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (wanted.has(text.slice(start, nameEnd(text, start, end)))) {
      const [, id, name, labels, value] = linePattern.exec(text.slice(start, end)) ?? [];
      const number = Number(value?.replace('Inf', 'Infinity'));
      if (name !== undefined) found.push({ id: id!, name, labels: labelsIn(labels), value: number });
    }
    start = end + 1;
  }
  return found;
}
