import { closeSync, openSync } from 'node:fs';
import { LogSink } from '#lib/log-sink';
import { traceLine, type TracedPhase } from './traced-phase';

const flushTimeoutMs = 2_000;

/** Appends phases to a file without waiting for it; what a slow disk has no room for is dropped, and a line says how much. */
export class TraceWriter {
  private readonly fd: number;
  private readonly sink: LogSink;

  /** Throws where the file can't be written. */
  constructor(file: string) {
    this.fd = openSync(file, 'a', 0o644);
    this.sink = new LogSink(this.fd);
  }

  /** Phases without a time (0 to 0) did not happen and are left out. */
  write(phases: readonly TracedPhase[]): void {
    for (const traced of phases) {
      if (traced.endNs > 0n) this.sink.write(traceLine(traced));
    }
  }

  async close(): Promise<void> {
    await this.sink.flushed(flushTimeoutMs);
    closeSync(this.fd);
  }
}
