import type { Chart } from './charts/chart';
import type { TableRow } from './figures-table';

export interface Page {
  readonly title: string;
  readonly subtitle: string;
  readonly notes: readonly string[];
  readonly table: readonly TableRow[];
  /** Predicted times against what happened. */
  readonly etr: readonly TableRow[] | null;
  /** Of two sides: a line, then tables. */
  readonly diff: { readonly text: string; readonly tables: readonly (readonly TableRow[])[] } | null;
  readonly charts: readonly Chart[];
  /** Source of the plotting library. */
  readonly library: string;
}

const named: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (found) => named[found]!);

/** JSON within a script: no `</script>` and no line separators of JavaScript. */
const inScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Nothing may be fetched, whatever a name in the data looks like. */
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

const style = `body{font:14px/1.5 system-ui,sans-serif;margin:24px auto;max-width:1000px;padding:0 12px;color:#222}
h1{font-size:22px}h2{font-size:17px;margin:28px 0 6px}table{border-collapse:collapse}
td,th{border-bottom:1px solid #ddd;padding:3px 12px 3px 0;text-align:left;vertical-align:top}
.diff{overflow:auto;margin:0 0 16px}.diff td{white-space:pre-line;font-variant-numeric:tabular-nums}.charts{display:flex;flex-wrap:wrap;gap:8px 16px}
figure{margin:0;max-width:100%;overflow:auto}figcaption{font-weight:600}.note{color:#8a4b00}select{max-width:100%}`;

/** Draws each chart when it comes into sight or the page is printed, and the view that is chosen. */
const script = `const toolbox = { feature: { saveAsImage: { title: 'PNG', pixelRatio: 2 } } };
for (const chart of charts) {
  const figure = document.getElementById(chart.id);
  const place = figure.querySelector('.plot');
  let drawn = null;
  const show = (at) => { drawn ??= echarts.init(place, null, { renderer: 'canvas' }); drawn.setOption({ ...chart.views[at].option, toolbox }, true); };
  const choice = figure.querySelector('select');
  if (choice) choice.addEventListener('change', () => show(choice.selectedIndex));
  const first = () => { observer.disconnect(); if (!drawn) show(choice ? choice.selectedIndex : 0); };
  const observer = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) first(); });
  observer.observe(place);
  addEventListener('beforeprint', first);
}`;

function figureOf({ id, title, width, height, views }: Chart): string {
  const options = views.map(({ name }) => `<option>${escaped(name)}</option>`).join('');
  const choice =
    views.length > 1 ? `<select autocomplete="off" aria-label="${escaped(title)}">${options}</select>` : '';
  const plot = `<div class="plot" style="width:${width}px;height:${height}px"></div>`;
  return `<figure id="${escaped(id)}"><figcaption>${escaped(title)}</figcaption>${choice}${plot}</figure>`;
}

function tableOf([head, ...rows]: readonly TableRow[]): string {
  const cells = (tag: string, row: TableRow = ['']) =>
    row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('');
  return `<table><tr>${cells('th', head)}</tr>${rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('')}</table>`;
}

/** One HTML document that fetches nothing: data, style and the library are inside. */
export function pageHtml({ title, subtitle, notes, table, etr, diff, charts, library }: Page): string {
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>`,
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>`,
    `<h1>${escaped(title)}</h1><p>${escaped(subtitle)}</p>`,
    ...notes.map((note) => `<p class="note">${escaped(note)}</p>`),
    '<h2>Figures</h2>',
    tableOf(table),
    ...(etr === null ? [] : ['<h2>Predicted times</h2>', tableOf(etr)]),
    ...(diff === null ? [] : ['<h2>What is decided otherwise</h2>', `<p>${escaped(diff.text)}</p>`]),
    ...(diff?.tables ?? []).map((rows) => `<div class="diff">${tableOf(rows)}</div>`),
    `<h2>Plots</h2><div class="charts">${charts.map(figureOf).join('\n')}</div>`,
    `<script>${library.replaceAll('</script', '<\\/script')}</script>`,
    `<script>const charts = ${inScript(charts.map(({ id, views }) => ({ id, views })))};\n${script}</script>`,
    '</body></html>\n',
  ].join('\n');
}
