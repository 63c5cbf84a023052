import { write } from 'node:fs';

const longestQueueBytes = 8 * 1024 * 1024;
const busyPauseMs = 20;

/**
 * Where log lines go, without waiting for them. A reader that is gone ends the log, not the process: pino's own
 * destination writes again and again at an exit then, and the process never ends. While a reader is slow, lines
 * are kept up to a limit; those beyond it are counted and the count is logged.
 */
export class LogSink {
  private lines: string[] = [];
  private queuedBytes = 0;
  private dropped = 0;
  private droppedBefore = 0;
  private writing = false;
  private isGone = false;
  private waiters: (() => void)[] = [];

  constructor(
    private readonly fd: number,
    private readonly limitBytes = longestQueueBytes,
  ) {}

  /** In all. */
  get droppedLines(): number {
    return this.droppedBefore + this.dropped;
  }

  write(line: string): void {
    if (this.isGone) return;
    const bytes = Buffer.byteLength(line);
    if (this.queuedBytes + bytes > this.limitBytes) {
      this.dropped += 1;
      return;
    }
    this.lines.push(line);
    this.queuedBytes += bytes;
    if (!this.writing) this.writeNext();
  }

  /** Resolves when all lines are written, or can't be, or after the time given. */
  flushed(timeoutMs: number): Promise<void> {
    if (!this.writing) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.waiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private writeNext(): void {
    if (this.lines.length === 0) return this.settle();
    const bytes = Buffer.from(this.lines.join(''));
    this.lines = [];
    this.writing = true;
    this.writeFrom(bytes);
  }

  private writeFrom(bytes: Buffer): void {
    write(this.fd, bytes, (error, written) => {
      if (error === null) return this.written(bytes, written);
      if (error.code === 'EAGAIN' || error.code === 'EBUSY')
        return void setTimeout(() => this.writeFrom(bytes), busyPauseMs);
      if (error.code !== 'ENOSPC') this.isGone = true;
      this.written(bytes, bytes.length);
    });
  }

  private written(bytes: Buffer, count: number): void {
    this.queuedBytes -= count;
    if (count < bytes.length) return this.writeFrom(bytes.subarray(count));
    if (this.isGone) this.lines = [];
    if (this.dropped > 0) this.lines.push(this.droppedLine());
    this.writeNext();
  }

  private droppedLine(): string {
    const line = `${JSON.stringify({ level: 'warn', event: 'LogLinesDropped', lines: this.dropped })}\n`;
    this.droppedBefore += this.dropped;
    this.dropped = 0;
    this.queuedBytes += Buffer.byteLength(line);
    return line;
  }

  private settle(): void {
    this.writing = false;
    for (const wake of this.waiters.splice(0)) wake();
  }
}
