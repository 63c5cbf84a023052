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

async function svgOf(option: EChartsOption, { width, height }: Chart): Promise<string> {
  const { init } = await import('echarts');
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option);
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/** A file a chart, of its first view. Throws RECORDING_INVALID where one can't be written. */
export async function writePlots(folder: string, charts: readonly Chart[]): Promise<readonly string[]> {
  const files: string[] = [];
  try {
    makeFolder(folder);
    for (const chart of charts) {
      const file = join(folder, `${chart.id}.svg`);
      writeFileSync(file, `${await svgOf(chart.views[0]!.option, chart)}\n`);
      files.push(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw recordingInvalid(`--svg ${folder} can't be written (${code})`, error);
  }
  return files;
}
