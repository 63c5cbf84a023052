import { writeFileSync } from 'node:fs';
import { commonSettings, loadConfig } from '#lib/config';
import type { ModelRef } from '#schemas/domain';
import type { CommandPlace } from '../command-place';
import { corruptText, recordingInvalid, type ReadOptions } from '../container/container-reader';
import { readObservations } from '../recording/recorded-observations';
import { openRecording, type Recording } from '../recording/recording-reader';
import { startOwnEngine } from '../run/engine-process';
import { modelsAtHand, modelsOfLabel } from '../run/models-at-hand';
import { etrCsv, etrText } from './etr-text';
import { EtrEvaluation, type EtrCounts } from './evaluate';
import type { EtrOptions } from './options';
import { networkReady, recordedReady, type ReadyPredictor } from './predictors';

const NETWORK = 'delivery_time';

function wantedNetwork({ manifest }: Recording, { models }: EtrOptions, modelsDir: string): ModelRef {
  const isRecorded = models === 'recorded' && manifest.models.length > 0;
  const refs = isRecorded
    ? manifest.models
    : modelsOfLabel(modelsDir, models === 'canary' ? 'canary' : 'stable');
  const found = refs.filter(({ name }) => name === NETWORK);
  if (found.length === 1) return found[0]!;
  const what = found.length === 0 ? `no ${NETWORK}` : `${found.length} versions of ${NETWORK}`;
  throw recordingInvalid(`${what} among the models: --models stable or canary names one`);
}

/** What an evaluation needs of an engine; the repository's copy and the engine are gone behind it. */
async function withPredictor<T>(
  recording: Recording,
  options: EtrOptions,
  place: CommandPlace,
  use: (predict: ReadyPredictor) => Promise<T>,
): Promise<T> {
  if (options.predictions === 'recorded') return use(recordedReady);
  const { modelsDir } = loadConfig(place.env, { modelsDir: commonSettings.modelsDir });
  const model = wantedNetwork(recording, options, modelsDir);
  const atHand = await modelsAtHand(modelsDir, [model]);
  try {
    const engine = await startOwnEngine({ ...place, modelsDir: atHand.folder, models: [model] });
    try {
      return await use(networkReady(engine, model));
    } finally {
      await engine.stop();
    }
  } finally {
    atHand.remove();
  }
}

function requireFeatures({ folder, manifest }: Recording): void {
  const lacking = manifest.personal.dropped.filter((field) => ['features', 'dropoffFloor'].includes(field));
  if (lacking.length === 0) return;
  throw recordingInvalid(`${folder}: its rules dropped ${lacking.join(', ')}, by which the network predicts`);
}

/** Resolves to the exit code: 1 where there was nothing to compare. */
export async function etrCommand(options: EtrOptions, place: CommandPlace): Promise<number> {
  const recording = openRecording(options.recording);
  if (options.predictions === 'network') requireFeatures(recording);
  const read: ReadOptions = options.skipCorrupt
    ? { onCorrupt: (block) => place.tellError(corruptText(block)) }
    : {};
  const evaluation = await withPredictor(recording, options, place, async (predict) => {
    const begun = new EtrEvaluation(readObservations(recording.folder, read), predict);
    for (const round of recording.rounds(read)) {
      place.signal.throwIfAborted();
      await begun.add(round);
    }
    begun.end();
    return begun;
  });
  const { counts } = evaluation;
  const groups = evaluation.groups.groups();
  if (options.csv !== null) writeCsv(options.csv, etrCsv(groups));
  place.tell(options.json ? JSON.stringify({ counts, groups }) : etrText(groups, counts, options));
  if (groups.length > 0) return 0;
  place.tellError(nothingText(recording, counts));
  return 1;
}

const IN_CLOSED_LOOP = ['mdrp', 'tables'];

function nothingText({ manifest }: Recording, { predicted, observations }: EtrCounts): string {
  if (predicted + observations > 0) return 'nothing to compare: no predicted time whose true one is known';
  const hint = IN_CLOSED_LOOP.includes(manifest.origin.kind)
    ? '; what predictions do to such a day: `sweep --ready mean` and `--ready network`'
    : '';
  return `nothing to compare: the rounds know all ready times from the first, and no observation was recorded${hint}`;
}

function writeCsv(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw recordingInvalid(
      `--csv ${file} can't be written (${(error as NodeJS.ErrnoException).code})`,
      error,
    );
  }
}
