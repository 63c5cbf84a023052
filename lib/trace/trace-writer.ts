import { closeSync, constants, openSync } from 'node:fs';
import { LogSink } from '#lib/log-sink';
import { RoundhouseError } from '#schemas/errors';
import { traceLine, type TracedPhase } from './traced-phase';

const flushTimeoutMs = 2_000;
/** Never waits: a pipe that nobody reads would hold its writer for good. */
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

function openTrace(file: string): number {
  try {
    return openSync(file, flags, 0o644);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `ROUNDHOUSE_TRACE_FILE="${file}": a file that can be appended to, or made (${code})`;
    throw new RoundhouseError('CONFIG_INVALID', message, [], { cause });
  }
}

/** Appends phases to a file without waiting for it; what a slow disk has no room for is dropped, and a line says how much. */
export class TraceWriter {
  private readonly fd: number;
  private readonly sink: LogSink;

  /** Throws CONFIG_INVALID where the file can't be written. */
  constructor(file: string) {
    this.fd = openTrace(file);
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
