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

/** Rejects with PORT_IN_USE, naming every port that is taken and the variable that changes it. */
export async function requireFreePorts(
  wanted: readonly { readonly variable: string; readonly port: number }[],
): Promise<void> {
  const looks = wanted.map(async ({ variable, port }) => {
    if (!(port > 0 && port < 65_536)) return null;
    const isTaken = await listenOnce(port).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'EADDRINUSE',
    );
    return isTaken ? `port ${port} is in use: set ${variable} to another` : null;
  });
  const taken = (await Promise.all(looks)).filter((line) => line !== null);
  if (taken.length > 0) throw new RoundhouseError('PORT_IN_USE', taken.join('\n'));
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
