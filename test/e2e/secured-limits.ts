import { status } from '@grpc/grpc-js';
import { until } from '../support/until';
import type { Reply, SecuredDeployment } from './secured-deployment';

/** What a tenant may have, of a deployment that is there when the tests run. */
export function testTenantLimits(deployment: () => SecuredDeployment): void {
  test('a tenant has its rounds a minute, at whatever ingest, and is told when there is room again', async () => {
    const d = deployment();
    const replies: Reply[] = [];
    for (const round of ['q1', 'q2', 'q3']) replies.push(await d.submit(d.as(d.keys.small), round));
    expect(replies.map((reply) => reply.status)).toEqual([202, 202, 429]);
    // Two of a minute have been taken: one flows off in 30 s.
    const after = Number(replies[2]!.headers['retry-after']);
    expect(after).toBeGreaterThan(0);
    expect(after).toBeLessThanOrEqual(30);
    expect(await d.submit(d.as(d.keys.acme), 'q4')).toMatchObject({ status: 202 });
    const large = await d.submit(d.as(d.keys.small), 'q5', { zoneId: 'z', more: 'x'.repeat(100_000) });
    expect(large).toMatchObject({ status: 413 });
  }, 30_000);

  test('what a round has beyond its quota of candidates is owed by those that follow', async () => {
    const d = deployment();
    const replies: Reply[] = [];
    for (const round of ['n1', 'n2', 'n3']) replies.push(await d.submit(d.as(d.keys.narrow), round));
    // One candidate each: after the second, two are owed where a minute has one.
    expect(replies.map((reply) => reply.status)).toEqual([202, 202, 429]);
    expect(replies[2]!.body).toContain('1 candidates a minute');
    const after = Number(replies[2]!.headers['retry-after']);
    expect(after).toBeGreaterThan(30);
    expect(after).toBeLessThanOrEqual(60);
  }, 30_000);

  test('a tenant has its streams of decisions at once, and those of others are left to them', async () => {
    const d = deployment();
    const open = await d.watchDecisions(d.keys.narrow);
    expect(await (await d.watchDecisions(d.keys.narrow)).end).toBe(status.RESOURCE_EXHAUSTED);
    const other = await d.watchDecisions(d.keys.acme);
    expect(await Promise.race([open.end, other.end, 'open'])).toBe('open');
    open.cancel();
    await open.end;
    await until(async () => {
      const again = await d.watchDecisions(d.keys.narrow);
      const end = await Promise.race([again.end, 'open']);
      again.cancel();
      return end === 'open';
    }, 'the place is free again');
    other.cancel();
  }, 30_000);
}
