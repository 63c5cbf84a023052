import type { LogLevel, Logger } from '../telemetry';

const repeatAfterMs = 5_000;

/** Logs a state that lasts: when its reason changes, and again every five seconds with a count. */
export class SparseLog {
  private reason = '';
  private nextAt = 0;
  private unreported = 0;

  constructor(
    private readonly logger: Logger,
    private readonly level: LogLevel,
    private readonly event: string,
  ) {}

  report(reason: string, fields: object = {}): void {
    this.unreported++;
    const now = performance.now();
    if (reason === this.reason && now < this.nextAt) return;
    this.logger[this.level]({ event: this.event, reason, times: this.unreported, ...fields });
    this.reason = reason;
    this.nextAt = now + repeatAfterMs;
    this.unreported = 0;
  }
}
