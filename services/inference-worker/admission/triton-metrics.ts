import type { Family, FamilyKind, Sample } from '#lib/metrics/family';
import { labelText } from '#lib/metrics/registry';

/** More than any repository of models makes; what comes beyond it is left out. */
const mostSamples = 1_000;
const mostLetters = 1_048_576;

const kinds: Readonly<Record<string, FamilyKind>> = {
  counter: 'counter',
  gauge: 'gauge',
  histogram: 'histogram',
  summary: 'summary',
};

interface ReadFamily {
  readonly name: string;
  help: string;
  kind: FamilyKind;
  readonly samples: Sample[];
}

const sampleLine = /^([a-zA-Z_:][\w:]*?)(?:\{(.*)\})? ([-+]?(?:\d[\d.eE+-]*|Inf|NaN))(?: \d+)?$/;
const suffixes = ['', '_bucket', '_sum', '_count', '_created'];

function numberOf(text: string): number {
  return text.endsWith('Inf') ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);
}

/** Of one engine's text: every series gets the engine's name. Lines that can't be read are left out. */
export class TritonFamilies {
  private readonly families = new Map<string, ReadFamily>();
  private count = 0;

  add(text: string, engine: string): void {
    const mark = labelText({ engine });
    for (const line of text.slice(0, mostLetters).split('\n')) {
      if (line.startsWith('# ')) this.describe(line);
      else if (line !== '') this.sample(line, mark);
    }
  }

  all(): readonly Family[] {
    return [...this.families.values()]
      .filter(({ samples }) => samples.length > 0)
      .map(({ name, help, kind, samples }) => ({ name, help, kind, samples: () => samples }));
  }

  private describe(line: string): void {
    const [, what, name, rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (name === undefined || !name.startsWith('nv_')) return;
    const family = this.family(name);
    if (what === 'HELP') family.help = rest;
    else family.kind = kinds[rest] ?? 'unknown';
  }

  private family(name: string): ReadFamily {
    const known = this.families.get(name);
    if (known !== undefined) return known;
    const made: ReadFamily = { name, help: '', kind: 'unknown', samples: [] };
    this.families.set(name, made);
    return made;
  }

  private sample(line: string, mark: string): void {
    const [, name, labels = '', value] = sampleLine.exec(line) ?? [];
    if (name === undefined || value === undefined || this.count >= mostSamples) return;
    const suffix = suffixes.find((end) => name.endsWith(end) && this.families.has(nameWithout(name, end)));
    if (suffix === undefined) return;
    this.count += 1;
    const all = labels === '' ? mark : `${labels.replace(/,$/, '')},${mark}`;
    this.family(nameWithout(name, suffix)).samples.push({ suffix, labels: all, value: numberOf(value) });
  }
}

function nameWithout(name: string, suffix: string): string {
  return suffix === '' ? name : name.slice(0, -suffix.length);
}
