import { join } from 'node:path';
import { ArgumentsInvalid } from '#lib/command-line';
import { connectBus, type Bus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import { kafkaSettings } from '#lib/bus/kafka-settings';
import { commonSettings, loadConfig, type Env } from '#lib/config';
import { cutSettings } from '#lib/cut-settings';
import { createTelemetry } from '#lib/telemetry';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { roundKey, topicsOf } from '#schemas/topics';
import { readContainer, recordingInvalid } from '../container/container-reader';
import { PersonalHider } from '../recording/hide-personal';
import { readManifest, roundsName, type Origin, type RecordingManifest } from '../recording/manifest-file';
import { listed, noRules, readRules, type PersonalRules } from '../recording/personal-rules';
import { recordedRoundType, type RecordedRound } from '../recording/recorded-round';
import { isRecording, RecordingWriter, type NewRecording } from '../recording/recording-writer';
import type { CommandPlace } from '../command-place';
import { RoundJoiner } from './join-rounds';
import type { RecordOptions, RecordRange } from './options';
import { recordObservations } from './record-observations';
import type { UnreadMessage } from './topic-slices';
import { recordRange } from './record-range';

const spec = {
  topicPrefix: commonSettings.topicPrefix,
  ...cutSettings,
};

type KafkaOrigin = Extract<Origin, { kind: 'kafka' }>;

/** Faults of single rounds and messages are told of up to this number, then counted. */
const MOST_TOLD = 20;

function originOf({ out, range }: RecordOptions, topicPrefix: string): KafkaOrigin {
  if (range !== null) return rangeOrigin(out, range, topicPrefix);
  if (!isRecording(out))
    throw new ArgumentsInvalid(`--from is needed: ${out} has no recording to go on with`);
  const { origin } = readManifest(out);
  if (origin.kind !== 'kafka') throw recordingInvalid(`${out} was imported, not recorded`);
  return origin;
}

/** Where a recording is gone on with, an end of the range that was said by now is the one that it was then. */
function rangeOrigin(out: string, { from, to, byNow }: RecordRange, topicPrefix: string): KafkaOrigin {
  const asked: KafkaOrigin = { kind: 'kafka', topicPrefix, from, to };
  if (byNow.length === 0 || !isRecording(out)) return asked;
  const { origin } = readManifest(out);
  if (origin.kind !== 'kafka') return asked;
  const then = Object.fromEntries(byNow.map((which) => [which, origin[which]]));
  return { ...asked, ...then };
}

function settingsOf(env: Env) {
  const { topicPrefix, ...settings } = loadConfig(env, spec);
  return { access: kafkaAccess(loadConfig(env, kafkaSettings)), topicPrefix, settings };
}

/** So that who asked for another range sees that this one was recorded, and goes to another folder. */
function rangeText(origin: Origin): string {
  if (origin.kind !== 'kafka') return '';
  const [from, to] = [origin.from, origin.to].map((time) => new Date(time).toISOString());
  return `, from ${from} to ${to}`;
}

/** A fresh recording, or one to go on with: the same range, rules and settings. */
function openWriter(out: string, wanted: NewRecording, tell: (line: string) => void): RecordingWriter | null {
  if (!isRecording(out)) return RecordingWriter.create(out, wanted);
  const found = readManifest(out);
  const differs = (['origin', 'settings', 'personal'] as const).find(
    (field) => JSON.stringify(found[field]) !== JSON.stringify(wanted[field]),
  );
  if (differs !== undefined) {
    const texts = `${JSON.stringify(found[differs])}, not ${JSON.stringify(wanted[differs])}`;
    throw recordingInvalid(`${out} has a recording of another ${differs}: ${texts}`);
  }
  if (found.complete) {
    tell(`${out}: the recording is complete, ${found.progress.rounds} rounds${rangeText(found.origin)}`);
    return null;
  }
  tell(`${out}: going on at ${new Date(found.progress.resumeFrom).toISOString()}`);
  return RecordingWriter.resume(out);
}

/** Rounds that would be read again. */
function recordedSince(out: string, { progress }: RecordingManifest): Set<string> {
  const rounds = readContainer<RecordedRound>(join(out, roundsName), recordedRoundType, {
    length: progress.bytes,
  });
  const keys = new Set<string>();
  for (const { appendedAt, manifest } of rounds) {
    if (appendedAt >= progress.resumeFrom) keys.add(roundKey(manifest.round));
  }
  return keys;
}

interface Tally {
  readonly tell: (line: string) => void;
  unread: number;
  notWhole: number;
}

function told(tally: Tally, kind: 'unread' | 'notWhole', line: string): void {
  tally[kind] += 1;
  if (tally[kind] <= MOST_TOLD) tally.tell(line);
}

const unreadText = ({ topic, partition, offset, reason }: UnreadMessage): string =>
  `${topic}, partition ${partition}, offset ${offset} is left out: ${reason}`;

interface Work {
  readonly rules: PersonalRules;
  readonly bus: Bus;
  readonly writer: RecordingWriter;
  readonly origin: KafkaOrigin;
}

async function record({ rules, bus, writer, origin }: Work, options: RecordOptions, place: CommandPlace) {
  const tally: Tally = { tell: place.tellError, unread: 0, notWhole: 0 };
  const { topicPrefix, to } = origin;
  await recordRange({
    ...{ bus, writer, signal: place.signal, topics: topicsOf(topicPrefix) },
    hider: new PersonalHider(rules),
    joiner: new RoundJoiner(),
    to: to as UnixMs,
    recorded: recordedSince(options.out, readManifest(options.out)),
    onProgress: (until, rounds) => {
      if (!options.quiet) place.tellError(`up to ${new Date(until).toISOString()}: ${rounds} rounds`);
    },
    onUnread: (message) => told(tally, 'unread', unreadText(message)),
    onNotWhole: ({ manifest, faults }) =>
      told(tally, 'notWhole', `round ${manifest.round.roundId} isn't whole: ${faults.join('; ')}`),
  });
  return tally;
}

/** A broker without the topic has nothing to say of what happened. */
async function recordHappened({ rules, bus, origin }: Work, options: RecordOptions, place: CommandPlace) {
  const { observations: topic } = topicsOf(origin.topicPrefix);
  if ((await bus.missingTopics([topic])).length > 0) {
    place.tellError(`no ${topic} on the broker: what happened is not recorded`);
    return { observations: 0, unread: 0 };
  }
  const tally: Tally = { tell: place.tellError, unread: 0, notWhole: 0 };
  const observations = await recordObservations({
    ...{ bus, topic, folder: options.out, hider: new PersonalHider(rules), signal: place.signal },
    ...{ from: origin.from, to: origin.to },
    onUnread: (message) => told(tally, 'unread', unreadText(message)),
  });
  return { observations, unread: tally.unread };
}

/**
 * Throws DEPENDENCY_ABSENT where there are no such topics. Rounds that are gone from Kafka leave no trace: all that
 * can be said is that there may have been some.
 */
async function checkTopics({ bus, writer, origin }: Work, place: CommandPlace): Promise<void> {
  const { topicPrefix } = origin;
  const { rounds, outcomes, decisions } = topicsOf(topicPrefix);
  const topics = [rounds, outcomes, decisions];
  const missing = await bus.missingTopics(topics);
  if (missing.length > 0) {
    const names = missing.join(', ');
    throw new RoundhouseError(
      'DEPENDENCY_ABSENT',
      `no ${names} on the broker: ROUNDHOUSE_TOPIC_PREFIX is "${topicPrefix}"`,
    );
  }
  for (const topic of topics) {
    if (await bus.isCutOff(topic, writer.progress.resumeFrom as UnixMs))
      place.tellError(`${topic}: retention has removed messages that may be of the range's beginning`);
  }
}

function nothingText({ from, to }: KafkaOrigin): string {
  const [begin, end] = [from, to].map((ms) => new Date(ms).toISOString());
  return `no round in the range, from ${begin} to ${end}: are --from, --to and ROUNDHOUSE_TOPIC_PREFIX as meant?`;
}

/** Resolves to the exit code: 1 where there is no round, one isn't whole or a message couldn't be read. */
export async function recordCommand(options: RecordOptions, place: CommandPlace): Promise<number> {
  const { access, topicPrefix, settings } = settingsOf(place.env);
  const origin = originOf(options, topicPrefix);
  const rules = options.personal === null ? noRules : readRules(options.personal);
  const { logger } = createTelemetry({ service: 'replay', logLevel: 'silent' });
  const writer = openWriter(options.out, { origin, settings, personal: listed(rules) }, place.tell);
  if (writer === null) return 0;
  const bus = connectBus({ ...access, clientId: 'roundhouse-replay', logger });
  try {
    await bus.waitUntilReady(5_000, place.signal);
    const work = { rules, bus, writer, origin };
    await checkTopics(work, place);
    const rounds = await record(work, options, place);
    const happened = await recordHappened(work, options, place);
    const unread = rounds.unread + happened.unread;
    const { progress } = writer.end(writer.progress.until);
    place.tell(
      `${options.out}: ${progress.rounds} rounds, ${progress.notWhole} of them not whole, ${happened.observations} observations, ${unread} messages left out`,
    );
    if (progress.rounds === 0) place.tellError(nothingText(origin));
    return progress.rounds === 0 || progress.notWhole + unread > 0 ? 1 : 0;
  } catch (error) {
    // Where nothing was read yet, nothing is left behind.
    if (writer.progress.until <= origin.from) writer.discard();
    else writer.abandon();
    throw error;
  } finally {
    await bus.close();
  }
}
