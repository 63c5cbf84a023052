import { randomBytes } from 'node:crypto';
import { connectBus, type Bus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import { kafkaSettings } from '#lib/bus/kafka-settings';
import { loadConfig } from '#lib/config';
import { createTelemetry } from '#lib/telemetry';
import type { ModelRef } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { topicsOf } from '#schemas/topics';
import { givenServers, startPipeline, type Pipeline } from '../../../launcher/pipeline';
import { untilReady } from '../../../launcher/readiness';
import type { CommandPlace } from '../command-place';
import type { RecordedRound } from '../recording/recorded-round';
import { directRun } from './direct-run';
import { EngineCoster, RecordedCoster } from './direct-solver';
import { startOwnEngine } from './engine-process';
import { inAppendOrder } from './in-append-order';
import type { RunOptions } from './options';
import { PipelineReplay } from './pipeline-run';
import { PipelineTopics } from './pipeline-topics';
import type { Preparation } from './prepared-round';
import type { ReplayedRound } from './replayed-round';

/** What a way of running needs, and gives back. */
export interface Work {
  readonly options: RunOptions;
  readonly place: CommandPlace;
  readonly preparation: Preparation;
  readonly rounds: Iterable<RecordedRound>;
  readonly models: readonly ModelRef[];
  /** Where engines find the models. */
  readonly modelsDir: string;
  take(round: ReplayedRound): void;
}

/** Resolves to the device kind. */
export async function runDirectly(work: Work): Promise<string> {
  const { options, place, preparation, rounds, models, modelsDir } = work;
  const { signal } = place;
  const { matrices } = preparation;
  const engine = options.costs === 'recorded' ? null : await startOwnEngine({ ...place, modelsDir, models });
  try {
    const coster = engine === null ? new RecordedCoster() : new EngineCoster(engine);
    const { atOnce } = options;
    const results = directRun({ rounds, preparation, coster, matrices, atOnce, signal });
    for await (const round of results) work.take(round);
    return engine?.deviceKind ?? 'recorded';
  } finally {
    await engine?.stop();
  }
}

/** A worker and an aggregator with topics of their own: what else runs on the servers sees nothing of it. */
function startOwnPipeline({ place, modelsDir }: Work): Promise<Pipeline> {
  const given = givenServers(place.env as NodeJS.ProcessEnv);
  const topicPrefix = `${given.topicPrefix ?? ''}replay-${randomBytes(4).toString('hex')}.`;
  return startPipeline({
    inheritedEnv: place.env as NodeJS.ProcessEnv,
    ...given,
    topicPrefix,
    counts: { ingest: 0 },
    env: { ROUNDHOUSE_MODELS_DIR: modelsDir },
    abort: place.signal,
  });
}

/** A pipeline whose engine lacks its models would decide, and assign nothing. */
async function requireReady(pipeline: Pipeline, signal: AbortSignal): Promise<void> {
  const faults = await untilReady(() => pipeline.processes(), {
    timeoutMs: 30_000,
    signal,
    onWait: () => undefined,
  });
  if (faults.length > 0)
    throw new RoundhouseError('DEPENDENCY_ABSENT', `the pipeline isn't ready: ${faults.join(', ')}`);
}

/** The same. */
export async function runThroughPipeline(work: Work): Promise<string> {
  const { options, place, preparation } = work;
  const pipeline = await startOwnPipeline(work);
  const { logger } = createTelemetry({ service: 'replay', logLevel: 'silent' });
  const bus = connectBus({
    ...kafkaAccess(loadConfig({ ...place.env, KAFKA_BROKERS: pipeline.kafkaBrokers }, kafkaSettings)),
    clientId: 'roundhouse-replay',
    logger,
  });
  try {
    await requireReady(pipeline, place.signal);
    const topics = await PipelineTopics.open(bus, topicsOf(pipeline.topicPrefix));
    const { pace, atOnce, deadlineMs } = options;
    const rounds = pace === 'max' ? work.rounds : inAppendOrder(work.rounds);
    const replay = new PipelineReplay({
      rounds,
      preparation,
      topics,
      pace,
      atOnce,
      deadlineMs,
      signal: place.signal,
    });
    for await (const round of replay.results()) work.take(round);
    return [...topics.deviceKinds].sort().join(', ');
  } finally {
    await stopOwnPipeline(pipeline, bus, place);
  }
}

/** On servers of others nothing is left of it; what Redis holds expires. */
async function stopOwnPipeline(
  pipeline: Pipeline,
  bus: Bus,
  { env, tellError }: CommandPlace,
): Promise<void> {
  await bus.close();
  await pipeline.stop();
  if (givenServers(env as NodeJS.ProcessEnv).kafkaBrokers === undefined) return;
  await bus.deleteTopics(pipeline.topicPrefix).catch((error: Error) => {
    tellError(`topics ${pipeline.topicPrefix}* of the replay are left on Kafka: ${error.message}`);
  });
}
