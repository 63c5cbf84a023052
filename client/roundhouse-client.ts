import { setTimeout as sleep } from 'node:timers/promises';
import { decisionFromJson, toJsonText } from '#schemas/decision-json';
import type { Decision, RoundKey } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { httpCall, type HttpReply } from './http-call';
import { retry } from './retry';
import type { ObservationInput, RoundInput } from './round-input';

export interface ClientOptions {
  /** Of an ingest, or of several. */
  readonly url: string | readonly string[];
  readonly tenant?: string;
  /** An API key or a JSON web token; without a tenant, the tenant is the credential's. */
  readonly credential?: string;
  /** One request, beyond what it asks to wait. */
  readonly timeoutMs?: number;
  /** Attempts go on for so long where another one may help. */
  readonly retryForMs?: number;
}

export interface Acceptance extends RoundKey {
  readonly shards: number;
  readonly candidates: number;
  /** An earlier submission of the same content had been accepted. */
  readonly again: boolean;
}

export interface DecisionReceipt {
  readonly decision: Decision;
  /** The broker's append time, Unix ms: what makes a decision late or not. */
  readonly appendedAt: number;
  readonly closedAt: number | null;
  readonly outage: string | null;
}

/** Decisions may be published a little after the deadline when something was down. */
const AFTER_DEADLINE_MS = 30_000;
/** Ingest waits no longer than this in one request. */
const LONGEST_POLL_MS = 20_000;
const UNKNOWN_PAUSE_MS = 250;

/** Throws TypeError, so that a slip in a setting is found where the client is made. */
function checkedUrls(given: unknown): readonly string[] {
  const urls: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (urls.length === 0) throw new TypeError('url has no address');
  const wrong = urls.findIndex((url) => !isHttpUrl(url));
  if (wrong < 0) return urls as readonly string[];
  throw new TypeError(`url is ${JSON.stringify(urls[wrong])}: an address such as http://127.0.0.1:8080`);
}

const isHttpUrl = (url: unknown): boolean =>
  typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** Ingest says the same, but only where one is reached; without it nothing would say until when attempts go on. */
function checkDeadline({ deadline }: { readonly deadline: unknown }): void {
  if (typeof deadline === 'number' && Number.isFinite(deadline)) return;
  const given = typeof deadline === 'number' ? String(deadline) : (JSON.stringify(deadline) ?? 'absent');
  const limit = 'Unix milliseconds, a whole number';
  throw new RoundhouseError('ROUND_INVALID', `deadline: is ${given}`, [
    { path: 'deadline', value: given, limit },
  ]);
}

/** The producer API of Roundhouse over HTTP. Rejects with RoundhouseError; see docs/errors.md. */
export class RoundhouseClient {
  private readonly urls: readonly string[];
  /** undefined: that of the credential. */
  private readonly tenant: string | undefined;
  /** Has the credential: printing a client shows nothing of it. */
  readonly #headers: Readonly<Record<string, string>>;
  private readonly timeoutMs: number;
  private readonly retryForMs: number;

  constructor(options: ClientOptions) {
    this.urls = checkedUrls(options.url);
    const { credential } = options;
    this.tenant = options.tenant ?? (credential === undefined ? 'default' : undefined);
    this.#headers = {
      ...(this.tenant !== undefined && { 'x-roundhouse-tenant': this.tenant }),
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
    };
    this.timeoutMs = options.timeoutMs ?? 10_000;
    this.retryForMs = options.retryForMs ?? 10_000;
  }

  /**
   * Resolves when the round is on Kafka. Repeated where that may help, until the deadline: the same
   * content twice is one round.
   */
  async submitRound(round: RoundInput): Promise<Acceptance> {
    const body = toJsonText({ ...(this.tenant !== undefined && { tenantId: this.tenant }), ...round });
    checkDeadline(round);
    const giveUpAt = Math.min(Date.now() + this.retryForMs, round.deadline);
    const reply = await this.post('/v1/rounds', body, giveUpAt);
    return JSON.parse(reply.text) as Acceptance;
  }

  /** The decision of a round, or null when there is none after `waitMs`. NOT_FOUND for an unknown round. */
  decision(round: { runId?: string; roundId: string }, waitMs = 0): Promise<DecisionReceipt | null> {
    return this.awaitDecision(round, waitMs, false);
  }

  /** An accepted round stays known to us even when ingest's store has lost it. */
  private async awaitDecision(
    round: { runId?: string; roundId: string },
    waitMs: number,
    accepted: boolean,
  ): Promise<DecisionReceipt | null> {
    const { runId = 'live', roundId } = round;
    const path = `/v1/runs/${encodeURIComponent(runId)}/rounds/${encodeURIComponent(roundId)}/decision`;
    const until = Date.now() + waitMs;
    for (;;) {
      const pollMs = Math.max(0, Math.min(until - Date.now(), LONGEST_POLL_MS));
      const reply = await this.poll(`${path}?waitMs=${Math.ceil(pollMs)}`, pollMs, until).catch((error) => {
        if (accepted && error instanceof RoundhouseError && error.code === 'NOT_FOUND') return null;
        throw error;
      });
      if (reply?.status === 200) return receiptOf(reply);
      if (Date.now() >= until) return null;
      if (reply === null) await sleep(UNKNOWN_PAUSE_MS);
    }
  }

  /** Submits a round and waits for its decision; DEADLINE_EXCEEDED when none came long after its deadline. */
  async dispatch(round: RoundInput): Promise<DecisionReceipt> {
    const { runId, roundId } = await this.submitRound(round);
    const waitMs = round.deadline - Date.now() + AFTER_DEADLINE_MS;
    const receipt = await this.awaitDecision({ runId, roundId }, waitMs, true);
    if (receipt) return receipt;
    throw new RoundhouseError('DEADLINE_EXCEEDED', `no decision of round ${roundId} in ${waitMs} ms`);
  }

  /** Resolves to the number of observations on Kafka. A repeated attempt may put some there twice. */
  async observe(observations: readonly ObservationInput[]): Promise<number> {
    if (observations.length === 0) return 0;
    const body = JSON.stringify({ observations });
    const reply = await this.post('/v1/observations', body, Date.now() + this.retryForMs);
    return (JSON.parse(reply.text) as { accepted: number }).accepted;
  }

  private post(path: string, body: string, giveUpAt: number): Promise<HttpReply> {
    const headers = { 'content-type': 'application/json', ...this.#headers };
    return retry(
      (index) => httpCall(this.urlOf(path, index), { method: 'POST', headers, body }, this.timeoutMs),
      giveUpAt,
    );
  }

  private poll(path: string, waitMs: number, giveUpAt: number): Promise<HttpReply> {
    const headers = this.#headers;
    return retry(
      (index) => httpCall(this.urlOf(path, index), { method: 'GET', headers }, waitMs + this.timeoutMs),
      giveUpAt,
    );
  }

  private urlOf(path: string, attempt: number): URL {
    return new URL(path, this.urls[attempt % this.urls.length]);
  }
}

function receiptOf(reply: HttpReply): DecisionReceipt {
  const number = (text: string | null) => (text === null ? null : Number(text));
  return {
    decision: decisionFromJson(JSON.parse(reply.text)),
    appendedAt: Number(reply.header('x-roundhouse-appended-at')),
    closedAt: number(reply.header('x-roundhouse-closed-at')),
    outage: reply.header('x-roundhouse-outage'),
  };
}
