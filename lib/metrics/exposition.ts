import type { Exemplar, Family, Sample } from './family';

export const prometheusText = 'text/plain; version=0.0.4; charset=utf-8';
export const openMetricsText = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** OpenMetrics only where a scraper asks for it by name: it alone has exemplars. */
export function asksForOpenMetrics(accept: string | undefined): boolean {
  return accept !== undefined && /(^|[,\s])application\/openmetrics-text(;|,|\s|$)/.test(accept);
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function helpText(help: string): string {
  return help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
}

function exemplarText({ traceId, value, unixSeconds }: Exemplar): string {
  return ` # {trace_id="${traceId}"} ${numberText(value)} ${unixSeconds.toFixed(3)}`;
}

/** A family as a scrape has it, each line ended; `shared` are labels that every series has. */
export class Exposition {
  constructor(
    private readonly shared: string,
    private readonly isOpenMetrics: boolean,
  ) {}

  get contentType(): string {
    return this.isOpenMetrics ? openMetricsText : prometheusText;
  }

  text(families: Iterable<Family>): string {
    const texts: string[] = [];
    for (const family of families) texts.push(this.familyText(family));
    return this.isOpenMetrics ? `${texts.join('')}# EOF\n` : texts.join('\n');
  }

  private familyText(family: Family): string {
    const { name, help } = family;
    const [familyName, kind] = this.isOpenMetrics ? openMetricsName(family) : [name, plainKind(family)];
    const lines = [`# HELP ${familyName} ${helpText(help)}`, `# TYPE ${familyName} ${kind}`];
    for (const sample of family.samples()) lines.push(this.line(name, sample));
    return `${lines.join('\n')}\n`;
  }

  private line(name: string, { suffix, labels, value, exemplar }: Sample): string {
    const both = labels === '' || this.shared === '' ? labels + this.shared : `${labels},${this.shared}`;
    const series = both === '' ? `${name}${suffix}` : `${name}${suffix}{${both}}`;
    const mark = exemplar !== undefined && this.isOpenMetrics ? exemplarText(exemplar) : '';
    return `${series} ${numberText(value)}${mark}`;
  }
}

function plainKind({ kind }: Family): string {
  return kind === 'unknown' ? 'untyped' : kind;
}

/** A counter is named without its `_total` there; one that has none is of a kind that isn't known. */
function openMetricsName({ name, kind }: Family): [string, string] {
  if (kind !== 'counter') return [name, kind];
  return name.endsWith('_total') ? [name.slice(0, -'_total'.length), kind] : [name, 'unknown'];
}
