import { ArgumentsInvalid, readFlags } from '#lib/command-line';
import { isByNow, requiredFlag, splitWords, timeFlag } from '../positionals';

export interface RecordRange {
  readonly from: number;
  readonly to: number;
  /** Those that were said by now: the same command means others later. */
  readonly byNow: readonly ('from' | 'to')[];
}

export interface RecordOptions {
  readonly out: string;
  /** null: that of the recording which is gone on with. */
  readonly range: RecordRange | null;
  readonly personal: string | null;
  readonly quiet: boolean;
}

export const recordUsage = `npm run --silent replay -- record --out DIR --from TIME [--to TIME] [--personal FILE] [--quiet]
  Rounds, outcomes and decisions of a time range, from Kafka into Avro container files. An interrupted recording
  goes on where it was with the same command, which may leave --from and --to out then.
  --out DIR        a folder that is empty or not there, or one to go on with
  --from, --to T   append times of the rounds, from T on and before T: Unix ms, an ISO time, 90m (ago), +90m
                   (ahead), now. --to is now by default; a later one is waited for
  --personal FILE  rules that hash or drop personal fields (docs/replay.md)
  --quiet          no line a slice
KAFKA_BROKERS and ROUNDHOUSE_TOPIC_PREFIX say where; the settings of ingest as it has them, since a replay cuts
rounds as they were cut.`;

/** Throws ArgumentsInvalid. */
export function parseRecord(argv: readonly string[], now = Date.now()): RecordOptions {
  const text = { type: 'string' } as const;
  const flags = { out: text, from: text, to: text, personal: text, quiet: { type: 'boolean' } } as const;
  const values = readFlags(splitWords(argv, []).flags, flags);
  const { personal = null, quiet = false } = values;
  return { out: requiredFlag('out', values.out), range: rangeOf(values, now), personal, quiet };
}

function rangeOf(
  { from: begin, to: end = 'now' }: { from?: string; to?: string },
  now: number,
): RecordRange | null {
  if (begin === undefined && end === 'now') return null;
  const from = timeFlag('from', requiredFlag('from', begin), now);
  const to = timeFlag('to', end, now);
  if (to <= from) throw new ArgumentsInvalid('--to is not after --from');
  const byNow = (['from', 'to'] as const).filter((which) => isByNow(which === 'from' ? begin! : end));
  return { from, to, byNow };
}
