import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '#lib/bus/kafka';
import type { BusMessage } from '#lib/bus/port';
import { ownBytes } from '#lib/own-bytes';
import type { UnixMs } from '#schemas/brands';
import { outcomesCodec } from '#schemas/codec';
import { roundKey, type Topics } from '#schemas/topics';
import type { AggregatorEvents } from '../events';
import type { OpenRound } from '../join/open-round';

/** Rounds that come together are read together. */
const GATHER_MS = 15;
/** A round isn't kept from its close for longer than this. */
const LONGEST_WAIT_MS = 3_000;
const STALL_TIMEOUT_MS = 2_500;

/** Reads outcomes again that were consumed before Redis lost its memory, from the round's acceptance on. */
export class OutcomeRecovery {
  private waiting: OpenRound[] = [];
  private next: Promise<void> | null = null;

  constructor(
    private readonly bus: Pick<Bus, 'readRange'>,
    private readonly topics: Topics,
    private readonly events: AggregatorEvents,
    private readonly onFailed: (error: unknown) => void,
  ) {}

  /** Never rejects. A round that is not due yet is not kept beyond its close. */
  async recover(open: OpenRound): Promise<void> {
    this.waiting.push(open);
    this.next ??= this.readSoon();
    const left = open.parts.closeAt - Date.now();
    await Promise.race([this.next, sleep(left > 0 ? Math.min(left, LONGEST_WAIT_MS) : LONGEST_WAIT_MS)]);
  }

  private async readSoon(): Promise<void> {
    await sleep(GATHER_MS);
    const rounds = new Map(this.waiting.map((open) => [open.key, open]));
    this.waiting = [];
    this.next = null;
    const begin = performance.now();
    let outcomes = 0;
    const acceptedAt = Math.min(...[...rounds.values()].map(({ parts }) => parts.meta.acceptedAt));
    try {
      await this.bus.readRange({
        topic: this.topics.outcomes,
        from: { timestamp: acceptedAt as UnixMs },
        stallTimeoutMs: STALL_TIMEOUT_MS,
        handle: (message) => {
          if (addTo(rounds, message)) outcomes++;
        },
      });
    } catch (error) {
      this.onFailed(error);
    }
    const seconds = (performance.now() - begin) / 1_000;
    this.events.OutcomesRecovered({ rounds: rounds.size, outcomes, seconds });
  }
}

/** Unreadable ones were dead-lettered by their consumer. */
function addTo(rounds: ReadonlyMap<string, OpenRound>, message: BusMessage): boolean {
  if (message.value === null) return false;
  try {
    const outcome = outcomesCodec.decode(message.value);
    const open = rounds.get(roundKey(outcome));
    return open !== undefined && open.add(outcome, ownBytes(message.value)).use === 'used';
  } catch {
    return false;
  }
}
