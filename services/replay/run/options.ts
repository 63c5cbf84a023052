import { randomBytes } from 'node:crypto';
import { ArgumentsInvalid, choiceFlag, numberFlag, readFlags } from '#lib/command-line';
import { idFault } from '#policy/validation/index';
import { MAX_ID_BYTES, type RunId } from '#schemas/brands';
import { shownText } from '#schemas/shown-text';
import { requiredFlag, splitWords } from '../positionals';

export interface RunOptions {
  readonly recording: string;
  readonly out: string;
  readonly direct: boolean;
  readonly pace: 'max' | number;
  readonly models: 'recorded' | 'stable' | 'canary';
  readonly arrivals: 'recorded' | 'all';
  readonly costs: 'engine' | 'recorded';
  readonly policy: string | null;
  readonly runId: RunId;
  readonly deadlineMs: number;
  /** Rounds in work at once. */
  readonly atOnce: number;
  readonly limit: number;
  readonly skipCorrupt: boolean;
  readonly expectEqual: boolean;
}

export const runUsage = `npm run --silent replay -- run RECORDING --out DIR [--direct] [--speed max] …
  Rounds of a recording (or of an import) through a pipeline of its own, or in this process.
  --out DIR         a folder that is empty or not there, for the run
  --direct          without Kafka: the same policy code, and an engine of its own
  --speed N         N times as fast as they came, with the time that each had; max (default): as fast as it goes
  --models WHICH    recorded (default): the versions that the rounds name, retired ones too; stable, canary: today's
  --arrivals WHICH  recorded (default): rounds close with what had arrived; all: with every shard
  --costs WHICH     with --direct: engine (default), or recorded: what the engine gave then; no engine is started
  --policy FILE     JSON laid over the policy of every round
  --run-id ID       default: replay- and 8 digits
  --deadline-ms N   at --speed max: what a round has, 1000 to 600000 (default 30000)
  --at-once N       at --speed max: rounds in work at once, 1 to 256 (default 4 with --direct, else 16)
  --limit N         the first N rounds
  --skip-corrupt    tells of corrupt blocks and uses the rest
  --expect-equal    exit code 1 where a decision's content is not that of the recording, or it has none
KAFKA_BROKERS and REDIS_URL name servers to use; without them embedded ones are started.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const flags = {
  ...{ out: text, speed: text, models: text, arrivals: text, costs: text, policy: text, limit: text },
  ...{ 'run-id': text, 'deadline-ms': text, 'at-once': text },
  ...{ direct: flag, 'skip-corrupt': flag, 'expect-equal': flag },
} as const;

function paceFlag(given: string | undefined): 'max' | number {
  if (given === undefined || given === 'max') return 'max';
  return numberFlag('speed', given, { default: 1, min: 0.01, max: 10_000, whole: false });
}

/** Runs of the recording beyond the first get a number behind it. */
const roomForNumber = 8;

function runIdFlag(given = `replay-${randomBytes(4).toString('hex')}`): RunId {
  const fault = idFault(given + '0'.repeat(roomForNumber));
  if (given !== '' && fault === null) return given as RunId;
  const most = MAX_ID_BYTES - roomForNumber;
  throw new ArgumentsInvalid(
    `--run-id is ${shownText(given, 100)}: an id of 1 to ${most} bytes without control characters`,
  );
}

/** Throws ArgumentsInvalid. */
export function parseRun(argv: readonly string[]): RunOptions {
  const { words, flags: rest } = splitWords(argv, ['RECORDING']);
  const values = readFlags(rest, flags);
  const options: RunOptions = {
    recording: words[0]!,
    out: requiredFlag('out', values.out),
    direct: values.direct ?? false,
    pace: paceFlag(values.speed),
    models: choiceFlag('models', values.models, ['recorded', 'stable', 'canary']),
    arrivals: choiceFlag('arrivals', values.arrivals, ['recorded', 'all']),
    costs: choiceFlag('costs', values.costs, ['engine', 'recorded']),
    policy: values.policy ?? null,
    runId: runIdFlag(values['run-id']),
    deadlineMs: numberFlag('deadline-ms', values['deadline-ms'], {
      default: 30_000,
      min: 1_000,
      max: 600_000,
    }),
    atOnce: numberFlag('at-once', values['at-once'], { default: values.direct ? 4 : 16, min: 1, max: 256 }),
    limit: numberFlag('limit', values.limit, { default: Infinity, min: 1, max: 1e9 }),
    skipCorrupt: values['skip-corrupt'] ?? false,
    expectEqual: values['expect-equal'] ?? false,
  };
  requireSense(options);
  return options;
}

function requireSense({ direct, costs, pace, arrivals }: RunOptions): void {
  if (costs === 'recorded' && !direct) throw new ArgumentsInvalid('--costs recorded needs --direct');
  if (costs === 'recorded' && arrivals === 'all')
    throw new ArgumentsInvalid('--costs recorded has only what had arrived: not with --arrivals all');
  if (direct && pace !== 'max') throw new ArgumentsInvalid('--speed is for a pipeline: not with --direct');
}
