import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '#lib/make-folder';
import { projectPath } from '#schemas/project-root';
import type { EChartsOption } from 'echarts';
import { recordingInvalid } from '../container/container-reader';
import type { Chart } from './charts/chart';

/** For pages that fetch nothing. */
export function librarySource(): string {
  return readFileSync(projectPath('node_modules', 'echarts', 'dist', 'echarts.min.js'), 'utf8');
}

export const plotKinds = ['svg', 'png'] as const;
export type PlotKind = (typeof plotKinds)[number];

/** Pixels a point of a PNG. */
const PIXELS = 2;

async function svgOf(option: EChartsOption, { width, height }: Chart): Promise<string> {
  const { init } = await import('echarts');
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option);
    return `${chart.renderToSVGString()}\n`;
  } finally {
    chart.dispose();
  }
}

async function pngOf(option: EChartsOption, { width, height }: Chart): Promise<Buffer> {
  const [{ init }, { createCanvas }] = await Promise.all([import('echarts'), import('@napi-rs/canvas')]);
  const canvas = createCanvas(width * PIXELS, height * PIXELS);
  const size = { width, height, devicePixelRatio: PIXELS };
  const chart = init(canvas as never, null, { renderer: 'canvas', ...size });
  try {
    chart.setOption({ ...option, animation: false, backgroundColor: '#fff' });
    return await canvas.encode('png');
  } finally {
    chart.dispose();
  }
}

const drawn = { svg: svgOf, png: pngOf } as const satisfies Record<PlotKind, unknown>;

/** A file a chart, of its first view. Throws RECORDING_INVALID where one can't be written. */
export async function writePlots(
  kind: PlotKind,
  folder: string,
  charts: readonly Chart[],
): Promise<readonly string[]> {
  const files: string[] = [];
  try {
    makeFolder(folder);
    for (const chart of charts) {
      const file = join(folder, `${chart.id}.${kind}`);
      writeFileSync(file, await drawn[kind](chart.views[0]!.option, chart));
      files.push(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw recordingInvalid(`--${kind} ${folder} can't be written (${code})`, error);
  }
  return files;
}
