import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { runCommand } from '#lib/command-line';
import { makeFolder } from '#lib/make-folder';
import { chromeTrace } from '#lib/trace/chrome-trace';
import { readTrace } from '#lib/trace/read-trace';
import { timelineSvg } from '#lib/trace/timeline-svg';
import { busyShares } from '#lib/trace/busy-shares';
import { tracksOf } from '#lib/trace/tracks';
import { parseOptions, usage, type TraceOptions } from './options';

const nanoseconds = (ms: number) => BigInt(Math.round(ms * 1e6));

/** Into a folder that may not be there yet. */
function write(file: string, text: string): void {
  makeFolder(dirname(file));
  writeFileSync(file, text);
}

async function trace(options: TraceOptions): Promise<void> {
  const { from, chrome, svg, startMs, lengthMs, width, title } = options;
  const { phases, dropped } = await readTrace(from);
  if (phases.length === 0) throw new Error(`${from} has no phases`);
  const beginNs = phases[0]!.startNs;
  const lastNs = phases.reduce((last, { endNs }) => (endNs > last ? endNs : last), 0n);
  const startNs = beginNs + nanoseconds(startMs);
  const endNs = lengthMs === null ? lastNs : startNs + nanoseconds(lengthMs);
  if (endNs <= startNs)
    throw new Error(`the trace ends ${Number(lastNs - beginNs) / 1e6} ms after its begin`);
  const tracks = tracksOf(phases);
  if (chrome !== null) write(chrome, JSON.stringify(chromeTrace(tracks, beginNs)));
  const shown = tracksOf(phases.filter((one) => one.startNs < endNs && one.endNs > startNs));
  if (svg !== null) write(svg, timelineSvg(shown, { width, title: title || from, startNs, endNs }));
  const ms = Number(endNs - startNs) / 1e6;
  console.log(
    JSON.stringify({ phases: phases.length, dropped, ms, busy: busyShares(shown, startNs, endNs) }),
  );
}

void runCommand({ usage, parse: parseOptions, run: trace });
