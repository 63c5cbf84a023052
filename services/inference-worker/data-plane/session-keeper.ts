import type { ShmSessionOptions } from '#native/shm/session-types';
import { ShmSession } from '#native/shm/shm-session';
import type { WorkerEvents } from '../events';

const firstPauseMs = 50;
const lastPauseMs = 2_000;
const lookMs = 1_000;

/**
 * Keeps one session with an engine open: when it ends, the whole segment is dropped and a new one is offered,
 * a new epoch. Opening again takes growing pauses.
 */
export class SessionKeeper {
  private session: ShmSession | null = null;
  private opening: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private pauseMs = firstPauseMs;
  private epoch = 0;
  private closed = false;
  private readonly watch = setInterval(() => this.lookAtPool(), lookMs).unref();

  constructor(
    private readonly events: WorkerEvents,
    private readonly options: ShmSessionOptions,
  ) {
    this.open();
  }

  /** Waits for a session that is just being opened; null where there is none. */
  async current(): Promise<ShmSession | null> {
    if (this.opening !== null) await this.opening;
    return this.now();
  }

  /** null where there is none at this moment. */
  now(): ShmSession | null {
    return this.session?.isOpen === true ? this.session : null;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.watch);
    await this.opening;
    await this.session?.close();
  }

  private open(): void {
    const onEnd = (reason: string): void => this.onEnd(reason);
    this.opening = ShmSession.open({ ...this.options, onEnd }).then(
      (session) => this.opened(session),
      (error: Error) => {
        if (!this.closed) this.events.DataPlaneUnavailable({ reason: error.message });
        this.openLater();
      },
    );
  }

  private opened(session: ShmSession): void {
    this.opening = null;
    this.session = session;
    this.pauseMs = firstPauseMs;
    this.epoch += 1;
    this.events.DataPlaneOpened({ epoch: this.epoch });
    const { classes = [] } = this.options;
    const bytes = classes.reduce((sum, { slotBytes, count }) => sum + slotBytes * count, 0);
    this.events.PoolOpened({ bytes });
  }

  private lookAtPool(): void {
    this.events.PoolInUse({ bytes: this.now()?.heldBytes ?? 0 });
  }

  private onEnd(reason: string): void {
    this.session = null;
    if (this.closed) return;
    this.events.DataPlaneLost({ reason });
    this.options.onEnd?.(reason);
    this.openLater();
  }

  private openLater(): void {
    this.opening = null;
    if (this.closed) return;
    this.timer = setTimeout(() => this.open(), this.pauseMs);
    this.timer.unref();
    this.pauseMs = Math.min(this.pauseMs * 2, lastPauseMs);
  }
}
