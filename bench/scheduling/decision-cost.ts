import { phases } from '#policy/scheduling/phases';
import { defaultSettings } from '#policy/scheduling/settings';
import { standardCosts, standardScenario } from '#policy/scheduling/simulation/standard-scenario';
import { Staggered } from '#policy/scheduling/staggered';

/**
 * Microseconds a decision while so many wait, on four devices; each start is replaced, and the oldest one is done where
 * the scheduler would wait. The mean is of processor time and has all else that a shard costs in it.
 */
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
  const before = process.cpuUsage();
  const took: number[] = [];
  const running: string[] = [];
  while (took.length < decisions) {
    const asked = process.hrtime.bigint();
    const decision = scheduler.decide(0);
    took.push(Number(process.hrtime.bigint() - asked) / 1_000);
    if (decision.kind === 'start') {
      running.push(decision.shard.id);
      arrive();
    } else finish(scheduler, running.shift()!);
  }
  const { user, system } = process.cpuUsage(before);
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor(share * (took.length - 1))]!;
  return {
    waiting,
    decisions: took.length,
    meanUs: (user + system) / took.length,
    p50Us: at(0.5),
    p99Us: at(0.99),
  };
}

function finish(scheduler: Staggered, id: string): void {
  for (const phase of phases) scheduler.phaseEnded(id, phase, 1);
  scheduler.leave(id);
}
