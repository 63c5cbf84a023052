import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '#lib/command-line';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import type { RoundId, RunId, UnixMs, ZoneId } from '#schemas/brands';
import type { Decision, DispatchRound } from '#schemas/domain';
import type { Fault } from '#schemas/errors';
import { RoundhouseClient } from '../../../client';

export interface SentRound {
  readonly roundId: string;
  readonly deadline: number;
  readonly sentAt: number;
  /** Of orders that no courier has yet: each has to come to one end. */
  readonly openOrderIds: readonly string[];
  /** Ingest said that it has it. */
  accepted: boolean;
  /** Why it is not. */
  refusal: string | null;
}

export function openOrders({ couriers, orders }: DispatchRound): DispatchRound['orders'] {
  const held = new Set(couriers.flatMap((courier) => courier.held.map(({ orderId }) => orderId)));
  return orders.filter(({ orderId }) => !held.has(orderId));
}

const templates = cityRounds({ seed: 7, couriers: 12, orders: 10, candidates: 200, policy: {} }, 4);
const zones = 8;

function refusalText(error: unknown): string {
  const { faults = [] } = error as { faults?: readonly Fault[] };
  const first = faults.slice(0, 2).map(({ path, limit }) => `${path}: ${limit}`);
  return [errorText(error), ...first].join('; ');
}

/** Rounds of a small city under a run of their own, and what became of their submission. */
export class Sender {
  readonly rounds: SentRound[] = [];
  private readonly answers: Promise<void>[] = [];
  private readonly client: RoundhouseClient;
  private isStopped = false;

  constructor(
    url: string,
    readonly runId: string,
    retryForMs = 20_000,
  ) {
    this.client = new RoundhouseClient({ url, retryForMs });
  }

  /** The next round, but for its ids and its times. */
  template(): DispatchRound {
    return templates[this.rounds.length % templates.length]!;
  }

  get accepted(): SentRound[] {
    return this.rounds.filter(({ accepted }) => accepted);
  }

  /** Resolves when ingest has answered for good; what it refuses, or doesn't answer, is no round. */
  async send(deadlineMs: number, changes: Partial<DispatchRound> = {}): Promise<SentRound> {
    const number = this.rounds.length;
    const template = this.template();
    const sentAt = Date.now();
    const round: DispatchRound = {
      ...template,
      runId: this.runId as RunId,
      roundId: `${this.runId}-${number}` as RoundId,
      zoneId: `zone-${number % zones}` as ZoneId,
      sequence: BigInt(number + 1),
      deadline: Math.round(sentAt + deadlineMs) as UnixMs,
      ...changes,
    };
    const { roundId, deadline } = round;
    const openOrderIds = openOrders(round).map(({ orderId }) => orderId);
    const sent: SentRound = { roundId, deadline, sentAt, openOrderIds, accepted: false, refusal: null };
    this.rounds.push(sent);
    const answer = this.client.submitRound(round).then(
      () => void (sent.accepted = true),
      (error: unknown) => void (sent.refusal = refusalText(error)),
    );
    this.answers.push(answer);
    await answer;
    return sent;
  }

  /** Sends one and waits for its decision, at most two seconds behind its deadline; null where none came. */
  async dispatch(
    deadlineMs: number,
    changes: Partial<DispatchRound> = {},
  ): Promise<{ readonly sent: SentRound; readonly decision: Decision | null; readonly appendedAt: number }> {
    const sent = await this.send(deadlineMs, changes);
    const { runId } = this;
    const { roundId } = sent;
    const waitMs = sent.deadline + 2_000 - Date.now();
    const found = sent.accepted
      ? await this.client.decision({ runId, roundId }, waitMs).catch(() => null)
      : null;
    return { sent, decision: found?.decision ?? null, appendedAt: found?.appendedAt ?? NaN };
  }

  /** A round every so often, until `stop`. */
  async steadily(everyMs: number, deadlineMs: number): Promise<void> {
    while (!this.isStopped) {
      void this.send(deadlineMs);
      await sleep(everyMs);
    }
  }

  /** Resolves when every submission is answered. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.answers);
  }
}
