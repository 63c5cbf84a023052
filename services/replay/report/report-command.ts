import { writeFileSync } from 'node:fs';
import { codeVersion } from '#lib/code-version';
import type { CommandPlace } from '../command-place';
import { recordingInvalid } from '../container/container-reader';
import { figureRows, orderRows, worstRows } from '../diff/diff-rows';
import type { DiffFigures } from '../diff/diff-summary';
import { comparedText } from '../diff/diff-text';
import type { Chart } from './charts/chart';
import { histogramCharts } from './charts/histogram-charts';
import { mapChart } from './charts/map-chart';
import { roundCharts } from './charts/round-charts';
import { timelineCharts } from './charts/timeline-charts';
import { etrTable } from './etr-table';
import { figuresTable } from './figures-table';
import type { ReportOptions } from './options';
import { pageHtml, type Page } from './page';
import { librarySource, plotKinds, writePlots } from './plot-files';
import { readOptions, reportData, type ReportData } from './report-data';
import { roundMap } from './round-map';

function chartsOf({ sides, shown }: ReportData, { couriers }: ReportOptions): Chart[] {
  const map = mapChart(shown.flatMap((joined) => roundMap(joined) ?? []));
  return [
    ...(map === null ? [] : [map]),
    ...histogramCharts(sides),
    ...timelineCharts(sides, couriers),
    ...roundCharts(sides),
  ];
}

function subtitleOf(): string {
  const { version, commit } = codeVersion();
  return `Roundhouse ${version}${commit === null ? '' : `, ${commit.slice(0, 12)}`}`;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw recordingInvalid(
      `--out ${file} can't be written (${(error as NodeJS.ErrnoException).code})`,
      error,
    );
  }
}

function diffPart(figures: DiffFigures): Page['diff'] {
  const worst = figures.worst.length > 0 ? [worstRows(figures)] : [];
  return { text: comparedText(figures), tables: [figureRows(figures), orderRows(figures), ...worst] };
}

/** Resolves to the exit code. */
export async function reportCommand(options: ReportOptions, place: CommandPlace): Promise<number> {
  const read = readOptions(options, place);
  const data = reportData(options, place, read);
  const { sides, diff, notes, recording } = data;
  const charts = chartsOf(data, options);
  const folders = sides.map(({ folder }) => folder);
  const page = pageHtml({
    title: `Replay report: ${folders.join(' against ')}`,
    subtitle: subtitleOf(),
    notes,
    table: figuresTable(sides),
    etr: recording === null ? null : await etrTable(recording, read, place.signal),
    diff: diff === null ? null : diffPart(diff),
    charts,
    library: librarySource(),
  });
  write(options.out, page);
  const also: string[] = [];
  for (const kind of plotKinds) {
    const into = options[kind];
    if (into === null) continue;
    await writePlots(kind, into, charts);
    also.push(`, also in ${into}`);
  }
  place.tell(`${options.out}: ${charts.length} plots${also.join('')}`);
  for (const note of notes) place.tellError(note);
  return 0;
}
