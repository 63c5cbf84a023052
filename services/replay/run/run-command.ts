import { randomBytes } from 'node:crypto';
import { connectBus } from '#lib/bus/kafka';
import { commonSettings, loadConfig } from '#lib/config';
import { createTelemetry } from '#lib/telemetry';
import { TravelMatrices } from '#lib/travel-matrices';
import type { ModelRef } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { topicsOf } from '#schemas/topics';
import { givenServers, startPipeline, type Pipeline } from '../../../launcher/pipeline';
import { untilReady } from '../../../launcher/readiness';
import type { CommandPlace } from '../command-place';
import { corruptText, recordingInvalid } from '../container/container-reader';
import { neededForReplay } from '../recording/personal-rules';
import type { RecordedRound } from '../recording/recorded-round';
import { openRecording, type Recording } from '../recording/recording-reader';
import { readPolicyFile } from './changed-policy';
import { directRun } from './direct-run';
import { EngineCoster, RecordedCoster } from './direct-solver';
import { startOwnEngine } from './engine-process';
import { inAppendOrder } from './in-append-order';
import { modelsAtHand, modelsOfLabel } from './models-at-hand';
import type { RunOptions } from './options';
import { PipelineReplay } from './pipeline-run';
import { PipelineTopics } from './pipeline-topics';
import type { Preparation } from './prepared-round';
import { RunIds } from './replay-plan';
import type { ReplayedRound } from './replayed-round';
import type { RunSettings } from './run-settings';
import { RunWriter, type RunFacts, type RunSummary } from './run-writer';

/** What a way of running needs, and gives back. */
interface Work {
  readonly options: RunOptions;
  readonly place: CommandPlace;
  readonly preparation: Preparation;
  readonly rounds: Iterable<RecordedRound>;
  readonly models: readonly ModelRef[];
  /** Where engines find the models. */
  readonly modelsDir: string;
  take(round: ReplayedRound): void;
}

function requireReplayable({ folder, manifest }: Recording): void {
  const lacking = manifest.personal.dropped.filter((field) => neededForReplay.includes(field));
  if (lacking.length === 0) return;
  throw recordingInvalid(
    `${folder}: its rules dropped ${lacking.join(', ')}, without which nothing can be decided`,
  );
}

function settingsOf(options: RunOptions, recording: Recording): RunSettings {
  const { runId, models, arrivals } = options;
  const policy = options.policy === null ? null : readPolicyFile(options.policy);
  return { runId, models, arrivals, policy, cut: recording.manifest.settings };
}

function wantedModels({ models }: RunOptions, recording: Recording, modelsDir: string): readonly ModelRef[] {
  const { manifest } = recording;
  if (models !== 'recorded') return modelsOfLabel(modelsDir, models);
  return manifest.models.length > 0 ? manifest.models : modelsOfLabel(modelsDir, 'stable');
}

function* first(rounds: Iterable<RecordedRound>, limit: number): Generator<RecordedRound> {
  let count = 0;
  for (const round of rounds) {
    yield round;
    if (++count >= limit) return;
  }
}

