import type { ServerResponse } from 'node:http';
import { toJsonText } from '#schemas/decision-json';
import type { RoundKey } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import type { DecisionCache, DecisionRecord } from '../consume/decision-cache';
import type { RoundIntake } from '../round-intake';
import type { RoundClaims } from '../store/round-claims';
import { reply, replyJson } from './replies';

/** Beside a decision: broker's append time, when the round was closed, and the outage that delayed it. */
export const decisionHeaders = {
  appendedAt: 'x-roundhouse-appended-at',
  closedAt: 'x-roundhouse-closed-at',
  outage: 'x-roundhouse-outage',
} as const;

function replyDecision(response: ServerResponse, { decision, appendedAt, closedAt, outage }: DecisionRecord) {
  reply(response, 200, toJsonText(decision), {
    [decisionHeaders.appendedAt]: String(appendedAt),
    ...(closedAt !== undefined && { [decisionHeaders.closedAt]: closedAt }),
    ...(outage !== undefined && { [decisionHeaders.outage]: outage }),
  });
}

/** How long the caller waits; the configuration bounds it. */
export function waitMsOf(text: string | null, maxMs: number): number {
  if (text === null) return 0;
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text), maxMs);
  throw new RoundhouseError('PAYLOAD_INVALID', `waitMs is ${JSON.stringify(text)}: a whole number of ms`);
}

export interface DecisionParts {
  readonly cache: DecisionCache;
  readonly claims: RoundClaims;
  readonly intake: RoundIntake;
  readonly stopping: AbortSignal;
}

/** A round without a claim was never accepted here. Without Redis we can't tell, and wait. */
async function isKnown({ claims, intake }: DecisionParts, key: RoundKey): Promise<boolean> {
  if (intake.hasAccepted(key)) return true;
  try {
    return (await claims.find(key)) !== null;
  } catch (error) {
    if (error instanceof RoundhouseError && error.code === 'DEPENDENCY_ABSENT') return true;
    throw error;
  }
}

/** 200 with the decision, 202 while there is none, 404 for a round that nobody submitted. */
export async function answerDecision(
  response: ServerResponse,
  key: RoundKey,
  waitMs: number,
  parts: DecisionParts,
): Promise<void> {
  const ready = parts.cache.find(key);
  if (ready) return replyDecision(response, ready);
  if (!(await isKnown(parts, key))) {
    throw new RoundhouseError('NOT_FOUND', `no round ${key.roundId} of run ${key.runId}`);
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, parts.stopping]);
  const record = await parts.cache.wait(key, waitMs, signal);
  if (record) replyDecision(response, record);
  else replyJson(response, 202, { ...key, decided: false });
}
