import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import { bindServer } from '#lib/grpc-bind';
import { RoundhouseError } from '#schemas/errors';

/** A socket file that nobody listens on is what a killed engine left behind. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => resolve(true) ?? probe.destroy());
    probe.once('error', () => resolve(false));
  });
}

async function freeSocket(path: string): Promise<void> {
  if (await isAnswered(path)) throw new RoundhouseError('PORT_IN_USE', `another process listens on ${path}`);
  rmSync(path, { force: true });
}

/** Binds with mode 0600: only our own user may connect. */
export async function bindSocket(server: Server, path: string): Promise<void> {
  await freeSocket(path);
  const before = process.umask(0o177);
  try {
    await bindServer(server, `unix:${path}`);
  } finally {
    process.umask(before);
  }
}

/** Lets running calls end for at most `graceMs`, then cuts them. */
export async function closeServer(server: Server, graceMs = 3_000): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const cut = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, graceMs);
  });
  await Promise.race([new Promise<void>((resolve) => server.tryShutdown(() => resolve())), cut]);
  clearTimeout(timer);
}
