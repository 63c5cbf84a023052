import { requireValue } from '#lib/bus/message-value';
import type { Bus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import type { UnixMs } from '#schemas/brands';
import { readOutcomeSummary } from '#schemas/summaries';
import { headers as names, parseShardKey, roundKey, type Topics } from '#schemas/topics';
import type { ShardTrack } from '../console/messages';
import type { RoundView } from './round-view';

type Track = { -readonly [K in keyof ShardTrack]: ShardTrack[K] };

/** Of all rounds of the time of one; a busy deployment has more, and the timeline says so then. */
const mostMessages = 20_000;
const mostBytes = 256 * 1024 * 1024;
const stallTimeoutMs = 8_000;
/** Clocks of ingest and broker differ by so much at most. */
const slackMs = 1_000;

export interface ShardTracks {
  readonly shards: readonly ShardTrack[];
  readonly fault: string | null;
}

function intervalIn(text: string | undefined): ShardTrack['backend'] {
  const [, start, end] = /^(\d{1,20})-(\d{1,20})$/.exec(text ?? '') ?? [];
  return start === undefined ? null : { start: Number(start) / 1e6, end: Number(end) / 1e6 };
}

class Tracks {
  private readonly byIndex = new Map<number, Track>();
  messages = 0;
  bytes = 0;

  constructor(private readonly key: string) {}

  get isEnough(): boolean {
    return this.messages >= mostMessages || this.bytes >= mostBytes;
  }

  /** In the order of their numbers. */
  get all(): ShardTrack[] {
    return [...this.byIndex.values()].sort((a, b) => a.index - b.index);
  }

  private count({ value }: BusMessage): void {
    this.messages += 1;
    this.bytes += value?.length ?? 0;
  }

  private trackOf(index: number): Track {
    const known = this.byIndex.get(index);
    if (known !== undefined) return known;
    const nothing = { appendedAt: null, backend: null, answeredAt: null };
    const track = { index, ...nothing, status: null, code: null, candidates: null, host: null };
    this.byIndex.set(index, track);
    return track;
  }

  readonly shard = (message: BusMessage): void => {
    this.count(message);
    const key = parseShardKey(message.key?.toString() ?? '');
    if (key !== null && roundKey(key) === this.key)
      this.trackOf(key.shardIndex).appendedAt ??= message.timestamp;
  };

  /** The first outcome of a shard counts. */
  readonly outcome = (message: BusMessage): void => {
    this.count(message);
    if (message.key?.toString() !== this.key) return;
    const summary = summaryOf(message);
    if (summary === null) return;
    const track = this.trackOf(summary.shardIndex);
    if (track.answeredAt !== null) return;
    track.answeredAt = message.timestamp;
    track.backend = intervalIn(message.headers[names.backendInterval]);
    track.status = summary.status;
    track.code = summary.errorCode;
    track.candidates = summary.candidateCount;
    track.host = message.headers[names.host] ?? null;
  };
}

/** What can't be read is no outcome of a shard. */
function summaryOf(message: BusMessage): ReturnType<typeof readOutcomeSummary> | null {
  try {
    return readOutcomeSummary(requireValue(message));
  } catch {
    return null;
  }
}

/** Reads the shards and outcomes of a round from what the topics still keep of its time. Never rejects. */
export async function readShardTracks(
  bus: Pick<Bus, 'readRange'>,
  topics: Topics,
  round: RoundView,
): Promise<ShardTracks> {
  const tracks = new Tracks(roundKey(round));
  const from = { timestamp: ((round.receivedAt ?? round.manifestAt) - slackMs) as UnixMs };
  const isEnough = (): boolean => tracks.isEnough;
  const read = { from, stallTimeoutMs, isEnough };
  const until = (at: number) => (at > Date.now() ? 'latest' : { timestamp: at as UnixMs });
  const lastShard = until(round.manifestAt + slackMs);
  const lastOutcome = until((round.decision?.decidedAt ?? Infinity) + slackMs);
  try {
    await Promise.all([
      bus.readRange({ ...read, topic: topics.shards, to: lastShard, handle: tracks.shard }),
      bus.readRange({ ...read, topic: topics.outcomes, to: lastOutcome, handle: tracks.outcome }),
    ]);
    const fault = tracks.isEnough ? 'more happened at that time than is read for a timeline' : null;
    return { shards: tracks.all, fault };
  } catch (error) {
    return { shards: tracks.all, fault: error instanceof Error ? error.message : String(error) };
  }
}
