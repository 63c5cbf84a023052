import { createHash } from 'node:crypto';
import type { BusProducer } from '#lib/bus/port';
import type { CutLimits } from '#policy/sharding/index';
import {
  requireLead,
  validateRound,
  type RoundLimits,
  type RoundValidation,
  type SequenceOrigin,
} from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import { counted } from '#schemas/counted';
import { toJsonText } from '#schemas/decision-json';
import type { DispatchRound, RoundKey } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { roundKey, type Topics } from '#schemas/topics';
import type { CutResult } from './cut/cut-messages';
import type { RoundCutter } from './cut/round-cutter';
import type { Edge, IngestEvents } from './events';
import type { FollowedModels } from './labels/followed-models';
import type { RoundMessages } from './publish/round-messages';
import { traceParent } from './publish/trace-parent';
import type { AcceptedRound, RoundClaims } from './store/round-claims';

export interface Submission {
  readonly edge: Edge;
  /** Untrusted. */
  readonly body: unknown;
  /** What the request names as its tenant. */
  readonly tenant?: string | undefined;
  readonly traceparent?: string | undefined;
}

export interface Acceptance extends RoundKey {
  readonly shards: number;
  readonly candidates: number;
  /** An earlier submission of the same content had been accepted. */
  readonly again: boolean;
}

export interface IntakeParts {
  readonly producer: BusProducer;
  readonly topics: Topics;
  readonly claims: RoundClaims;
  readonly models: Pick<FollowedModels, 'resolve'>;
  readonly cutter: RoundCutter;
  readonly events: IngestEvents;
  readonly limits: RoundLimits;
  readonly cut: CutLimits;
  readonly maxMessageBytes: number;
}

/** Of what was submitted: a sequence that the round did not have is another at every submission. */
function contentHashOf(round: DispatchRound, sequence: SequenceOrigin): string {
  const submitted = sequence === 'given' ? round : { ...round, sequence: null };
  return createHash('sha256').update(toJsonText(submitted)).digest('hex');
}

/** What of a Kafka message is not its value. */
const MESSAGE_ROOM = 4_096;
const RECENT_ROUNDS = 10_000;

/** Takes rounds in: accepted means that the manifest is on Kafka, and its shards were there before it. */
export class RoundIntake {
  private readonly running = new Map<string, Promise<Acceptance>>();
  private readonly recent = new Set<string>();
  private stopping = false;

  constructor(private readonly parts: IntakeParts) {}

  /** Rejects with a RoundhouseError: faults of the round, a conflict, a limit, or an absent dependency. */
  async submit(submission: Submission): Promise<Acceptance> {
    try {
      if (this.stopping) throw new RoundhouseError('SHUTTING_DOWN', 'ingest is stopping');
      return await this.accept(submission);
    } catch (error) {
      const { code, faults } =
        error instanceof RoundhouseError ? error : { code: 'INTERNAL' as const, faults: [] };
      const reason = error instanceof Error ? error.message : String(error);
      this.parts.events.RoundRefused({ edge: submission.edge, code, reason, faultCount: faults.length });
      throw error;
    }
  }

  /** Accepted by this process lately: known even when Redis has lost its memory. */
  hasAccepted(key: RoundKey): boolean {
    return this.recent.has(roundKey(key));
  }

  /** Refuses new rounds and resolves when those in work are done. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.allSettled(this.running.values());
  }

  private async accept(submission: Submission): Promise<Acceptance> {
    const receivedAt = Date.now() as UnixMs;
    const { limits } = this.parts;
    const result = validateRound(submission.body, receivedAt, limits, submission.tenant);
    if (result.kind === 'invalid') throw invalidRound(result);
    const contentHash = contentHashOf(result.round, result.sequence);
    if (result.kind === 'expired') return this.answerExpired(result, contentHash);
    return this.once(result.round, contentHash, () =>
      this.claimAndPublish(result.round, contentHash, submission, receivedAt),
    );
  }

  /** Equal submissions that overlap in time share one run. */
  private once(
    round: DispatchRound,
    contentHash: string,
    run: () => Promise<Acceptance>,
  ): Promise<Acceptance> {
    const key = `${roundKey(round)} ${contentHash}`;
    const running = this.running.get(key);
    if (running) return running.then((acceptance) => ({ ...acceptance, again: true }));
    const started = run().finally(() => this.running.delete(key));
    this.running.set(key, started);
    return started;
  }

  /** A repeated submission of an accepted round is answered as the first was, however late it comes. */
  private async answerExpired(
    { round, faults }: Extract<RoundValidation, { kind: 'expired' }>,
    contentHash: string,
  ): Promise<Acceptance> {
    const claim = await this.parts.claims.find(round);
    if (claim?.hash !== contentHash || !claim.accepted) {
      throw new RoundhouseError('ROUND_INVALID', 'the deadline has passed or is too near', faults);
    }
    return acceptance(round, claim.accepted, true);
  }

