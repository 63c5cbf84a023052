import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { cutRound } from '#policy/sharding/index';
import { roundsCodec, shardsCodec } from '#schemas/codec';
import type { DispatchRound } from '#schemas/domain';
import { topicsOf } from '#schemas/topics';
import { measureBareChain, type MessageSizes } from './bare-chain';
import { DecisionLog, type RoundTrace } from './decision-log';
import { denseRounds } from './dense-rounds';
import { submitSteadily } from './load';
import { parseOptions, usage, type PipelineBenchOptions } from './options';
import { cpuSeconds, MemorySeries } from './process-usage';
import { report, type Measured } from './report';

const note = (text: string): void => void process.stderr.write(`${text}\n`);
const models = ['candidate_cost', 'delivery_time'].map((name) => ({
  name,
  version: '1',
  contentHash: '0'.repeat(64),
}));

/** Milliseconds that ten million additions take: the machine's speed at this moment. */
function spinMs(): number {
  const startedAt = performance.now();
  let sum = 0;
  for (let i = 0; i < 10_000_000; i++) sum = (sum + i) | 0;
  return performance.now() - startedAt + (sum & 0);
}

function pidsOf(pipeline: Pipeline): Map<string, number> {
  const pids = pipeline.processes().flatMap(({ name, pid }) => (pid === null ? [] : [[name, pid] as const]));
  return new Map([...pids, ...pipeline.enginePids().map((pid) => ['engine', pid] as const)]);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

function messageSizes(round: DispatchRound, limits: CutLimits, traces: readonly RoundTrace[]): MessageSizes {
  const { manifest, shards } = cutRound(round, models, limits);
  const solved = traces.filter((trace) => trace.outcomeBytes.length === shards.length);
  return {
    shards: shards.map((shard) => shardsCodec.encode(shard).length),
    manifest: roundsCodec.encode(manifest).length,
    outcomes: shards.map((_, shard) => median(solved.map((trace) => trace.outcomeBytes[shard] ?? 0))),
    decision: median(solved.map((trace) => trace.decisionBytes)),
  };
}

type CutLimits = { readonly candidatesPerShard: number };

async function measure(
  options: PipelineBenchOptions,
  pipeline: Pipeline,
  rounds: readonly DispatchRound[],
): Promise<Measured> {
  const { logger } = createTelemetry({ service: 'bench', logLevel: 'warn' });
  const bus = connectBus({ brokers: pipeline.kafkaBrokers.split(','), clientId: 'bench', logger });
  const log = new DecisionLog();
  await log.follow(bus, topicsOf(pipeline.topicPrefix));
  const pids = pidsOf(pipeline);
  const memory = new MemorySeries(pids);
  const load = { ...options, ingestUrl: pipeline.ingestUrl, rounds, log };
  note(`warming up for ${options.warmUpSeconds} s`);
  const warm = await submitSteadily({ ...load, seconds: options.warmUpSeconds, firstIndex: 0 });
  note(`measuring for ${options.seconds} s at ${options.roundsPerSecond} rounds/s`);
  const startedAt = performance.now();
  const cpuBefore = cpuSeconds(pids.get('worker')!);
  const spins: number[] = [];
  const measured = await submitSteadily({
    ...load,
    firstIndex: warm.length,
    onSecond: (elapsed) => {
      memory.sample(elapsed * 1000);
      if (Math.round(elapsed) % 10 === 0) spins.push(spinMs());
      if (Math.round(elapsed) % 30 === 0) note(`  ${Math.round(elapsed)} s`);
    },
  });
  await sleep(options.deadlineMs + 2_000);
  const supervisorCpuSeconds = cpuSeconds(pids.get('worker')!) - cpuBefore;
  await log.close();
  const traces = measured.map((roundId) => log.rounds.get(roundId)!);
  const limits = { candidatesPerShard: Math.ceil(options.candidates / options.shards) };
  const sizes = messageSizes(rounds[0]!, limits, traces);
  note(`bare chain for ${options.bareSeconds} s with ${JSON.stringify(sizes)}`);
  const bareChainMs = await measureBareChain({
    bus,
    topicPrefix: `bare-${startedAt | 0}.`,
    sizes,
    roundsPerSecond: options.roundsPerSecond,
    seconds: options.bareSeconds,
  });
  await bus.close();
  return {
    options,
    traces,
    duplicateDecisions: log.duplicateDecisions,
    bareChainMs,
    supervisorCpuSeconds,
    shardBytesPerCandidate: sizes.shards.reduce((a, b) => a + b, 0) / options.candidates,
    memory,
    growthSinceMs: Math.min(180_000, options.seconds * 500),
    eventLoopSpinMs: median(spins),
  };
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  note(`preparing rounds of ${options.candidates} candidates`);
  const rounds = await denseRounds(options.seed, options.candidates);
  const perShard = Math.ceil(options.candidates / options.shards);
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  const pipeline = await startPipeline({
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
  note(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  process.exitCode = 1;
});
