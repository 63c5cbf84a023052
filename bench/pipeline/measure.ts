import { setTimeout as sleep } from 'node:timers/promises';
import type { Pipeline } from '#launcher/pipeline';
import { connectBus, type Bus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import type { DispatchRound } from '#schemas/domain';
import { topicsOf } from '#schemas/topics';
import { measureBareChain, type MessageSizes } from './bare-chain';
import { DecisionLog, type RoundTrace } from './decision-log';
import { bodyOf, submitSteadily, type LoadOptions } from './load';
import { messageSizes } from './message-sizes';
import type { PipelineBenchOptions } from './options';
import { loopLags, pidsOf, spinMs, type LoopLag } from './probes';
import { cpuSeconds, MemorySeries } from './process-usage';
import type { Measured } from './report';
import { largestInTime, type SearchResult } from './search';
import { percentile } from './statistics';

const note = (text: string): void => void process.stderr.write(`${text}\n`);
/** Decisions that come after their deadline are waited for so long. */
const settleMs = 2_000;
const spinEverySeconds = 10;

interface Loaded {
  readonly traces: RoundTrace[];
  readonly cpuSeconds: ReadonlyMap<string, number>;
  readonly loopLags: Record<string, LoopLag>;
  readonly memory: MemorySeries;
  readonly spins: readonly number[];
}

const cpuOf = (pids: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...pids].map(([name, pid]) => [name, cpuSeconds(pid)]));

/** The measured part, after `warm` rounds of warm-up. */
async function underLoad(
  load: Omit<LoadOptions, 'firstIndex'>,
  warm: number,
  pipeline: Pipeline,
): Promise<Loaded> {
  const pids = pidsOf(pipeline);
  const memory = new MemorySeries(pids);
  const spins: number[] = [];
  await loopLags(pipeline);
  const before = cpuOf(pids);
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
  const used = [...cpuOf(pids)].map(([name, seconds]) => [name, seconds - before.get(name)!] as const);
  const traces = submitted.map((roundId) => load.log.rounds.get(roundId)!);
  return { traces, cpuSeconds: new Map(used), loopLags: await loopLags(pipeline), memory, spins };
}

async function bareChain(
  options: PipelineBenchOptions,
  bus: Bus,
  sizes: MessageSizes,
): Promise<number[] | null> {
  const { roundsPerSecond, bareSeconds: seconds } = options;
  if (seconds === 0) return null;
  const shards = `${sizes.shards.length} shards of ${sizes.shards[0]} bytes`;
  note(`bare chain for ${seconds} s with ${shards}, a manifest of ${sizes.manifest}`);
  const topicPrefix = `bare-${process.pid}.`;
  return measureBareChain({ bus, topicPrefix, sizes, roundsPerSecond, seconds });
}

async function search(
  { city, ...options }: PipelineBenchOptions,
  template: DispatchRound,
  load: Omit<LoadOptions, 'firstIndex'>,
  firstIndex: number,
): Promise<SearchResult | null> {
  if (!options.search || city === null) return null;
  note(`looking for the largest round that makes ${options.deadlineMs} ms`);
  return largestInTime({ ...options, city }, template, load, firstIndex, note);
}

/** Warm-up, measured part, search and bare chain against a running pipeline. */
export async function measure(
  options: PipelineBenchOptions,
  pipeline: Pipeline,
  rounds: readonly DispatchRound[],
): Promise<Measured> {
  const { logger } = createTelemetry({ service: 'bench', logLevel: 'warn' });
  const bus = connectBus({ brokers: pipeline.kafkaBrokers.split(','), clientId: 'bench', logger });
  const log = new DecisionLog();
  await log.follow(bus, topicsOf(pipeline.topicPrefix));
  const bodies = rounds.map(bodyOf);
  const load = { ...options, ingestUrl: pipeline.ingestUrl, rounds: bodies, log };
  note(`warming up for ${options.warmUpSeconds} s`);
  const warm = await submitSteadily({ ...load, seconds: options.warmUpSeconds, firstIndex: 0 });
  note(`measuring for ${options.seconds} s at ${options.roundsPerSecond} rounds/s`);
  const { traces, spins, ...loaded } = await underLoad(load, warm.length, pipeline);
  const found = await search(options, rounds[0]!, load, log.rounds.size);
  await log.close();
  const sizes = messageSizes(rounds[0]!, Math.ceil(options.candidates / options.shards), traces);
  const bareChainMs = await bareChain(options, bus, sizes);
  await bus.close();
  return {
    options,
    traces,
    ...loaded,
    duplicateDecisions: log.duplicateDecisions,
    bareChainMs,
    shardBytesPerCandidate: sizes.shards.reduce((a, b) => a + b, 0) / options.candidates,
    growthSinceMs: options.seconds > 200 ? 180_000 : options.seconds * 500,
    eventLoopSpinMs: percentile(spins, 0.5),
    roundShape: shapeOf(rounds[0]!, bodies[0]!.rest.length),
    search: found,
  };
}

const shapeOf = ({ couriers, orders }: DispatchRound, bodyBytes: number) => ({
  couriers: couriers.length,
  orders: orders.length,
  bodyBytes,
});
