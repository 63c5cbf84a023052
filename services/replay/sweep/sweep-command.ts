import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commonSettings, configError, loadConfig } from '#lib/config';
import { ArgumentsInvalid } from '#lib/command-line';
import type { CommandPlace } from '../command-place';
import { writeJsonFile } from '../recording/manifest-file';
import { sha256OfFile } from '../recording/recording-writer';
import { leaveOut, ranked, type HeldOut, type PointResults } from './leave-out';
import type { SweepOptions } from './options';
import { pointDay, pointFaults, preparationShare } from './point-day';
import { firstPoint, gridFaults, gridPoints, randomPoints, type Point } from './points';
import { ProgressBar, type Terminal } from './progress-bar';
import { resultKey, ResultsFile, type SweepResult } from './results-file';
import { csvTable, heldOutLines, pointText, tableRows, textTable } from './results-table';
import { readSpace, type Space } from './space';
import { openSweepDay, type SweepDay } from './sweep-day';
import { askAll } from './worker-pool';

async function openDays({ days, roundMinutes }: SweepOptions): Promise<Map<string, SweepDay>> {
  const opened = new Map<string, SweepDay>();
  for (const folder of days) {
    const day = await openSweepDay(folder, roundMinutes);
    const other = [...opened].find(([, { name }]) => name === day.name)?.[0];
    if (other !== undefined)
      throw new ArgumentsInvalid(`--day ${other} and ${folder} have the name ${day.name} both`);
    opened.set(folder, day);
  }
  return opened;
}

const hashOf = ({ files }: SweepDay): string =>
  createHash('sha256').update(files.map(sha256OfFile).join()).digest('hex');

/** Choices, ranges and names that are wrong, all at once. */
function checkedSpace({ space: file, random }: SweepOptions, days: readonly SweepDay[]): Space {
  const { space, faults } = readSpace(file);
  const all = [
    ...faults,
    ...(random === null ? gridFaults(space) : []),
    ...days.flatMap(({ day }) => pointFaults(day, firstPoint(space))),
  ];
  const once = new Map(all.map((fault) => [JSON.stringify(fault), fault]));
  if (once.size > 0) throw configError([...once.values()]);
  return space;
}

/** Every point must be a policy of every day before the first one is tried. */
function checkedPoints(options: SweepOptions, days: readonly SweepDay[]): Point[] {
  const space = checkedSpace(options, days);
  const { random, seed } = options;
  const points = random === null ? gridPoints(space) : randomPoints(space, random, seed);
  if (options.ready === 'known' && points.some((point) => preparationShare in point))
    throw new ArgumentsInvalid(`${preparationShare} is of --ready mean and network`);
  for (const { day } of days) for (const point of points) pointDay(day, point);
  return points;
}

interface Sweep {
  readonly options: SweepOptions;
  readonly points: readonly Point[];
  readonly days: ReadonlyMap<string, SweepDay>;
}

const mostTold = 20;

/** Answers what isn't answered yet; resolves to all results, by their keys. */
async function sweepAll(
  { options, points, days }: Sweep,
  place: CommandPlace,
  terminal: Terminal,
): Promise<Map<string, SweepResult>> {
  const { ready } = options;
  const known = [...days.values()].map((day) => ({ name: day.name, sha256: hashOf(day) }));
  const file = ResultsFile.open(options.out, { f: options.roundMinutes, ready, days: known });
  try {
    const results = new Map(file.before.map((result) => [resultKey(result.point, result.day), result]));
    const { roundMinutes, jobs } = options;
    const { modelsDir } = loadConfig(place.env, { modelsDir: commonSettings.modelsDir });
    const tasks = points.flatMap((point) =>
      [...days].map(([folder, { name }]) => ({ folder, roundMinutes, point, ready, modelsDir, name })),
    );
    const open = tasks.filter(({ point, name }) => !results.has(resultKey(point, name)));
    if (open.length < tasks.length)
      place.tellError(`${tasks.length - open.length} of ${tasks.length} are there already`);
    const bar = new ProgressBar(open.length, terminal);
    let failed = 0;
    await askAll(open, { jobs, signal: place.signal }, ({ point, name }, found) => {
      bar.step();
      if ('error' in found) {
        if (++failed <= mostTold) place.tellError(`${name}, ${pointText(point)}: ${found.error}`);
        return;
      }
      const result = { point, day: name, ...found };
      file.add(result);
      results.set(resultKey(point, name), result);
    });
    return results;
  } finally {
    file.close();
  }
}

function byPoint({ points, days }: Sweep, results: ReadonlyMap<string, SweepResult>): PointResults[] {
  return points.map((point) => {
    const found = [...days.values()].flatMap(({ name }) => results.get(resultKey(point, name)) ?? []);
    return { point, days: new Map(found.map((result) => [result.day, result])) };
  });
}

interface Findings {
  readonly best: readonly PointResults[];
  readonly heldOut: readonly HeldOut[];
  readonly rows: readonly (readonly string[])[];
}

function tellFindings(
  { best, heldOut, rows }: Findings,
  { out, json, top, by }: SweepOptions,
  place: CommandPlace,
) {
  writeFileSync(join(out, 'table.csv'), csvTable(rows));
  const summary = { by, best: best[0]?.point ?? {}, heldOut, table: rows };
  writeJsonFile(join(out, 'summary.json'), summary);
  if (json) return place.tell(JSON.stringify(summary));
  for (const line of textTable(rows.slice(0, top + 1))) place.tell(line);
  for (const line of heldOutLines(heldOut)) place.tell(line);
}

/** Resolves to the exit code: 1 where a day under some point has no result. */
export async function sweepCommand(
  options: SweepOptions,
  place: CommandPlace,
  terminal: Terminal = process.stderr,
): Promise<number> {
  const days = await openDays(options);
  const sweep = { options, days, points: checkedPoints(options, [...days.values()]) };
  const results = await sweepAll(sweep, place, terminal);
  const { by, leaveOut: count } = options;
  const names = [...days.values()].map(({ name }) => name);
  const points = byPoint(sweep, results);
  const best = ranked(points, by, names);
  const heldOut = leaveOut(points, { days: names, by, count });
  tellFindings({ best, heldOut, rows: tableRows(best, by, names) }, options, place);
  return points.every((one) => one.days.size === names.length) ? 0 : 1;
}
