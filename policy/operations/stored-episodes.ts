import type { RoundCost } from './episodes';
import type { Line, Signal } from './signals';

/** An episode as it outlives its process: JSON. Times are Unix ms. */
export interface StoredEpisode {
  readonly signal: Signal;
  readonly times: number;
  readonly beganAt: number;
  readonly endedAt: number | null;
  readonly seenAt: number;
  readonly consequences: readonly (readonly [id: string, line: Line])[];
  readonly rounds: Readonly<RoundCost>;
}

/** Another one where older lists can't be read any more. */
const format = 1;
const mostEpisodes = 60;
/** So far a clock may have been ahead that was set right since: what is less ahead is brought back with all the others. */
const mostAheadMs = 3_600_000;
const mostConsequences = 8;
const mostIds = 100;
const mostLetters = 20_000;

/** The newest, as many as have room: `list` has the oldest first. */
export function writeEpisodes(list: readonly StoredEpisode[], mostBytes: number): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const episode of list.toReversed()) {
    const text = JSON.stringify(episode);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > mostBytes) break;
    kept.unshift(text);
  }
  return `{"format":${format},"episodes":[${kept.join(',')}]}`;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= mostLetters;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** The last one that there is, else no clock can show it. */
const lastTime = 8_640_000_000_000_000;
const isTime = (value: unknown): value is number => isCount(value) && value <= lastTime;

function isLine(value: unknown): value is Line {
  if (!isFields(value)) return false;
  const { level, where, words, runbook } = value;
  const isPage = isText(runbook) && /^\w*$/.test(runbook);
  return (level === 'warn' || level === 'bad') && isText(where) && isText(words) && isPage;
}

function isReport(value: unknown): boolean {
  return value === undefined || (isFields(value) && isText(value['worker']) && isText(value['id']));
}

function isSignal(value: unknown): value is Signal {
  if (!isLine(value)) return false;
  const { id, after, times, report } = value as Line & Fields;
  const areIds = Array.isArray(after) && after.length <= mostIds && after.every(isText);
  return isText(id) && areIds && (times === null || isCount(times)) && isReport(report);
}

function isConsequence(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && isText(value[0]) && isLine(value[1]);
}

function isEpisode(value: unknown): value is StoredEpisode {
  if (!isFields(value)) return false;
  const { signal, times, beganAt, endedAt, seenAt, consequences, rounds } = value;
  const areTimes =
    isTime(seenAt) && isTime(beganAt) && beganAt <= seenAt && (endedAt === null || isTime(endedAt));
  const areCosts = isFields(rounds) && isCount(rounds['late']) && isCount(rounds['partial']);
  const areLines =
    Array.isArray(consequences) &&
    consequences.length <= mostConsequences &&
    consequences.every(isConsequence);
  return isSignal(signal) && isCount(times) && areTimes && areCosts && areLines;
}

/** Those that can be read; whoever writes to the same place may write anything. */
export function readEpisodes(text: string): StoredEpisode[] {
  let stored: unknown = null;
  try {
    stored = JSON.parse(text);
  } catch {
    // As if nothing were there.
  }
  if (!isFields(stored) || stored['format'] !== format || !Array.isArray(stored['episodes'])) return [];
  return stored['episodes'].filter(isEpisode).slice(-mostEpisodes);
}

/** The same ones, in whichever order: of those that were seen last at the same time each console has its own. */
export function isSameList(one: readonly StoredEpisode[], other: readonly StoredEpisode[]): boolean {
  const [texts, others] = [one, other].map((list) => list.map((episode) => JSON.stringify(episode)).sort());
  return texts!.length === others!.length && texts!.every((text, at) => text === others![at]);
}

/** How far ahead of a clock its last sign, or its end, lies; below 0 behind it. */
export const aheadOf = ({ seenAt, endedAt }: StoredEpisode, at: number): number =>
  Math.max(seenAt, endedAt ?? 0) - at;

/** Without those that lie so far ahead that they would take all others out of what is of late. */
export function withoutFuture(stored: readonly StoredEpisode[], at: number): StoredEpisode[] {
  return stored.filter((one) => aheadOf(one, at) <= mostAheadMs);
}
