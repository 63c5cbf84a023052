import { connectEngine } from '#lib/engine-client/grpc';
import type { NamedTensor } from '#schemas/domain';
import type { UnixMs } from '#schemas/brands';
import { dataPlaneSocket } from '#lib/engine-client/data-plane';
import { ShmSession } from '#native/shm/shm-session';
import { sizeClasses } from '#native/shm/size-classes';

const deadlineMs = 10_000;
const poolBytes = 64 * 1024 * 1024;

/** Under way at once; a machine that is slower than the rate gets fewer requests, not a backlog. */
const most = { hotPath: 64, grpc: 8 };

export interface TrafficCounts {
  readonly hotPath: number;
  readonly grpc: number;
  /** Failed requests by error code and the beginning of the message. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Shards at a steady rate on both ways into an engine; each names the version that is current when it is sent. */
export class Traffic {
  version = '';
  private counts = { hotPath: 0, grpc: 0 };
  private failed: Record<string, number> = {};
  private readonly underWay = { hotPath: new Set<Promise<void>>(), grpc: new Set<Promise<void>>() };
  private timer: NodeJS.Timeout | null = null;
  /** Sends nothing while it is set. */
  isHeld = false;

  private constructor(
    private readonly session: ShmSession,
    private readonly grpc: ReturnType<typeof connectEngine>,
    private readonly tensors: readonly NamedTensor[],
  ) {}

  static async start(socket: string, tensors: readonly NamedTensor[], rate: number): Promise<Traffic> {
    const session = await ShmSession.open({
      socketPath: dataPlaneSocket(socket),
      classes: sizeClasses(poolBytes),
    });
    const traffic = new Traffic(session, connectEngine({ address: `unix:${socket}` }), tensors);
    traffic.run(rate);
    return traffic;
  }

  take(): TrafficCounts {
    const taken = { ...this.counts, failed: this.failed };
    this.counts = { hotPath: 0, grpc: 0 };
    this.failed = {};
    return taken;
  }

  /**
   * As many requests at once as there ever are, and once around the rings of the data plane (1 MiB, frames of 300
   * bytes): its pages are in memory from then on.
   */
  async fill(): Promise<void> {
    const aroundTheRings = 5_000;
    for (let sent = 0; sent < aroundTheRings; sent += most.hotPath) {
      for (const way of ['hotPath', 'grpc'] as const) {
        while (this.underWay[way].size < most[way]) this.send(way);
      }
      await this.settled();
    }
  }

  /** Resolves when every request that is under way now is answered. */
  async settled(): Promise<void> {
    await Promise.all([...this.underWay.hotPath, ...this.underWay.grpc]);
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.settled();
    await this.session.close();
    await this.grpc.close();
  }

  private run(rate: number): void {
    const started = performance.now();
    let sent = 0;
    this.timer = setInterval(() => {
      const due = Math.floor(((performance.now() - started) * rate) / 1_000);
      for (; sent < due; sent += 1) {
        this.send('hotPath');
        if (sent % 10 === 0) this.send('grpc');
      }
    }, 2);
  }

  private send(way: 'hotPath' | 'grpc'): void {
    if (this.isHeld || this.underWay[way].size >= most[way]) return;
    const request = { model: 'candidate_cost', version: this.version, requestId: '', inputs: this.tensors };
    const deadline = (Date.now() + deadlineMs) as UnixMs;
    const answered =
      way === 'grpc'
        ? this.grpc.infer(request, deadline)
        : this.session.infer(
            { ...request, version: Number(this.version) || -1, parameters: [] },
            { deadlineMs: deadline },
          );
    const over = answered.then(
      () => void (this.counts[way] += 1),
      (error: unknown) => {
        const { code = 'INTERNAL', message } = error as Error & { code?: string };
        const name = `${code}: ${message.replace(/\d[\s\S]*/, '').slice(0, 120)}`;
        this.failed[name] = (this.failed[name] ?? 0) + 1;
      },
    );
    this.underWay[way].add(over);
    void over.then(() => this.underWay[way].delete(over));
  }
}
