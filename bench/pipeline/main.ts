import { startPipeline } from '#launcher/pipeline';
import { denseRounds } from './dense-rounds';
import { measure } from './measure';
import { parseOptions, usage } from './options';
import { report } from './report';

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
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

main().catch((error: unknown) => {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  process.exitCode = 1;
});
