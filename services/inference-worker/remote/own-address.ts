import { hostname, networkInterfaces } from 'node:os';

const wildcards = ['0.0.0.0', '::', '[::]'];
const loopback = ['127.0.0.1', '[::1]', 'localhost'];

export const isWildcard = (host: string): boolean => wildcards.includes(host);
export const bracketed = (host: string): string =>
  host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;

/** By what names a server that is bound to `bindHost` is reached. */
function hostsOf(bindHost: string): string[] {
  if (loopback.includes(bracketed(bindHost))) return [bracketed(bindHost), 'localhost'];
  if (!isWildcard(bindHost)) return [bracketed(bindHost), hostname()];
  const addresses = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address }) => address),
  );
  return [...loopback, hostname(), ...addresses.map(bracketed)];
}

/** Where this worker itself is reached: it is no remote of its own. */
export class OwnAddress {
  private readonly hosts: ReadonlySet<string>;
  private ports: ReadonlySet<number>;

  /** `announced`: host:port, or empty. */
  constructor(
    bindHost: string,
    private readonly announced: string,
    ports: readonly number[],
  ) {
    this.hosts = new Set(hostsOf(bindHost).map((host) => host.toLowerCase()));
    this.ports = new Set(ports);
  }

  /** The ports that it has got. */
  servesOn(ports: readonly number[]): void {
    this.ports = new Set(ports);
  }

  is(address: string): boolean {
    if (address === this.announced) return true;
    const at = address.lastIndexOf(':');
    return (
      this.hosts.has(address.slice(0, at).toLowerCase()) && this.ports.has(Number(address.slice(at + 1)))
    );
  }
}
