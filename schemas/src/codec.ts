import { createHash } from 'node:crypto';
import type { AvroType } from './codec/avro-schema';
import { compileWriter } from './codec/compile-writer';
import { SchemaStore } from './codec/schema-store';
import { encodeBody, singleObjectCodec, type Codec } from './codec/single-object';
import type { Decision, DecisionContent, Observation, RoundManifest, Shard, ShardOutcome } from './domain';
import { projectPath } from './project-root';

export type { Codec } from './codec/single-object';

const folder = projectPath('schemas', 'avro');
const decisionsStore = new SchemaStore(folder, 'decisions');

/** One codec a topic; dead letters keep the bytes of the topic that they came from. */
export const roundsCodec: Codec<RoundManifest> = singleObjectCodec(new SchemaStore(folder, 'rounds'));
export const shardsCodec: Codec<Shard> = singleObjectCodec(new SchemaStore(folder, 'shards'));
export const outcomesCodec: Codec<ShardOutcome> = singleObjectCodec(new SchemaStore(folder, 'outcomes'));
export const decisionsCodec: Codec<Decision> = singleObjectCodec(decisionsStore);
export const observationsCodec: Codec<Observation> = singleObjectCodec(
  new SchemaStore(folder, 'observations'),
);

function contentType(decision: AvroType): AvroType {
  const field = decision.kind === 'record' && decision.fields.find(({ name }) => name === 'content');
  if (!field) throw new Error('decisions.avsc has no field content');
  return field.type;
}

const writeContent = compileWriter(contentType(decisionsStore.current.type));

/** The Avro encoding of a decision's content, without header: what is hashed and compared. */
export function encodeDecisionContent(content: DecisionContent): Buffer {
  return encodeBody(writeContent, content);
}

/** SHA-256 (hex) of `encodeDecisionContent`. */
export function decisionContentHash(content: DecisionContent): string {
  return createHash('sha256').update(encodeDecisionContent(content)).digest('hex');
}
