import { errorText } from '#lib/command-line';
import { ConsoleWatch } from './console/console-watch';
import type { ConsoleFinding } from './console/judge-console';
import { check, type Check, type Drill, type DrillContext, type Scale } from './drill';
import type { AlertWatch, FiredAlerts } from './alerts/alert-watch';
import { Stand } from './stand/stand';

export interface DrillResult {
  readonly name: string;
  readonly row: string;
  readonly fault: string;
  readonly expected: string;
  readonly checks: readonly Check[];
  readonly seconds: number;
  /** Null where nobody looked. */
  readonly alerts: FiredAlerts | null;
  /** What the console named; null where there was none, or nobody looked. */
  readonly console: ConsoleFinding | null;
  readonly passed: boolean;
}

export interface RunOptions {
  readonly scale: Scale;
  readonly seed: number;
  note(text: string): void;
  /** Looks at the alerts of a stand; null: nobody does. */
  watch(stand: Stand): Promise<AlertWatch | null>;
  /** Looks at the console of each stand. */
  readonly seesConsole?: boolean;
}

const contextOf = (stand: Stand, { scale, seed, note }: RunOptions): DrillContext => ({
  stand,
  scale,
  seed,
  note: (text) => note(`  ${text}`),
  of: (full, quick) => (scale === 'full' ? full : quick),
});

/** Never rejects: a drill that can't be done has failed, with the reason. */
export async function runDrill(
  drill: Drill,
  stand: Stand | null,
  options: RunOptions,
  watch: AlertWatch | null = null,
): Promise<DrillResult> {
  const { name, row, fault, expected } = drill;
  options.note(`${name}: ${fault}`);
  const already = await watch?.calm(drill.alerts ?? []);
  const from = Date.now();
  const eyes =
    stand === null || options.seesConsole !== true ? null : new ConsoleWatch(stand.pipeline.consoleUrl);
  let checks: Check[];
  try {
    checks = await drill.run(contextOf(stand as Stand, options));
  } catch (error) {
    checks = [check('the drill was done', 'yes', errorText(error), false)];
  }
  const seen = (await eyes?.stop(drill.console ?? null)) ?? null;
  const alerts = watch === null ? null : await watch.judge(drill.alerts ?? [], from, Date.now(), already);
  const seconds = Math.round((Date.now() - from) / 1_000);
  const passed =
    checks.every((one) => one.passed) &&
    (alerts === null || alerts.lacking.length === 0) &&
    seen?.found !== 'lacking';
  for (const { what, expected: wanted, measured, passed: good } of checks) {
    if (!good) options.note(`  FAILED ${what}: expected ${wanted}, measured ${measured}`);
  }
  if ((alerts?.lacking.length ?? 0) > 0)
    options.note(`  FAILED alerts that did not fire: ${alerts?.lacking.join(', ')}`);
  if (seen?.found === 'lacking')
    options.note(
      `  FAILED the console did not name the cause; it named: ${seen.others.join('; ') || 'nothing'}`,
    );
  options.note(`  ${passed ? 'passed' : 'FAILED'} in ${seconds} s`);
  return { name, row, fault, expected, checks, seconds, alerts, console: seen, passed };
}

/** What a drill leaves is healed before the next one; where that can't be done a new stand is made. */
async function runOnShared(drills: readonly Drill[], options: RunOptions): Promise<DrillResult[]> {
  if (drills.length === 0) return [];
  const results: DrillResult[] = [];
  let stand = await Stand.start();
  let watch = await options.watch(stand);
  try {
    for (const drill of drills) {
      results.push(await runDrill(drill, stand, options, watch));
      try {
        await stand.heal();
      } catch (error) {
        options.note(`  a new stand: ${errorText(error)}`);
        await watch?.stop();
        await stand.stop();
        stand = await Stand.start();
        watch = await options.watch(stand);
      }
    }
    return results;
  } finally {
    await watch?.stop();
    await stand.stop();
  }
}

async function runOnOwn(drill: Drill, options: RunOptions): Promise<DrillResult> {
  if (drill.stand === 'none') return runDrill(drill, null, options);
  const stand = await Stand.start(drill.stand);
  try {
    return await runDrill(drill, stand, options);
  } finally {
    await stand.stop();
  }
}

export async function runDrills(drills: readonly Drill[], options: RunOptions): Promise<DrillResult[]> {
  const shared = await runOnShared(
    drills.filter(({ stand }) => stand === undefined),
    options,
  );
  const results = [...shared];
  for (const drill of drills.filter(({ stand }) => stand !== undefined)) {
    results.push(await runOnOwn(drill, options));
  }
  return results;
}
