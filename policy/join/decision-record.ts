import { createHash } from 'node:crypto';
import type { DecisionId } from '#schemas/brands';
import { decisionContentHash } from '#schemas/codec';
import type { Decision, DecisionContent, DispatchRound } from '#schemas/domain';
import { roundKey } from '#schemas/topics';

/** The envelope around a content; the id is a function of the round's ids and the content alone. */
export function decisionRecord(round: DispatchRound, content: DecisionContent): Decision {
  const { tenantId, runId, roundId, zoneId, sequence, asOf, deadline } = round;
  const contentHash = decisionContentHash(content);
  const named = `${roundKey(round)}\u001f${contentHash}`;
  const decisionId = createHash('sha256').update(named).digest('hex').slice(0, 32) as DecisionId;
  return { tenantId, runId, roundId, zoneId, sequence, asOf, deadline, decisionId, contentHash, content };
}
