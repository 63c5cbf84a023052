import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Setting } from '#lib/config';

export interface Networks {
  /** As they were given. */
  readonly texts: readonly string[];
  contain(address: string): boolean;
}

type Family = 'ipv4' | 'ipv6';

const familyOf = (address: string): Family => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function subnetOf(text: string): { address: string; bits: number } | null {
  const [address = '', bits] = text.split('/');
  const version = isIP(address);
  const count = bits === undefined ? (version === 6 ? 128 : 32) : /^\d{1,3}$/.test(bits) ? Number(bits) : NaN;
  const isGood = version !== 0 && count <= (version === 6 ? 128 : 32) && text.split('/').length <= 2;
  return isGood ? { address, bits: count } : null;
}

/** null where one of them is no network. */
export function networksOf(texts: readonly string[]): Networks | null {
  const list = new BlockList();
  for (const text of texts) {
    const subnet = subnetOf(text);
    if (subnet === null) return null;
    list.addSubnet(subnet.address, subnet.bits, familyOf(subnet.address));
  }
  const contain = (address: string): boolean => isIP(address) !== 0 && list.check(address, familyOf(address));
  return { texts, contain };
}

/** Networks like 10.0.0.0/8, separated by commas; none by default. */
export function networksSetting(key: string): Setting<Networks> {
  return {
    key,
    fallback: '',
    read(text) {
      const texts = text.split(',').map((part) => part.trim());
      const networks = networksOf(texts.filter((part) => part !== ''));
      return networks === null
        ? { limit: 'networks like 10.0.0.0/8, separated by commas' }
        : { value: networks };
    },
  };
}

const loopback = networksOf(['127.0.0.0/8', '::1/128'])!;

/** Nobody else's machine is among them. */
export function areLoopback({ texts }: Networks): boolean {
  return texts.every((text) => {
    const { address, bits } = subnetOf(text)!;
    return loopback.contain(address) && bits >= (isIP(address) === 6 ? 128 : 8);
  });
}

/** The interfaces with an address in one of the networks, as UCX_NET_DEVICES has them. */
export function devicesIn(networks: Networks, interfaces = networkInterfaces()): string[] {
  return Object.entries(interfaces)
    .filter(([, addresses = []]) => addresses.some(({ address }) => networks.contain(address)))
    .map(([name]) => name);
}
