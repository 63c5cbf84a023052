import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '../config';

/** One process of a target. */
export interface Instance {
  readonly name: string;
  readonly url: string;
  /** The name whose address stands in the URL. */
  readonly hostname?: string;
}

const mostInstances = 256;

export type Lookup = (host: string) => Promise<readonly string[]>;

/** A resolver that is gone keeps who asks it for half a minute; nothing else is seen meanwhile. */
const patienceMs = 1_500;

/**
 * Names as they were looked up. While nobody can be asked, or answers in time, a name stands for the addresses that it
 * had: just then it is of interest who they are. A name that there is not has none.
 */
export class Names {
  private readonly last = new Map<string, readonly string[]>();
  private readonly asked = new Map<string, ReturnType<Lookup>>();

  constructor(
    private readonly lookUp: Lookup,
    private readonly withinMs = patienceMs,
  ) {}

  readonly addressesOf: Lookup = async (host) => {
    try {
      const late = sleep(this.withinMs, null, { ref: false });
      const found = await Promise.race([this.askOnce(host), late]);
      if (found !== null) this.last.set(host, found);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') this.last.delete(host);
    }
    return this.last.get(host) ?? [];
  };

  /** Questions that nobody answers hold a thread each: there is one of a name at a time. */
  private askOnce(host: string): ReturnType<Lookup> {
    const asked = this.asked.get(host) ?? this.lookUp(host).finally(() => this.asked.delete(host));
    this.asked.set(host, asked);
    return asked;
  }
}

const system = new Names(async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address).sort(),
);

/** A target that can't be looked up stays one process, which then doesn't answer. */
async function instancesOf({ name, url }: Target, addressesOf: Lookup): Promise<Instance[]> {
  if (!url.startsWith('dns+')) return [{ name, url }];
  const plain = new URL(url.slice('dns+'.length));
  const addresses = await addressesOf(plain.hostname);
  if (addresses.length === 0) return [{ name, url: plain.origin }];
  const { protocol, port, hostname } = plain;
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return addresses.map((address) => {
    const host = isIPv6(address) ? `[${address}]` : address;
    const url = `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
    return { name: `${name}@${address}`, url, ...(isName && { hostname }) };
  });
}

/** The processes behind the targets at present. */
export async function findInstances(
  targets: readonly Target[],
  { addressesOf }: Pick<Names, 'addressesOf'> = system,
): Promise<Instance[]> {
  const found = await Promise.all(targets.map((target) => instancesOf(target, addressesOf)));
  return found.flat().slice(0, mostInstances);
}
