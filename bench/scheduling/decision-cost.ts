import { defaultSettings } from '#policy/scheduling/settings';
import { standardCosts, standardScenario } from '#policy/scheduling/simulation/standard-scenario';
import { Staggered } from '#policy/scheduling/staggered';

/** Microseconds a decision while so many wait, on four devices; each start is ended at once and replaced. */
export function decisionCost(waiting: number, decisions: number): Record<string, number> {
  const { shards, devices } = standardScenario({ speeds: [1, 1, 0.5, 0.1], bursts: 40 });
  const settings = { ...defaultSettings, poolBytes: 2 ** 34, cores: 2 };
  const scheduler = new Staggered(settings, standardCosts());
  for (const device of devices) scheduler.deviceUp(device);
  let made = 0;
  const arrive = () => {
    const shard = shards[made % shards.length]!;
    scheduler.arrive({ ...shard, id: `${made++}`, deadlineMs: 1e9 }, 0);
  };
  while (made < waiting) arrive();
  const took: number[] = [];
  const running: string[] = [];
  while (took.length < decisions) {
    const before = process.hrtime.bigint();
    const decision = scheduler.decide(0);
    took.push(Number(process.hrtime.bigint() - before) / 1_000);
    if (decision.kind === 'start') {
      running.push(decision.shard.id);
      arrive();
    } else scheduler.leave(running.shift()!);
  }
  took.splice(0, decisions / 10);
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor(share * (took.length - 1))]!;
  return {
    waiting,
    decisions: took.length,
    meanUs: took.reduce((sum, us) => sum + us, 0) / took.length,
    p50Us: at(0.5),
    p99Us: at(0.99),
  };
}
