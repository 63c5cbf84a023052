import { commonSettings, loadConfig } from '#lib/config';
import { TravelMatrices } from '#lib/travel-matrices';
import type { ModelRef } from '#schemas/domain';
import type { CommandPlace } from '../command-place';
import { corruptText, recordingInvalid } from '../container/container-reader';
import { neededForReplay } from '../recording/personal-rules';
import type { RecordedRound } from '../recording/recorded-round';
import { openRecording, type Recording } from '../recording/recording-reader';
import { readPolicyFile } from './changed-policy';
import { modelsAtHand, modelsOfLabel } from './models-at-hand';
import type { RunOptions } from './options';
import { RunIds } from './replay-plan';
import type { ReplayedRound } from './replayed-round';
import type { RunSettings } from './run-settings';
import { RunWriter, type RunFacts, type RunSummary } from './run-writer';
import { runDirectly, runThroughPipeline, type Work } from './ways';

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

const mostTold = 20;

/** Resolves to the exit code: 1 where a round has no decision, or with --expect-equal another one or none to compare. */
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
    const { equal, compared } = summary;
    const differs = options.expectEqual && (equal < compared || compared === 0);
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
