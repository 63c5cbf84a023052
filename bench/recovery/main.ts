import { startPipeline } from '#launcher/pipeline';
import { runCommand } from '#lib/command-line';
import type { DispatchRound } from '#schemas/domain';
import { denseRounds } from '../pipeline/dense-rounds';
import { meansFor } from './end-engine';
import { measure } from './measure';
import { parseOptions, usage, type RecoveryOptions, type Way } from './options';
import { report } from './report';

async function benchWay(
  options: RecoveryOptions,
  way: Way,
  rounds: readonly DispatchRound[],
): Promise<Record<string, unknown>> {
  const perShard = Math.ceil(options.candidates / options.shards);
  const means = meansFor(options.by);
  const abort = new AbortController();
  const onInterrupt = (): void => abort.abort();
  process.once('SIGINT', onInterrupt);
  const pipeline = await startPipeline({
    inheritedEnv: process.env,
    env: {
      ROUNDHOUSE_INGEST_CANDIDATES_PER_SHARD: `${perShard}`,
      ROUNDHOUSE_LOG_LEVEL: 'warn',
      ROUNDHOUSE_STANDBY: way.standby ? '1' : '0',
      ...means.env,
    },
    abort: abort.signal,
  });
  const stopAll = (): void => void pipeline.stop().then(() => process.exit(130));
  process.once('SIGINT', stopAll);
  try {
    return report(await measure(options, way, pipeline, rounds));
  } finally {
    process.off('SIGINT', onInterrupt).off('SIGINT', stopAll);
    await pipeline.stop();
    means.remove();
  }
}

async function bench(options: RecoveryOptions): Promise<void> {
  console.error(`preparing rounds of ${options.candidates} candidates`);
  const rounds = await denseRounds(options.seed, options.candidates);
  const results: Record<string, unknown> = {};
  for (const way of options.ways) {
    results[way.standby ? 'withStandby' : 'withoutStandby'] = await benchWay(options, way, rounds);
  }
  console.log(JSON.stringify(results));
}

void runCommand({ usage, parse: parseOptions, run: bench });
