import type { ServerResponse } from 'node:http';
import { toJsonText } from '#schemas/decision-json';
import type { RoundKey } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import type { ReaderPlaces } from '../access/reader-places';
import type { DecisionCache, DecisionRecord } from '../consume/decision-cache';
import type { RoundIntake } from '../round-intake';
import type { FoundClaim, RoundClaims } from '../store/round-claims';
import { reply, replyJson } from './replies';

/** Beside a decision: broker's append time, when the round was closed, and the outage that delayed it. */
const decisionHeaders = {
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
  readonly waits: ReaderPlaces;
  readonly stopping: AbortSignal;
}

/** What Redis has of a round; undefined without Redis: then we can't tell. */
async function findClaim({ claims }: DecisionParts, key: RoundKey): Promise<FoundClaim | null | undefined> {
  try {
    return await claims.find(key);
  } catch (error) {
    if (error instanceof RoundhouseError && error.code === 'DEPENDENCY_ABSENT') return undefined;
    throw error;
  }
}

/** A round without a claim was never accepted here. */
async function requireAwaited(parts: DecisionParts, key: RoundKey): Promise<void> {
  const claim = await findClaim(parts, key);
  const name = `round ${key.roundId} of run ${key.runId}`;
  if (parts.cache.isGone(key, claim?.accepted?.deadline)) {
    throw new RoundhouseError('DECISION_GONE', `the decision of ${name} is not kept here any more`);
  }
  if (claim === null && !parts.intake.hasAccepted(key)) throw new RoundhouseError('NOT_FOUND', `no ${name}`);
}

/** Rejects where too many wait already. */
async function waitFor(
  response: ServerResponse,
  key: RoundKey,
  waitMs: number,
  { cache, waits, stopping }: DecisionParts,
): Promise<DecisionRecord | null> {
  const leave = waits.enter(key.tenantId);
  try {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    // While its claim was looked up.
    if (response.destroyed) gone.abort();
    return await cache.wait(key, waitMs, AbortSignal.any([gone.signal, stopping]));
  } finally {
    leave();
  }
}

/** 200 with the decision, 202 while there is none, 410 when it is kept no longer, 404 for a round that nobody submitted. */
export async function answerDecision(
  response: ServerResponse,
  key: RoundKey,
  waitMs: number,
  parts: DecisionParts,
): Promise<void> {
  const ready = parts.cache.find(key);
  if (ready) return replyDecision(response, ready);
  await requireAwaited(parts, key);
  const record = waitMs > 0 ? await waitFor(response, key, waitMs, parts) : null;
  if (record) replyDecision(response, record);
  else replyJson(response, 202, { ...key, decided: false });
}