/** Resolves to the device kind. */
async function runDirectly(work: Work): Promise<string> {
  const { options, place, preparation, rounds, models, modelsDir } = work;
  const { signal } = place;
  const { matrices } = preparation;
  const engine =
    options.costs === 'recorded' ? null : await startOwnEngine({ env: place.env, modelsDir, models, signal });
  try {
    const coster = engine === null ? new RecordedCoster() : new EngineCoster(engine);
    for await (const round of directRun({ rounds, preparation, coster, matrices, signal })) work.take(round);
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

async function runThroughPipeline(work: Work): Promise<string> {
  const { options, place, preparation } = work;
  const pipeline = await startOwnPipeline(work);
  const { logger } = createTelemetry({ service: 'replay', logLevel: 'silent' });
  const bus = connectBus({
    brokers: pipeline.kafkaBrokers.split(','),
    clientId: 'roundhouse-replay',
    logger,
  });
  try {
    await requireReady(pipeline, place.signal);
    const topics = await PipelineTopics.open(bus, topicsOf(pipeline.topicPrefix));
    const { pace, deadlineMs } = options;
    const rounds = pace === 'max' ? work.rounds : inAppendOrder(work.rounds);
    const replay = new PipelineReplay({
      rounds,
      preparation,
      topics,
      pace,
      deadlineMs,
      signal: place.signal,
    });
    for await (const round of replay.results()) work.take(round);
    return [...topics.deviceKinds].sort().join(', ');
  } finally {
    await bus.close();
    await pipeline.stop();
  }
}

const mostTold = 20;

/** Resolves to the exit code: 1 where a round has no decision, or with --expect-equal another one. */
export async function runCommandOf(options: RunOptions, place: CommandPlace): Promise<number> {
  const { modelsDir } = loadConfig(place.env, { modelsDir: commonSettings.modelsDir });
  const recording = openRecording(options.recording);
  requireReplayable(recording);
  const settings = settingsOf(options, recording);
  const models = wantedModels(options, recording, modelsDir);
  const needsEngine = options.costs === 'engine';
  const atHand = await modelsAtHand(modelsDir, needsEngine ? models : []);
  try {
    const facts = { options, settings, models };
    const work = { options, place, models, modelsDir: atHand.folder };
    const runIds = new RunIds(settings.runId);
    const matrices = new TravelMatrices(modelsDir);
    const modelsOf = (label: 'stable' | 'canary') => modelsOfLabel(modelsDir, label);
    return await runRecording(recording, facts, {
      ...work,
      preparation: { settings, runIds, matrices, modelsOf },
    });
  } finally {
    atHand.remove();
  }
}

interface Facts {
  readonly options: RunOptions;
  readonly settings: RunSettings;
  readonly models: readonly ModelRef[];
}

async function runRecording(
  recording: Recording,
  { options, settings, models }: Facts,
  work: Omit<Work, 'rounds' | 'take'>,
): Promise<number> {
  const { tell, tellError } = work.place;
  const writer = new RunWriter(options.out);
  let corruptBlocks = 0;
  const onCorrupt = (block: Parameters<typeof corruptText>[0]): void => {
    corruptBlocks += 1;
    tellError(corruptText(block));
  };
  const rounds = first(recording.rounds(options.skipCorrupt ? { onCorrupt } : {}), options.limit);
  let failed = 0;
  const take = (round: ReplayedRound): void => {
    writer.add(round);
    if (round.error !== null && ++failed <= mostTold) tellError(`round ${round.roundId}: ${round.error}`);
  };
  try {
    const whole: Work = { ...work, rounds, take };
    const deviceKind = await (options.direct ? runDirectly(whole) : runThroughPipeline(whole));
    const way = options.direct ? 'direct' : 'pipeline';
    const { pace, costs } = options;
    const facts: RunFacts = {
      ...{ way, pace, costs, settings, models, deviceKind },
      recording: { sha256: recording.manifest.sha256 },
    };
    const summary = writer.end(facts, corruptBlocks);
    tellOfDevice(recording, deviceKind, tellError);
    tell(summaryText(options.out, summary));
    const differs = options.expectEqual && summary.equal < summary.compared;
    return summary.withoutDecision > 0 || differs ? 1 : 0;
  } catch (error) {
    writer.discard();
    throw error;
  }
}

/** Contents are only promised to be equal on one kind of device. */
function tellOfDevice({ manifest }: Recording, deviceKind: string, tellError: (line: string) => void): void {
  const recorded = manifest.deviceKinds.join(', ');
  if (recorded === '' || deviceKind === '' || deviceKind === 'recorded' || deviceKind === recorded) return;
  tellError(`recorded on ${recorded}, run on ${deviceKind}: predicted times may differ within their limit`);
}

function summaryText(out: string, summary: RunSummary): string {
  const { rounds, compared, equal, withoutDecision, late, cutDiffers, corruptBlocks, seconds } = summary;
  const parts = [
    `${rounds} rounds in ${seconds} s`,
    `${equal} of ${compared} decisions as recorded`,
    ...(cutDiffers > 0 ? [`${cutDiffers} cut otherwise`] : []),
    ...(withoutDecision > 0 ? [`${withoutDecision} without a decision`] : []),
    ...(late > 0 ? [`${late} late`] : []),
    ...(corruptBlocks > 0 ? [`${corruptBlocks} corrupt blocks skipped`] : []),
    `solve p50 ${summary.solveMsP50} ms, p99 ${summary.solveMsP99} ms`,
  ];
  return `${out}: ${parts.join('; ')}`;
}
