const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** What one caller has: an address of IPv4, or the 64 bits of IPv6 below which the caller chooses addresses at will. */
export function networkOf(address: string): string {
  const [, ipv4] = mapped.exec(address) ?? [];
  if (ipv4 !== undefined) return ipv4;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%', 1)[0]!.toLowerCase().split('::', 2);
  const groups = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const left = Array<string>(Math.max(0, 8 - groups[0]!.length - groups[1]!.length)).fill('0');
  return `${[...groups[0]!, ...left, ...groups[1]!].slice(0, 4).join(':')}::/64`;
}
