import type { UnixMs } from '#schemas/brands';
import type { Decision, RoundManifest, ShardOutcome } from '#schemas/domain';
import { readFileSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import { entryTypeOf, type EntryType } from '../container/entry-type';

export interface RecordedHeader {
  readonly name: string;
  readonly value: string;
}

export interface RecordedOutcome {
  /** The broker's append time. */
  readonly appendedAt: UnixMs;
  readonly headers: readonly RecordedHeader[];
  readonly outcome: ShardOutcome;
}

export interface RecordedDecision {
  readonly appendedAt: UnixMs;
  readonly headers: readonly RecordedHeader[];
  readonly decision: Decision;
}

/** All there is of a round. One that was imported has neither outcomes nor a decision, and isn't cut: no shards. */
export interface RecordedRound {
  readonly appendedAt: UnixMs;
  readonly headers: readonly RecordedHeader[];
  readonly manifest: RoundManifest;
  /** By shard: the first valid one of each that had come when the round was closed. */
  readonly outcomes: readonly RecordedOutcome[];
  readonly decision: RecordedDecision | null;
  /** Why the round isn't whole; empty where it is. */
  readonly faults: readonly string[];
}

const topicSchema = (name: string): unknown =>
  JSON.parse(readFileSync(projectPath('schemas', 'avro', `${name}.avsc`), 'utf8'));

const headers = {
  type: 'array',
  items: {
    type: 'record',
    name: 'RecordedHeader',
    fields: [
      { name: 'name', type: 'string' },
      { name: 'value', type: 'string' },
    ],
  },
};

function appended(name: string, field: string, topic: string) {
  const fields = [
    { name: 'appendedAt', type: 'long', doc: "the broker's append time, Unix ms" },
    { name: 'headers', type: headers },
    { name: field, type: topicSchema(topic) },
  ];
  return { type: 'record', name, fields };
}

/** The schemas of the topics as they are now, within one of a round. */
export const recordedRoundType: EntryType = entryTypeOf({
  ...appended('RecordedRound', 'manifest', 'rounds'),
  fields: [
    ...appended('RecordedRound', 'manifest', 'rounds').fields,
    {
      name: 'outcomes',
      type: { type: 'array', items: appended('RecordedOutcome', 'outcome', 'outcomes') },
    },
    { name: 'decision', type: ['null', appended('RecordedDecision', 'decision', 'decisions')] },
    { name: 'faults', type: { type: 'array', items: 'string' } },
  ],
});