  private async claimAndPublish(
    submitted: DispatchRound,
    contentHash: string,
    submission: Submission,
    receivedAt: number,
  ): Promise<Acceptance> {
    const claim = await this.parts.claims.claim(submitted, contentHash);
    if (claim.state === 'conflict') throw conflictOf(submitted);
    const again = claim.state === 'accepted';
    const round = again ? submitted : { ...submitted, sequence: claim.sequence };
    const accepted = again ? claim : await this.cutAndPublish(round, contentHash, submission, receivedAt);
    this.remember(round);
    const result = acceptance(round, accepted, again);
    this.parts.events.RoundAccepted({
      ...result,
      edge: submission.edge,
      zoneId: round.zoneId,
      seconds: (Date.now() - receivedAt) / 1_000,
    });
    return result;
  }

  private async cutAndPublish(
    round: DispatchRound,
    contentHash: string,
    submission: Submission,
    receivedAt: number,
  ): Promise<AcceptedRound> {
    const { messages, seconds } = await this.prepare(round, contentHash, submission, receivedAt);
    const [shards, candidates] = [messages.counts.length, sum(messages.counts)];
    const accepted = { shards, candidates, deadline: round.deadline };
    await this.publish(round, messages, accepted);
    const { tenantId, runId, roundId } = round;
    const { shardBytes } = messages;
    this.parts.events.RoundCut({ tenantId, runId, roundId, shards, candidates, shardBytes, seconds });
    return accepted;
  }

  private cut(round: DispatchRound, submission: Submission, receivedAt: number): Promise<CutResult> {
    const { cutter, models, cut: limits, topics } = this.parts;
    const traceparent = traceParent(submission.traceparent);
    const { label, models: refs } = models.resolve(
      round,
      namesLabel(submission) ? round.policy.modelLabel : undefined,
    );
    const labelled = { ...round, policy: { ...round.policy, modelLabel: label } };
    const job = { round: labelled, models: refs, limits, topics, receivedAt, traceparent };
    return cutter.cut(job, () => this.requireLead(round));
  }

  /** Nothing has been published when this fails, so the claim is given up again. */
  private async prepare(
    round: DispatchRound,
    contentHash: string,
    submission: Submission,
    receivedAt: number,
  ) {
    try {
      const started = performance.now();
      const messages = await this.cut(round, submission, receivedAt);
      this.requireRoom(messages);
      this.requireLead(round);
      const seconds = (performance.now() - started) / 1_000;
      return { messages, seconds };
    } catch (error) {
      await this.parts.claims.release(round, contentHash).catch(() => undefined);
      throw error;
    }
  }

  private requireLead(round: DispatchRound): void {
    requireLead(round, Date.now() as UnixMs, this.parts.limits);
  }

  private requireRoom({ manifest, shards }: RoundMessages): void {
    const limit = this.parts.maxMessageBytes - MESSAGE_ROOM;
    for (const { topic, value } of [manifest, ...shards]) {
      const bytes = value?.length ?? 0;
      if (bytes <= limit) continue;
      throw new RoundhouseError(
        'ROUND_TOO_LARGE',
        `a message of ${bytes} bytes for ${topic}, limit ${limit}`,
      );
    }
  }

  private async publish(
    round: DispatchRound,
    { shards, manifest }: RoundMessages,
    accepted: AcceptedRound,
  ): Promise<void> {
    await this.parts.producer.send(shards);
    // Its shards are there, so the claim stays: other content may not take their keys.
    this.requireLead(round);
    await this.parts.producer.send([manifest]);
    await this.parts.claims.confirm(round, accepted).catch((error: Error) => {
      const { tenantId, runId, roundId } = round;
      this.parts.events.ClaimNotConfirmed({ tenantId, runId, roundId, reason: error.message });
    });
  }

  private remember(key: RoundKey): void {
    this.recent.add(roundKey(key));
    if (this.recent.size > RECENT_ROUNDS) this.recent.delete(this.recent.values().next().value!);
  }
}

function acceptance(
  { tenantId, runId, roundId }: RoundKey,
  { shards, candidates }: AcceptedRound,
  again: boolean,
): Acceptance {
  return { tenantId, runId, roundId, shards, candidates, again };
}

/** The body was found valid. */
function namesLabel({ body }: Submission): boolean {
  const { policy } = body as { readonly policy?: { readonly modelLabel?: unknown } | null };
  return (policy?.modelLabel ?? null) !== null;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function conflictOf({ runId, roundId }: RoundKey): RoundhouseError {
  const message = `round ${roundId} of run ${runId} was submitted before with other content`;
  return new RoundhouseError('ROUND_CONFLICT', message);
}

function invalidRound({
  faults,
  count,
  tooLarge,
}: Extract<RoundValidation, { kind: 'invalid' }>): RoundhouseError {
  const listed = count > faults.length ? `, the first ${faults.length} listed` : '';
  const message = `the round has ${counted(count, 'fault')}${listed}`;
  return new RoundhouseError(tooLarge ? 'ROUND_TOO_LARGE' : 'ROUND_INVALID', message, faults);
}
