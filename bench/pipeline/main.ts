import { runCommand } from '#lib/command-line';
import { startPipeline } from '#launcher/pipeline';
import { denseRounds } from './dense-rounds';
import { measure } from './measure';
import { parseOptions, usage, type PipelineBenchOptions } from './options';
import { report } from './report';

async function bench(options: PipelineBenchOptions): Promise<void> {
  console.error(`preparing rounds of ${options.candidates} candidates`);
  const rounds = await denseRounds(options.seed, options.candidates);
  const perShard = Math.ceil(options.candidates / options.shards);
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  const pipeline = await startPipeline({
    inheritedEnv: process.env,
    env: { ROUNDHOUSE_INGEST_CANDIDATES_PER_SHARD: `${perShard}`, ROUNDHOUSE_LOG_LEVEL: 'warn' },
    abort: abort.signal,
  });
  process.once('SIGINT', () => void pipeline.stop().then(() => process.exit(130)));
  try {
    console.log(JSON.stringify(report(await measure(options, pipeline, rounds))));
  } finally {
    await pipeline.stop();
  }
}

void runCommand({ usage, parse: parseOptions, run: bench });
