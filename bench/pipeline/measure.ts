import { setTimeout as sleep } from 'node:timers/promises';
import type { Pipeline } from '#launcher/pipeline';
import { connectBus, type Bus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import type { DispatchRound } from '#schemas/domain';
import { topicsOf } from '#schemas/topics';
import { measureBareChain } from './bare-chain';
import { DecisionLog, type RoundTrace } from './decision-log';
import { submitSteadily, type LoadOptions } from './load';
import { messageSizes } from './message-sizes';
import type { PipelineBenchOptions } from './options';
import { pidsOf, spinMs } from './probes';
import { cpuSeconds, MemorySeries } from './process-usage';
import type { Measured } from './report';
import { percentile } from './statistics';

const note = (text: string): void => void process.stderr.write(`${text}\n`);
/** Decisions that come after their deadline are waited for so long. */
const settleMs = 2_000;
const spinEverySeconds = 10;

interface Loaded {
  readonly traces: RoundTrace[];
  readonly supervisorCpuSeconds: number;
  readonly memory: MemorySeries;
  readonly spins: readonly number[];
}

/** The measured part, after `warm` rounds of warm-up. */
async function underLoad(
  load: Omit<LoadOptions, 'firstIndex'>,
  warm: number,
  pids: ReadonlyMap<string, number>,
): Promise<Loaded> {
  const memory = new MemorySeries(pids);
  const spins: number[] = [];
  const worker = pids.get('worker')!;
  const cpuBefore = cpuSeconds(worker);
  const submitted = await submitSteadily({
    ...load,
    firstIndex: warm,
    onSecond: (elapsed) => {
      memory.sample(elapsed * 1000);
      if (Math.round(elapsed) % spinEverySeconds === 0) spins.push(spinMs());
      if (Math.round(elapsed) % 30 === 0) note(`  ${Math.round(elapsed)} s`);
    },
  });
  await sleep(load.deadlineMs + settleMs);
  const traces = submitted.map((roundId) => load.log.rounds.get(roundId)!);
  return { traces, supervisorCpuSeconds: cpuSeconds(worker) - cpuBefore, memory, spins };
}

async function bareChain(options: PipelineBenchOptions, bus: Bus, sizes: ReturnType<typeof messageSizes>) {
  note(`bare chain for ${options.bareSeconds} s with ${JSON.stringify(sizes)}`);
  const topicPrefix = `bare-${process.pid}.`;
  const { roundsPerSecond, bareSeconds: seconds } = options;
  return measureBareChain({ bus, topicPrefix, sizes, roundsPerSecond, seconds });
}

/** Warm-up, measured part and bare chain against a running pipeline. */
export async function measure(
  options: PipelineBenchOptions,
  pipeline: Pipeline,
  rounds: readonly DispatchRound[],
): Promise<Measured> {
  const { logger } = createTelemetry({ service: 'bench', logLevel: 'warn' });
  const bus = connectBus({ brokers: pipeline.kafkaBrokers.split(','), clientId: 'bench', logger });
  const log = new DecisionLog();
  await log.follow(bus, topicsOf(pipeline.topicPrefix));
  const load = { ...options, ingestUrl: pipeline.ingestUrl, rounds, log };
  note(`warming up for ${options.warmUpSeconds} s`);
  const warm = await submitSteadily({ ...load, seconds: options.warmUpSeconds, firstIndex: 0 });
  note(`measuring for ${options.seconds} s at ${options.roundsPerSecond} rounds/s`);
  const { traces, supervisorCpuSeconds, memory, spins } = await underLoad(
    load,
    warm.length,
    pidsOf(pipeline),
  );
  await log.close();
  const sizes = messageSizes(rounds[0]!, Math.ceil(options.candidates / options.shards), traces);
  const bareChainMs = await bareChain(options, bus, sizes);
  await bus.close();
  return {
    options,
    traces,
    duplicateDecisions: log.duplicateDecisions,
    bareChainMs,
    supervisorCpuSeconds,
    shardBytesPerCandidate: sizes.shards.reduce((a, b) => a + b, 0) / options.candidates,
    memory,
    growthSinceMs: options.seconds > 200 ? 180_000 : options.seconds * 500,
    eventLoopSpinMs: percentile(spins, 0.5),
  };
}
