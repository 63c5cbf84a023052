import { runCommand } from '#lib/command-line';
import { startPipeline } from '#launcher/pipeline';
import type { DispatchRound } from '#schemas/domain';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import { denseRounds } from './dense-rounds';
import { measure } from './measure';
import { parseOptions, usage, type PipelineBenchOptions } from './options';
import { lacking, report } from './report';

async function roundsOf(options: PipelineBenchOptions): Promise<DispatchRound[]> {
  const { city, seed, candidates, templates } = options;
  if (city === null) return denseRounds(seed, candidates, templates);
  const policy = { candidateRadiusMetres: city.radiusMetres, bundleOrders: city.bundleOrders };
  return cityRounds({ seed, couriers: city.couriers, orders: city.orders, candidates, policy }, templates);
}

/** Room for the rounds of a search; a round of the usual size is below the usual limits. */
const searchLimits = {
  ROUNDHOUSE_INGEST_MAX_COURIERS: '60000',
  ROUNDHOUSE_INGEST_MAX_ORDERS: '65534',
  ROUNDHOUSE_INGEST_MAX_CANDIDATES: '4000000',
  ROUNDHOUSE_INGEST_MAX_BODY_BYTES: '67108864',
};

function serviceEnv(options: PipelineBenchOptions): NodeJS.ProcessEnv {
  const perShard = Math.min(12_000, Math.ceil(options.candidates / options.shards));
  return {
    ...(options.search ? searchLimits : {}),
    ROUNDHOUSE_INGEST_CANDIDATES_PER_SHARD: `${perShard}`,
    ROUNDHOUSE_INGEST_SHARDS_PER_ROUND: `${options.shards}`,
    ROUNDHOUSE_LOG_LEVEL: 'warn',
  };
}

/** Resolves to the exit code. */
async function bench(options: PipelineBenchOptions): Promise<number> {
  console.error(`preparing ${options.templates} rounds of ${options.candidates} candidates`);
  const rounds = await roundsOf(options);
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  const pipeline = await startPipeline({
    inheritedEnv: process.env,
    env: serviceEnv(options),
    abort: abort.signal,
  });
  process.once('SIGINT', () => void pipeline.stop().then(() => process.exit(130)));
  try {
    const measured = await measure(options, pipeline, rounds);
    console.log(JSON.stringify(report(measured)));
    const failure = lacking(measured);
    if (failure !== null) console.error(failure);
    return failure === null ? 0 : 1;
  } finally {
    await pipeline.stop();
  }
}

void runCommand({ usage, parse: parseOptions, run: bench });
