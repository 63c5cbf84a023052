import { PeerTokens, tokenBytes } from './peer-tokens';

describe('PeerTokens', () => {
  it('takes a token once', () => {
    const tokens = new PeerTokens(1_000);
    const { token, key } = tokens.issue();
    expect(tokens.take(token)).toEqual(key);
    expect(tokens.take(token)).toBeNull();
  });

  it('takes none that it has not issued', () => {
    const tokens = new PeerTokens(1_000);
    tokens.issue();
    expect(tokens.take(Buffer.alloc(tokenBytes))).toBeNull();
    expect(tokens.take(Buffer.alloc(0))).toBeNull();
    expect(tokens.count).toBe(1);
  });

  it('takes none after its time', () => {
    let now = 0;
    const tokens = new PeerTokens(1_000, () => now);
    const early = tokens.issue();
    now = 600;
    const late = tokens.issue();
    now = 1_000; // 1,000 after the first, 400 after the second
    expect(tokens.take(early.token)).toBeNull();
    expect(tokens.take(late.token)).toEqual(late.key);
  });

  it('keeps a thousand at most, the newest', () => {
    const tokens = new PeerTokens(1_000, () => 0);
    const first = tokens.issue();
    for (let i = 0; i < 1_024; i += 1) tokens.issue();
    expect(tokens.count).toBe(1_024);
    expect(tokens.take(first.token)).toBeNull();
  });
});
