import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, runCommand } from '#lib/command-line';
import { Prng, seedOf } from '#policy/simulation/city/prng';
import { allDecided } from '../drill/rounds/decided';
import { verdictOf } from '../drill/rounds/verdict';
import { Stand } from '../drill/stand/stand';
import { drawFault } from './faults';
import { lostRounds, type MadeFault } from './lost-rounds';
import { LifeBook } from './lives';
import { MixedLoad } from './load';
import { parseOptions, usage, type SoakOptions } from './options';

const note = (text: string): void => void process.stderr.write(`${text}\n`);
const sampleMs = 5_000;
/** Without a fault, at the end: what is on its way comes, and everything is ready. */
const lastCalmMs = 20_000;
interface Made {
  readonly failed: readonly string[];
  readonly faults: readonly MadeFault[];
}

function countsOf(faults: readonly MadeFault[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { name } of faults) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Faults one after the other until the end; each is healed before the next one. */
async function makeFaults(options: SoakOptions, stand: Stand, from: number): Promise<Made> {
  const prng = new Prng(seedOf(options.seed, 'soak'));
  const failed: string[] = [];
  const made: MadeFault[] = [];
  const lengthMs = options.minutes * 60_000;
  const passed = (): number => performance.now() - from;
  for (;;) {
    await sleep(1_000 * options.calmSeconds * (0.5 + prng.unit()));
    if (passed() > lengthMs - lastCalmMs - 30_000) return { failed, faults: made };
    const fault = drawFault(prng, Math.min(2, Math.floor((3 * passed()) / lengthMs)) as 0 | 1 | 2);
    made.push({ name: fault.name, at: Date.now() });
    note(`${(passed() / 60_000).toFixed(1)} min: ${fault.name}`);
    try {
      await fault.make(stand, prng);
      await stand.heal();
    } catch (error) {
      failed.push(`${fault.name}: ${errorText(error)}`);
      note(`  ${failed.at(-1)}`);
      await stand.heal();
    }
  }
}

async function soak(options: SoakOptions, stand: Stand): Promise<Record<string, unknown>> {
  const from = performance.now();
  const load = new MixedLoad(stand, options.roundsPerSecond, `soak-${options.seed}`);
  const lives = new LifeBook();
  let isOver = false;
  const sampling = (async () => {
    for (; !isOver; await sleep(sampleMs)) await lives.sample(stand);
  })();
  const made = await makeFaults(options, stand, from);
  await sleep(Math.max(0, options.minutes * 60_000 - (performance.now() - from)));
  await load.stop();
  isOver = true;
  await sampling;
  const { sender } = load;
  const published = await allDecided(stand, sender.runId, sender.accepted, 120_000);
  const verdict = verdictOf(sender.rounds, published);
  return {
    minutes: options.minutes,
    seed: options.seed,
    rounds: sender.rounds.length,
    ...verdict,
    duplicates: verdict.decidedTwice + verdict.shardsTwice,
    lostRounds: lostRounds(sender.accepted, published, made.faults),
    faults: countsOf(made.faults),
    faultsFailed: made.failed,
    requests: load.requests,
    processes: lives.growth(),
  };
}

/** Of what is found: nothing lost, twice, late or unexplained, nothing that grows, and every fault was healed. */
function isGood(report: Record<string, unknown>): boolean {
  const { accepted, lost, duplicates, lateUnmarked, unexplained, faultsFailed, processes } = report;
  const growing = Object.values(processes as ReturnType<LifeBook['growth']>).filter(
    ({ grows }) => grows === true,
  );
  const isWhole = [lost, duplicates, lateUnmarked, unexplained].every((count) => count === 0);
  const isHealed = (faultsFailed as readonly string[]).length === 0;
  return (accepted as number) > 0 && isWhole && isHealed && growing.length === 0;
}

/** Resolves to the exit code. */
async function main(options: SoakOptions): Promise<number> {
  const stand = await Stand.start({ env: { ROUNDHOUSE_LOG_LEVEL: 'warn' } });
  process.once('SIGINT', () => void stand.stop().then(() => process.exit(130)));
  try {
    const report = await soak(options, stand);
    console.log(JSON.stringify(report));
    return isGood(report) ? 0 : 1;
  } finally {
    await stand.stop();
  }
}

void runCommand({ usage, parse: parseOptions, run: main });
