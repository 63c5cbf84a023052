import type { CostEstimates } from './cost-estimates';

export interface Flight {
  readonly model: string;
  readonly version: string;
  readonly requestId: string;
  readonly bytes: number;
  readonly startedAtMs: number;
  /** From the start to the deadline. */
  readonly timeLeftMs: number;
}

export interface Silence {
  readonly model: string;
  readonly silentMs: number;
  readonly budgetMs: number;
  readonly requests: number;
}

interface Lane {
  /** The oldest first. */
  readonly flights: Set<Flight>;
  /** The last answer of the model. */
  lastProgressMs: number;
}

function silentSinceMs({ flights, lastProgressMs }: Lane): number {
  const [oldest] = flights;
  return Math.max(lastProgressMs, oldest?.startedAtMs ?? lastProgressMs);
}

/** An answer may take so many times what is expected of it. */
const patience = 4;

/**
 * The requests that an engine has, by model, and whether it is silent: a model with work makes no progress
 * for longer than that work may take. The silence begins with the last answer, or with the oldest request that
 * the engine still has, if that came later. The budget counts what was there then (what came afterwards is
 * behind it, and must not prolong it for ever) and what the other models have (they share the cores). A model that has never answered has the time until the latest deadline: that an engine must keep by
 * itself. Times are milliseconds of our own running time.
 */
export class WorkInFlight {
  private readonly lanes = new Map<string, Lane>();

  constructor(
    private readonly costs: CostEstimates,
    private readonly floorMs: number,
  ) {}

  begin(flight: Flight): void {
    this.laneOf(flight.model).flights.add(flight);
  }

  /** The model has worked it off. */
  end(flight: Flight, nowMs: number): void {
    const lane = this.lanes.get(flight.model);
    if (lane === undefined || !lane.flights.delete(flight)) return;
    const busySinceMs = Math.max(flight.startedAtMs, lane.lastProgressMs);
    this.costs.observe(flight.model, flight.bytes, nowMs - busySinceMs);
    lane.lastProgressMs = nowMs;
    this.tidy(flight.model, lane);
  }

  /** The engine has nothing of it any more, but the model did not work it off: refused, or given up. */
  forget(flight: Flight): void {
    const lane = this.lanes.get(flight.model);
    if (lane === undefined || !lane.flights.delete(flight)) return;
    this.tidy(flight.model, lane);
  }

  all(): Flight[] {
    return [...this.lanes.values()].flatMap(({ flights }) => [...flights]);
  }

  /** The model that is silent, null where every one is within its budget. */
  silence(nowMs: number): Silence | null {
    for (const [model, lane] of this.lanes) {
      const sinceMs = silentSinceMs(lane);
      const silentMs = nowMs - sinceMs;
      const budgetMs = this.budgetMs(model, lane, sinceMs);
      if (silentMs > budgetMs) return { model, silentMs, budgetMs, requests: lane.flights.size };
    }
    return null;
  }

  /** A model that was silent for so long may need it, but no longer than a deadline allows. */
  learnFrom({ model, silentMs }: Silence): void {
    const [oldest] = this.lanes.get(model)?.flights ?? [];
    if (oldest === undefined) return;
    this.costs.raise(model, oldest.bytes, Math.min(silentMs, oldest.timeLeftMs));
  }

  private budgetMs(model: string, lane: Lane, sinceMs: number): number {
    const before = [...lane.flights].filter(({ startedAtMs }) => startedAtMs <= sinceMs);
    const others = [...this.lanes]
      .filter(([name]) => name !== model)
      .flatMap(([, { flights }]) => [...flights]);
    return this.floorMs + this.allowanceMs(before) + this.allowanceMs(others);
  }

  private allowanceMs(flights: readonly Flight[]): number {
    let known = 0;
    let unknown = 0;
    for (const { model, bytes, timeLeftMs } of flights) {
      const expected = this.costs.expectedMs(model, bytes);
      if (expected === null) unknown = Math.max(unknown, timeLeftMs);
      else known += patience * expected;
    }
    return known + unknown;
  }

  private laneOf(model: string): Lane {
    let lane = this.lanes.get(model);
    if (lane === undefined) {
      lane = { flights: new Set(), lastProgressMs: -Infinity };
      this.lanes.set(model, lane);
    }
    return lane;
  }

  private tidy(model: string, lane: Lane): void {
    if (lane.flights.size === 0) this.lanes.delete(model);
  }
}
