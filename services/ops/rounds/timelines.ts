import type { Bus } from '#lib/bus/kafka';
import { roundKey, type Topics } from '#schemas/topics';
import type { RoundDetail } from '../console/messages';
import type { RoundLog } from './round-log';
import { roundState, type RoundId, type RoundView } from './round-view';
import { readShardTracks, type ShardTracks } from './shard-tracks';

const mostKept = 20;
/** Each may read for seconds; who asks while so many wait is told so. */
const mostWaiting = 8;
const busy: ShardTracks = { shards: [], fault: 'too many timelines are asked for: this one was not read' };

/** One round's way by its shards, read from Kafka when somebody asks; one at a time, and those of late kept. */
export class Timelines {
  private readonly kept = new Map<string, Promise<ShardTracks>>();
  private line: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor(
    private readonly bus: Pick<Bus, 'readRange'>,
    private readonly topics: Topics,
    private readonly rounds: RoundLog,
  ) {}

  async detail(id: RoundId): Promise<RoundDetail | null> {
    const round = this.rounds.find(id);
    if (round === null) return null;
    const tracks = await this.tracksOf(round);
    return { round, state: roundState(round, Date.now()), ...tracks };
  }

  private tracksOf(round: RoundView): Promise<ShardTracks> {
    const key = `${roundKey(round)} ${round.decision === null ? 'open' : 'decided'}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    if (this.waiting === mostWaiting) return Promise.resolve(busy);
    this.waiting += 1;
    const read = this.line.then(() => readShardTracks(this.bus, this.topics, round));
    this.line = read;
    this.kept.set(key, read);
    if (this.kept.size > mostKept) this.kept.delete(this.kept.keys().next().value!);
    void read.then(({ fault }) => {
      this.waiting -= 1;
      if (round.decision === null || fault !== null) this.kept.delete(key);
    });
    return read;
  }
}
