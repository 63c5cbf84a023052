import { createServer } from 'node:net';
import { RoundhouseError } from '#schemas/errors';

export const loopback = '127.0.0.1';

/** A port that is free now. Another process may take it before it is used: callers try again then. */
export async function freePort(): Promise<number> {
  return listenOnce(0);
}

/** Rejects with PORT_IN_USE when the port can't be listened on. */
export async function requireFreePort(port: number, purpose: string): Promise<void> {
  try {
    await listenOnce(port);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new RoundhouseError('PORT_IN_USE', `port ${port} for ${purpose} can't be used (${reason})`, [], {
      cause,
    });
  }
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, loopback, () => {
      const address = server.address();
      const taken = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(taken));
    });
  });
}
