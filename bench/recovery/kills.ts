import { setTimeout as sleep } from 'node:timers/promises';
import type { Pipeline } from '#launcher/pipeline';
import { engineState } from './active-engine';
import { endEngine } from './end-engine';
import type { RecoveryOptions, Way } from './options';
import type { ShardLog } from './shard-log';

const mostWaitMs = 60_000;

async function until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + mostWaitMs; !(await done()); await sleep(20)) {
    if (Date.now() > end) throw new Error(`not in ${mostWaitMs} ms: ${what}`);
  }
}

export interface Kill {
  /** Unix ms. */
  readonly at: number;
  readonly endedMs: number;
}

/** A number from 0 to 1 by the index: kills fall on every phase of the load. */
function phase(seed: number, index: number): number {
  const value = Math.sin(12.9898 * (index + 1) + 78.233 * seed) * 43_758.5453;
  return value - Math.floor(value);
}

/**
 * Kills the active engine again and again, each time some seconds after the one before was overcome (a good
 * outcome has come; with a standby, a new one is warm): engines that end sooner would be a crash loop.
 */
export async function killEngines(
  options: RecoveryOptions,
  { standby }: Way,
  pipeline: Pipeline,
  log: ShardLog,
): Promise<Kill[]> {
  const kills: Kill[] = [];
  for (let i = 0; i < options.kills; i++) {
    const last = kills.at(-1)?.at ?? 0;
    await until(() => log.good.some(({ startedAt }) => startedAt > last), 'a good outcome');
    await sleep(options.everyMs + phase(options.seed, i) * 500);
    await until(async () => {
      const { pid, standbyReady } = await engineState(pipeline);
      return pid !== null && (standbyReady || !standby);
    }, 'an engine, and a warm standby where there is one');
    const { pid } = await engineState(pipeline);
    const at = Date.now();
    const endedMs = await endEngine(options.by, pipeline, pid!);
    kills.push({ at, endedMs });
    console.error(`kill ${i + 1} of ${options.kills}: engine ${pid}, gone in ${Math.round(endedMs)} ms`);
  }
  return kills;
}
