import type { Bus } from '#lib/bus/kafka';
import type { UnixMs } from '#schemas/brands';
import { roundKey, type Topics } from '#schemas/topics';
import type { PersonalHider } from '../recording/hide-personal';
import type { RecordedRound } from '../recording/recorded-round';
import type { RecordingWriter } from '../recording/recording-writer';
import { sleepUntil } from '../sleep-until';
import { EARLY_MS, type RoundJoiner } from './join-rounds';
import { FIRST_SLICE_MS, nextSliceMs } from './slices';
import { TopicSlices, type UnreadMessage } from './topic-slices';

export interface RecordedRange {
  readonly bus: Pick<Bus, 'readRange'>;
  readonly topics: Topics;
  readonly writer: RecordingWriter;
  readonly hider: PersonalHider;
  readonly joiner: RoundJoiner;
  /** Rounds appended before it; the writer's progress says from when on. */
  readonly to: UnixMs;
  /** Keys of rounds that the recording has from `resumeFrom` on, as they stand there. */
  readonly recorded: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** After each slice; not asked for by tests. */
  onProgress?(until: UnixMs, rounds: number): void;
  onUnread(message: UnreadMessage): void;
  onNotWhole(round: RecordedRound): void;
}

/** Messages may still come that the broker dates so far back. */
const SETTLED_MS = 1_000;
/** A decision is waited for so long behind its round's deadline. */
const GRACE_MS = 30_000;
/** Repetitions of a round come no later than this. */
const REPEATED_MS = 3_600_000;
/** While the range reaches into the future, so much of it is waited for before it is read. */
const LIVE_SLICE_MS = 3_000;

/**
 * Records a range of time, slice by slice: what counts is on the disk after each. Rejects with the signal's
 * reason; the same range can be gone on with then.
 */
export async function recordRange(range: RecordedRange): Promise<void> {
  const { writer, joiner, to } = range;
  const slices = new TopicSlices(range.bus, range.topics, joiner, range.onUnread);
  const start = writer.progress.resumeFrom as UnixMs;
  let sliceMs = FIRST_SLICE_MS;
  let earlier = EARLY_MS;
  let at = start as number;
  for (;;) {
    range.signal.throwIfAborted();
    const isBehind = at >= to;
    const last = isBehind ? (joiner.latestDeadline() ?? 0) + GRACE_MS : to;
    if (at >= last) break;
    const end = await settledEnd(at, Math.min(at + sliceMs, last), range.signal);
    const others = { from: (at - earlier) as UnixMs, to: end };
    const bytes = await slices.read(isBehind ? null : { from: at as UnixMs, to: end }, others);
    save(range, joiner.takeWhole(), end);
    joiner.forget(end, REPEATED_MS);
    earlier = 0;
    sliceMs = nextSliceMs(end - at, bytes);
    at = end;
  }
  save(range, joiner.takeAll(), at as UnixMs);
}

/** The end of a slice, once everything before it is on Kafka. */
async function settledEnd(from: number, wanted: number, signal: AbortSignal): Promise<UnixMs> {
  for (;;) {
    const settled = Date.now() - SETTLED_MS;
    if (settled >= wanted) return wanted as UnixMs;
    if (settled >= from + LIVE_SLICE_MS) return settled as UnixMs;
    await sleepUntil(Math.min(wanted, from + LIVE_SLICE_MS) + SETTLED_MS, signal);
  }
}

function save(
  { writer, hider, joiner, ...range }: RecordedRange,
  rounds: RecordedRound[],
  until: UnixMs,
): void {
  for (const round of rounds) {
    const hidden = hider.hide(round);
    if (range.recorded.has(roundKey(hidden.manifest.round))) continue;
    if (round.faults.length > 0) range.onNotWhole(round);
    writer.append(hidden);
  }
  const resumeFrom = Math.min(until, joiner.oldestOpen() ?? Infinity);
  writer.checkpoint(until, resumeFrom);
  range.onProgress?.(until, writer.progress.rounds);
}
