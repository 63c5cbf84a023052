import { RoundhouseError } from '#schemas/errors';

/** Why a port can't be listened on, with the variables that name it and its host. `portKey`: null where none does. */
export function listenFault(
  address: string,
  code: string,
  portKey: string | null,
  cause: Error,
): RoundhouseError {
  if (code === 'EADDRINUSE') {
    const remedy = portKey === null ? '' : `: set ${portKey} to another port`;
    return new RoundhouseError('PORT_IN_USE', `${address} is in use${remedy}`, [], { cause });
  }
  const port = portKey === null ? '' : `, the port ${portKey}`;
  const message = `cannot listen on ${address}: ${code} (the host is ROUNDHOUSE_BIND_HOST${port})`;
  return new RoundhouseError('CONFIG_INVALID', message, [], { cause });
}

/** `host:port`, with brackets around an IPv6 address. */
export function addressOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
