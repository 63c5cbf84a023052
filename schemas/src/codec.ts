import { createHash } from 'node:crypto';
import type { Type, types } from 'avsc';
import { SchemaStore } from './codec/schema-store';
import { encodeWith, singleObjectCodec, type Codec } from './codec/single-object';
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

const contentType = fieldType(decisionsStore.current.type, 'content');

function fieldType(type: Type, name: string): Type {
  return ((type as types.LogicalType).underlyingType as types.RecordType).field(name).type;
}

/** The Avro encoding of a decision's content, without header: what is hashed and compared. */
export function encodeDecisionContent(content: DecisionContent): Buffer {
  return encodeWith(Buffer.alloc(0), contentType, content);
}

/** SHA-256 (hex) of `encodeDecisionContent`. */
export function decisionContentHash(content: DecisionContent): string {
  return createHash('sha256').update(encodeDecisionContent(content)).digest('hex');
}
