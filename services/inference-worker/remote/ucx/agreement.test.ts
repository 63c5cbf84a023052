import { whyNotUcx } from './agreement';

const offer = { protocol: 1, version: '1.22.0', transports: ['self/memory', 'tcp/eth0', 'tcp/lo'] };

describe('whyNotUcx', () => {
  it('lets releases of one minor version speak', () => {
    expect(whyNotUcx(offer, { ...offer, version: '1.22.3' })).toBeNull();
  });

  it('refuses another minor version, with both', () => {
    expect(whyNotUcx(offer, { ...offer, version: '1.13.1' })).toBe('UCX 1.22.0 here, 1.13.1 there');
    expect(whyNotUcx(offer, { ...offer, version: '1.2.0' })).toBe('UCX 1.22.0 here, 1.2.0 there');
  });

  it('refuses another protocol of ours', () => {
    expect(whyNotUcx(offer, { ...offer, protocol: 2 })).toBe('protocol 1 here, 2 there');
  });

  it('asks for a transport in common that leaves the machine', () => {
    const verbs = { ...offer, transports: ['self/memory', 'rc_verbs/mlx5_0:1'] };
    expect(whyNotUcx(offer, verbs)).toBe('no transport in common: tcp here, rc_verbs there');
    const alone = { ...offer, transports: ['self/memory', 'posix/memory'] };
    expect(whyNotUcx(offer, alone)).toBe('no transport in common: tcp here, none there');
  });

  it('refuses a version that is no version', () => {
    expect(whyNotUcx(offer, { ...offer, version: '' })).toBe('UCX 1.22.0 here,  there');
  });
});
