import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import type { Target } from '../config';

/** One process of a target. */
export interface Instance {
  readonly name: string;
  readonly url: string;
}

const mostInstances = 256;

type Lookup = (host: string) => Promise<readonly string[]>;

const systemLookup: Lookup = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address).sort();

/** A target that can't be looked up stays one process, which then doesn't answer. */
async function instancesOf({ name, url }: Target, addressesOf: Lookup): Promise<Instance[]> {
  if (!url.startsWith('dns+')) return [{ name, url }];
  const plain = new URL(url.slice('dns+'.length));
  const addresses = await addressesOf(plain.hostname).catch(() => []);
  if (addresses.length === 0) return [{ name, url: plain.origin }];
  const { protocol, port } = plain;
  return addresses.map((address) => {
    const host = isIPv6(address) ? `[${address}]` : address;
    return { name: `${name}@${address}`, url: `${protocol}//${host}${port === '' ? '' : `:${port}`}` };
  });
}

/** The processes behind the targets at present. */
export async function findInstances(
  targets: readonly Target[],
  addressesOf: Lookup = systemLookup,
): Promise<Instance[]> {
  const found = await Promise.all(targets.map((target) => instancesOf(target, addressesOf)));
  return found.flat().slice(0, mostInstances);
}
