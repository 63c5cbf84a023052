import { shownText } from '#schemas/shown-text';
import type { Flight } from './work-in-flight';

export interface LoggedRequest {
  readonly id: string;
  readonly model: string;
  readonly version: string;
  readonly bytes: number;
  /** Of its start, before the report. */
  readonly ageMs: number;
  readonly tookMs: number | null;
  /** `ok`, a code of the error table, or `open`. */
  readonly result: string;
}

interface Ended {
  readonly flight: Flight;
  readonly tookMs: number;
  readonly result: string;
}

const most = 32;

/** Parts of an id (run, round, shard) are joined by a character that nobody can read. */
function readable(id: string): string {
  return shownText(id.replaceAll('\u001f', '/'), 200);
}

function logged(flight: Flight, nowMs: number, tookMs: number | null, result: string): LoggedRequest {
  return {
    id: readable(flight.requestId),
    model: shownText(flight.model, 100),
    version: shownText(flight.version, 20),
    bytes: flight.bytes,
    ageMs: Math.round(nowMs - flight.startedAtMs),
    tookMs: tookMs === null ? null : Math.round(tookMs),
    result,
  };
}

/** The last requests of an engine, for a report. */
export class RequestLog {
  private readonly ended: Ended[] = [];

  add(flight: Flight, nowMs: number, result: string): void {
    this.ended.push({ flight, tookMs: nowMs - flight.startedAtMs, result });
    if (this.ended.length > most) this.ended.shift();
  }

  /** Those that were open come first, the oldest of them at the beginning. */
  last(open: readonly Flight[], nowMs: number): LoggedRequest[] {
    return [
      ...open.slice(0, most).map((flight) => logged(flight, nowMs, null, 'open')),
      ...this.ended.map(({ flight, tookMs, result }) => logged(flight, nowMs, tookMs, result)).reverse(),
    ];
  }
}
