import type { ServerResponse } from 'node:http';
import type { Snapshot, Tick } from '../console/messages';

/** A viewer that has so much unread is cut off: its page begins anew with one snapshot. */
const mostUnreadBytes = 4 * 1024 * 1024;
const heartbeatMs = 15_000;
const reconnectMs = 1_000;

export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

function eventText(name: 'snapshot' | 'tick', value: Snapshot | Tick): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** Why there is no place for another one; null where there is. */
export type NoPlace = 'none' | 'none_for_address' | null;

/** The open consoles. Each gets a snapshot, then what changes, as server-sent events. */
export class Viewers {
  private readonly open = new Map<ServerResponse, string>();
  private readonly heartbeat: NodeJS.Timeout;
  /** Somebody begins to watch where nobody did. */
  onFirst: () => void = () => undefined;

  constructor(
    private readonly most: number,
    private readonly mostOfAddress: number,
  ) {
    this.heartbeat = setInterval(() => this.write(': here\n\n'), heartbeatMs);
    this.heartbeat.unref();
  }

  get count(): number {
    return this.open.size;
  }

  /** One who opens many leaves places to others. `address`: of IPv6 its network, which one machine has whole. */
  whyNoPlace(address: string): NoPlace {
    const own = [...this.open.values()].filter((other) => other === address).length;
    if (own >= this.mostOfAddress) return 'none_for_address';
    return this.open.size < this.most ? null : 'none';
  }

  /** Before the first look there is no snapshot; it comes with it then. */
  add(response: ServerResponse, snapshot: Snapshot | null, address: string): void {
    response.writeHead(200, streamHeaders);
    response.write(`retry: ${reconnectMs}\n\n`);
    if (snapshot !== null) response.write(eventText('snapshot', snapshot));
    this.open.set(response, address);
    if (this.open.size === 1) this.onFirst();
    response.on('close', () => this.open.delete(response));
  }

  tick(tick: Tick, isFirst: () => Snapshot | null): void {
    if (this.open.size === 0) return;
    const first = isFirst();
    this.write(first === null ? eventText('tick', tick) : eventText('snapshot', first));
  }

  private write(text: string): void {
    for (const response of this.open.keys()) {
      if (response.writableLength > mostUnreadBytes) response.destroy();
      else response.write(text);
    }
  }

  close(): void {
    clearInterval(this.heartbeat);
    for (const response of this.open.keys()) response.end();
  }
}
