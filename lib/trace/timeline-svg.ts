import type { Track, TrackSpan } from './tracks';

export interface TimelineOptions {
  /** Of the whole picture. */
  readonly width: number;
  readonly title: string;
  /** Unix nanoseconds at its edges. */
  readonly startNs: bigint;
  readonly endNs: bigint;
}

const laneHeight = 18;
const labelWidth = 130;
const margin = { top: 34, right: 12, bottom: 30 };
/** By model, in the order in which they come; distinct for readers who see few colours, too. */
const colours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00'];

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (found) => `&#${found.charCodeAt(0)};`);
}

/** 1, 2 or 5 times a power of ten, so that there are at most ten of them. */
export function tickStep(length: number): number {
  const least = length / 10;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999_999)!;
}

interface Scale {
  readonly lengthMs: number;
  xOf(ms: number): number;
  msOf(ns: bigint): number;
}

function scaleOf({ width, startNs, endNs }: TimelineOptions): Scale {
  const lengthMs = Math.max(Number(endNs - startNs) / 1e6, 1e-3);
  return {
    lengthMs,
    xOf: (ms) => labelWidth + (ms / lengthMs) * (width - labelWidth - margin.right),
    msOf: (ns) => Number(ns - startNs) / 1e6,
  };
}

function axis({ lengthMs, xOf }: Scale, bottom: number): string[] {
  const step = tickStep(lengthMs);
  const lines: string[] = [];
  for (let index = 0; index * step <= lengthMs * 1.000_001; index += 1) {
    const ms = index * step;
    const x = xOf(ms).toFixed(1);
    lines.push(
      `<line x1="${x}" x2="${x}" y1="${margin.top}" y2="${bottom}" stroke="#ddd"/>`,
      `<text x="${x}" y="${bottom + 14}" text-anchor="middle">${Number(ms.toPrecision(6))} ms</text>`,
    );
  }
  return lines;
}

function bar({ lengthMs, xOf, msOf }: Scale, span: TrackSpan, y: number, colour: string): string[] {
  const from = Math.max(0, msOf(span.startNs));
  const to = Math.min(lengthMs, msOf(span.endNs));
  if (to < 0 || from > lengthMs) return [];
  const width = Math.max(0.5, xOf(to) - xOf(from)).toFixed(2);
  const place = `x="${xOf(from).toFixed(2)}" y="${y + 2}" width="${width}" height="${laneHeight - 4}"`;
  return [`<rect ${place} fill="${colour}" stroke="#fff" stroke-width="0.3"/>`];
}

function legend(models: readonly string[], right: number, colourOf: (model: string) => string): string[] {
  return models.flatMap((model, index) => {
    const x = right - 130 * (models.length - index);
    return [
      `<rect x="${x}" y="7" width="10" height="10" fill="${colourOf(model)}"/>`,
      `<text x="${x + 14}" y="16">${escaped(model)}</text>`,
    ];
  });
}

const modelOf = ({ phases }: TrackSpan) => phases[0]!.model;

/** Draws what the tracks did between two times: a row a lane, a bar a span, a colour a model. */
export function timelineSvg(tracks: readonly Track[], options: TimelineOptions): string {
  const { width, title } = options;
  const scale = scaleOf(options);
  const bottom = margin.top + laneHeight * tracks.length;
  const models = [...new Set(tracks.flatMap(({ spans }) => spans.map(modelOf)))].sort();
  const colourOf = (model: string) => colours[models.indexOf(model) % colours.length]!;
  const rows = tracks.flatMap(({ device, phase, lane, spans }, row) => {
    const y = margin.top + row * laneHeight;
    const label = lane > 0 ? [] : [`<text x="4" y="${y + 13}">${escaped(`${device} ${phase}`)}</text>`];
    return [...label, ...spans.flatMap((span) => bar(scale, span, y, colourOf(modelOf(span))))];
  });
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + margin.bottom}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="4" y="16" font-size="13">${escaped(title)}</text>`,
    ...axis(scale, bottom),
    ...rows,
    ...legend(models, width - margin.right, colourOf),
    '</svg>',
  ];
  return `${out.join('\n')}\n`;
}
