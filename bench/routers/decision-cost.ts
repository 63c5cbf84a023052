import { mixedRandom } from '#policy/scheduling/simulation/mixed-random';
import { Router } from '#policy/balancing/router';

/** Microseconds of processor time a shard, with its route and its end, and of the route alone by the clock. */
export function decisionCost(remotes: number, decisions: number): Record<string, number> {
  const random = mixedRandom(1);
  const router = new Router(() => random.unit());
  for (let at = 0; at < remotes; at += 1) router.add(`remote-${at}`);
  for (const name of router.probesDue(0)) router.probed(name, true, 0);
  const took: number[] = [];
  const before = process.cpuUsage();
  for (let at = 0; at < decisions; at += 1) {
    const nowMs = at / 10;
    const work = { model: 'm', size: 50 + random.below(950), bytes: 100_000, deadlineMs: nowMs + 1_000 };
    const asked = process.hrtime.bigint();
    const route = router.route(work, 200, nowMs);
    took.push(Number(process.hrtime.bigint() - asked) / 1_000);
    if (route.kind !== 'remote') continue;
    const load = { waitMs: 10 * random.unit(), lanes: 1, atMs: nowMs + 10 };
    router.ended(route.attempt, { kind: 'good', ranMs: 8, thereMs: 9, load }, nowMs + 10);
  }
  const { user, system } = process.cpuUsage(before);
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor(share * (took.length - 1))]!;
  return { remotes, decisions, meanUs: (user + system) / decisions, p50Us: at(0.5), p99Us: at(0.99) };
}
