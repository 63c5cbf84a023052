import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { loopback } from '#launcher/ports';

/**
 * What a line does with what comes: `open` passes it on; `cut` has ended every connection and refuses new ones; `muted`
 * accepts connections and bytes, and passes nothing on either way.
 */
export type LineState = 'open' | 'cut' | 'muted';

/** Pieces on their way to a socket: in their order, also where the delay gets shorter meanwhile. */
class Way {
  private readonly held: { readonly bytes: Buffer; readonly due: number }[] = [];

  constructor(private readonly to: Socket) {}

  pass(bytes: Buffer, delayMs: number): void {
    if (delayMs === 0 && this.held.length === 0) return void this.to.write(bytes);
    this.held.push({ bytes, due: performance.now() + delayMs });
    if (this.held.length === 1) this.wait();
  }

  private wait(): void {
    setTimeout(() => this.release(), this.held[0]!.due - performance.now());
  }

  private release(): void {
    const now = performance.now();
    while (this.held.length > 0 && this.held[0]!.due <= now) this.to.write(this.held.shift()!.bytes);
    if (this.held.length > 0) this.wait();
  }
}

/** A TCP line to a server, which can be made as bad as a network gets. */
export class TcpLine {
  private state: LineState = 'open';
  private delayMs = 0;
  private readonly pairs = new Map<Socket, Socket>();
  private port = 0;
  private server: Server | null = null;

  constructor(private readonly targetPort: number) {}

  /** Resolves to its port. */
  async listen(port = 0): Promise<number> {
    const server = createServer((near) => this.connected(near));
    server.listen(port, loopback);
    await once(server, 'listening');
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
    return this.port;
  }

  /** Each piece of bytes is held so long, each way. */
  delay(ms: number): void {
    this.delayMs = ms;
  }

  async set(state: LineState): Promise<void> {
    this.state = state;
    if (state === 'cut') {
      this.endAll();
      await this.close();
    } else if (this.server === null) await this.listen(this.port);
    // What was swallowed is missing: such a connection can't go on.
    if (state === 'open') for (const near of this.spoiled) near.destroy();
  }

  /** Ends every connection; the next ones pass. */
  endAll(): void {
    for (const near of this.pairs.keys()) near.destroy();
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null) return;
    this.endAll();
    server.close();
    await once(server, 'close');
  }

  private readonly spoiled = new Set<Socket>();
  private readonly ways = new WeakMap<Socket, Way>();

  private connected(near: Socket): void {
    const far = connect(this.targetPort, loopback);
    this.pairs.set(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on('data', (bytes) => this.pass(near, bytes, to));
      from.on('error', () => undefined);
      from.on('close', () => this.ended(near, to));
    }
  }

  private ended(near: Socket, other: Socket): void {
    this.pairs.delete(near);
    this.spoiled.delete(near);
    other.destroy();
  }

  private pass(near: Socket, bytes: Buffer, to: Socket): void {
    if (this.state === 'muted') return void this.spoiled.add(near);
    const way = this.ways.get(to) ?? new Way(to);
    this.ways.set(to, way);
    way.pass(bytes, this.delayMs);
  }
}
