import type { Claim, RoundClaims } from '#services/ingest/store/round-claims';
import type { RoundId, RunId, TenantId } from '#schemas/brands';

type Held = Extract<Claim, { readonly id: string | null }>;

/** A round that is claimed, joined, given up by both, claimed with other content and accepted. */
export async function claimsInEveryWay(claims: RoundClaims): Promise<void> {
  const names = { tenantId: 'acme' as TenantId, runId: 'live' as RunId, roundId: 'claims' as RoundId };
  const round = { ...names, sequence: 1n };
  const first = (await claims.claim(round, 'a')) as Held;
  const joined = (await claims.claim(round, 'a')) as Held;
  expect([first.state, joined.state]).toEqual(['claimed', 'pending']);
  await claims.release(round, first);
  await expect(claims.claim(round, 'b')).resolves.toEqual({ state: 'conflict' });
  await claims.release(round, joined);
  await expect(claims.claim(round, 'b')).resolves.toMatchObject({ state: 'claimed' });
  const accepted = { shards: 1, candidates: 2, deadline: 3 };
  await claims.confirm(round, 'b', accepted);
  await expect(claims.claim(round, 'b')).resolves.toEqual({ state: 'accepted', ...accepted });
  await expect(claims.confirm(round, 'a', accepted)).rejects.toThrow('other content');
}
