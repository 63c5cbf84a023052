import { TravelMatrices } from '#lib/travel-matrices';
import { cutRound } from '#policy/sharding/index';
import { decisionsCodec, outcomesCodec, roundsCodec } from '#schemas/codec';
import type { UnixMs } from '#schemas/brands';
import type { ShardOutcome } from '#schemas/domain';
import {
  DecidingThread,
  type ThreadAnswer,
  type ThreadJob,
} from '../../services/aggregator/decide/decide-thread';
import type { MadeDecision } from '../../services/aggregator/decide/large-decisions';
import { OpenRound } from '../../services/aggregator/join/open-round';
import { bruteCostShard } from './brute-cost-shard';
import { buildCourier, buildOrder, buildRound } from './build-round';

const models = [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }];
export const means = { matrices: new TravelMatrices('no such folder') };

/** Two couriers with two orders, alone or together: three shards of two candidates each. */
export function openRound(
  id: string,
  deadline = 1_900_000_000_000,
): { open: OpenRound; outcomes: ShardOutcome[] } {
  const round = {
    ...buildRound({
      couriers: [buildCourier('k'), buildCourier('l')],
      orders: [buildOrder('a'), buildOrder('b')],
    }),
    roundId: id as never,
    deadline: deadline as UnixMs,
  };
  const { manifest, shards } = cutRound(round, models, { candidatesPerShard: 2 });
  const open = new OpenRound({
    key: id,
    manifest,
    manifestBytes: roundsCodec.encode(manifest),
    manifestHash: '',
    meta: { acceptedAt: 0 as UnixMs, traceparent: null, receivedAt: null },
    closeAt: 0 as UnixMs,
    isOwned: () => true,
    cameLate: false,
  });
  return { open, outcomes: shards.map((shard) => bruteCostShard(shard)) };
}

export const add = (open: OpenRound, outcome: ShardOutcome) =>
  open.add(outcome, outcomesCodec.encode(outcome));

/** The thread's work, held up until `go` where it is told to. */
export class HeldPort {
  readonly jobs: ThreadJob[] = [];
  replaced = 0;
  private thread = new DecidingThread(means);
  private giveUp: (error: Error) => void = () => undefined;
  private release: () => void = () => undefined;
  private held: Promise<void> | null = null;

  hold(): void {
    this.held = new Promise((resolve) => (this.release = resolve));
  }
  go(): void {
    this.held = null;
    this.release();
  }
  start(): void {}
  tell(job: ThreadJob): void {
    this.jobs.push(job);
    this.thread.answer(structuredClone(job));
  }
  async ask(job: ThreadJob): Promise<ThreadAnswer> {
    this.jobs.push(job);
    await Promise.race([this.held, new Promise((_, reject) => (this.giveUp = reject))]);
    return this.thread.answer(structuredClone(job))!;
  }
  /** The new one knows nothing. */
  replace(): void {
    this.replaced += 1;
    this.thread = new DecidingThread(means);
    this.held = null;
    this.giveUp(new Error('replaced'));
  }
  stop(): Promise<void> {
    return Promise.resolve();
  }
}

export const asked = (port: HeldPort) => port.jobs.flatMap((job) => (job.kind === 'decide' ? [job] : []));
export const contentOf = (made: MadeDecision | null) =>
  decisionsCodec.decode(Buffer.from(made!.answer.bytes)).content;
