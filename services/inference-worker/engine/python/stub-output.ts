import { execFileSync } from 'node:child_process';
import { constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * What Python models print. Node's own standard output isn't inherited by programs that the core starts, so
 * the stubs write into a FIFO; it has a writer of ours, so that it has no end while we live.
 */
export class StubOutput {
  private constructor(
    readonly path: string,
    private readonly socket: Socket,
  ) {}

  static open(path: string, onLine: (line: string) => void): StubOutput {
    rmSync(path, { force: true });
    execFileSync('mkfifo', ['-m', '600', path]);
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const socket = new Socket({ fd, readable: true, writable: false });
    socket.on('error', () => undefined);
    createInterface({ input: socket }).on('line', onLine);
    return new StubOutput(path, socket);
  }

  close(): void {
    this.socket.destroy();
    rmSync(this.path, { force: true });
  }
}
