import type { NetworkInterfaceInfo } from 'node:os';
import { areLoopback, devicesIn, networksOf, networksSetting } from './networks';

describe('networks', () => {
  it('contain addresses of both versions', () => {
    const networks = networksOf(['10.1.0.0/16', 'fd00::/8', '192.0.2.7'])!;
    expect(networks.contain('10.1.255.1')).toBe(true);
    expect(networks.contain('10.2.0.1')).toBe(false);
    expect(networks.contain('fd12::1')).toBe(true);
    expect(networks.contain('fe80::1')).toBe(false);
    expect(networks.contain('192.0.2.7')).toBe(true);
    expect(networks.contain('192.0.2.8')).toBe(false);
    expect(networks.contain('10.1.0.1.example.org')).toBe(false);
  });

  it('none contains nothing', () => {
    expect(networksOf([])!.contain('127.0.0.1')).toBe(false);
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    'fd00::/129',
    '10.0.0.0/8/8',
    'all',
    '10.0.0.0/x',
    '10.0.0.0/',
    '10.0.0.0/-1',
  ])('refuses %s', (text) => expect(networksSetting('KEY').read(text)).toHaveProperty('limit'));

  it('reads a list with spaces', () => {
    const value = { texts: ['10.0.0.0/8', '127.0.0.0/8'] };
    expect(networksSetting('KEY').read('10.0.0.0/8, 127.0.0.0/8')).toMatchObject({ value });
  });

  it('knows what leaves the machine', () => {
    expect(areLoopback(networksOf(['127.0.0.0/8', '::1'])!)).toBe(true);
    expect(areLoopback(networksOf(['127.0.0.0/8', '10.0.0.0/8'])!)).toBe(false);
    // 127.0.0.0/1 is half of all addresses.
    expect(areLoopback(networksOf(['127.0.0.0/1'])!)).toBe(false);
    // ::/8 has ::ffff:0:0/96 in it, all IPv4 addresses as IPv6 writes them.
    expect(areLoopback(networksOf(['::1/8'])!)).toBe(false);
    expect(areLoopback(networksOf(['::ffff:127.0.0.1/96'])!)).toBe(false);
  });

  it('names the interfaces that lie in them', () => {
    const at = (address: string) => [{ address }] as NetworkInterfaceInfo[];
    const interfaces = { lo: at('127.0.0.1'), eth0: at('192.0.2.2'), eth1: at('10.0.0.1') };
    expect(devicesIn(networksOf(['10.0.0.0/8', '127.0.0.0/8'])!, interfaces)).toEqual(['lo', 'eth1']);
  });
});
