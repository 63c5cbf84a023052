import type { BusProducer } from '#lib/bus/port';
import type { Tracer } from '#lib/tracing/tracer';
import type { CutLimits } from '#policy/sharding/index';
import type { RoundLimits, RoundValidation } from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import { counted } from '#schemas/counted';
import type { RoundKey } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { MESSAGE_ROOM_BYTES } from '#schemas/message-sizes';
import { PhaseClock, writePhases } from '#schemas/phases';
import { headers, roundKey, type Topics } from '#schemas/topics';
import type { CutResult } from './cut/cut-messages';
import type { RoundBody } from './cut/round-body';
import type { RoundCutter, SubmittedRound } from './cut/round-cutter';
import type { Edge, IngestEvents } from './events';
import type { FollowedModels } from './labels/followed-models';
import type { LeadNeed } from './lead/lead-need';
import { loggedReason } from './logged-reason';
import type { RoundMessages } from './publish/round-messages';
import type { RoundReading } from './read/round-reading';
import { RoundTrace } from './round-trace';
import type { AcceptedRound, HeldClaim, RoundClaims } from './store/round-claims';

/** With its body, which is untrusted. */
export type Submission = RoundBody & {
  readonly edge: Edge;
  /** What the request names as its tenant. */
  readonly tenant?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
};

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
  readonly tracer: Tracer;
  readonly limits: RoundLimits;
  readonly lead: LeadNeed;
  readonly cut: CutLimits;
  readonly maxMessageBytes: number;
  /** Takes an accepted round's candidates from its tenant's quota. */
  owe(tenant: string | undefined, candidates: number): void;
}

type Reading = Exclude<RoundReading, { kind: 'invalid' }>;

/** A valid submission on its way. */
interface Work {
  readonly submission: Submission;
  readonly submitted: SubmittedRound;
  readonly reading: Reading;
  readonly receivedAt: UnixMs;
  readonly clock: PhaseClock;
  readonly trace: RoundTrace;
}

const RECENT_ROUNDS = 10_000;

function refusalOf(error: unknown): Omit<Parameters<IngestEvents['RoundRefused']>[0], 'edge'> {
  const { code, faults } =
    error instanceof RoundhouseError ? error : { code: 'INTERNAL' as const, faults: [] };
  const reason = loggedReason(code, error instanceof Error ? error.message : String(error));
  return { code, reason, faultCount: faults.length };
}

/** Takes rounds in: accepted means that the manifest is on Kafka, and its shards were there before it. */
export class RoundIntake {
  private readonly running = new Map<string, Promise<Acceptance>>();
  private readonly recent = new Set<string>();
  private stopping = false;

  constructor(private readonly parts: IntakeParts) {}

  /** Rejects with a RoundhouseError: faults of the round, a conflict, a limit, or an absent dependency. */
  async submit(submission: Submission): Promise<Acceptance> {
    const receivedAt = Date.now() as UnixMs;
    const trace = new RoundTrace(this.parts.tracer, submission, receivedAt);
    try {
      if (this.stopping) throw new RoundhouseError('SHUTTING_DOWN', 'ingest is stopping');
      return await this.accept(submission, receivedAt, trace);
    } catch (error) {
      const { code, reason } = refusalOf(error);
      trace.refused(code, reason);
      throw error;
    }
  }

  /** A submission was not accepted, by `submit` or by what an edge asks before it. */
  refused(edge: Edge, error: unknown): void {
    this.parts.events.RoundRefused({ edge, ...refusalOf(error) });
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

  private async accept(submission: Submission, receivedAt: UnixMs, trace: RoundTrace): Promise<Acceptance> {
    const clock = new PhaseClock();
    const { cutter, limits } = this.parts;
    const submitted = await cutter.read(submission, { now: receivedAt, limits, tenant: submission.tenant });
    clock.ends('read');
    try {
      const { reading } = submitted;
      if (reading.kind === 'invalid') throw invalidRound(reading);
      if (reading.kind === 'expired') return await this.answerExpired(reading, trace, clock);
      const { envelope, contentHash } = reading;
      const work = { submission, submitted, reading, receivedAt, clock, trace };
      const accepted = await this.once(envelope, contentHash, () => this.claimAndPublish(work));
      trace.accepted(accepted, accepted, clock);
      return accepted;
    } finally {
      submitted.drop();
    }
  }

  /** Equal submissions that overlap in time share one run. */
  private once(round: RoundKey, contentHash: string, run: () => Promise<Acceptance>): Promise<Acceptance> {
    const key = `${roundKey(round)} ${contentHash}`;
    const running = this.running.get(key);
    if (running) return running.then((acceptance) => ({ ...acceptance, again: true }));
    const started = run().finally(() => this.running.delete(key));
    this.running.set(key, started);
    return started;
  }

  /** A repeated submission of an accepted round is answered as the first was, however late it comes. */
  private async answerExpired(
    { envelope, faults, contentHash }: Reading,
    trace: RoundTrace,
    clock: PhaseClock,
  ): Promise<Acceptance> {
    const claim = await this.parts.claims.find(envelope);
    if (claim?.hash !== contentHash || !claim.accepted) {
      throw new RoundhouseError('ROUND_INVALID', 'the deadline has passed or is too near', faults);
    }
    const accepted = acceptance(envelope, claim.accepted, true);
    trace.accepted(accepted, accepted, clock);
    return accepted;
  }

  private async claimAndPublish(work: Work): Promise<Acceptance> {
    const { envelope, contentHash } = work.reading;
    const claim = await this.parts.claims.claim(envelope, contentHash);
    work.clock.ends('claim');
    if (claim.state === 'conflict') throw conflictOf(envelope);
    const again = claim.state === 'accepted';
    const accepted = again ? claim : await this.cutAndPublish(work, claim);
    this.remember(envelope);
    const result = acceptance(envelope, accepted, again);
    this.parts.events.RoundAccepted({
      ...result,
      edge: work.submission.edge,
      zoneId: envelope.zoneId,
      seconds: (Date.now() - work.receivedAt) / 1_000,
      traceId: work.trace.traceId,
    });
    return result;
  }

  private async cutAndPublish(work: Work, claim: HeldClaim): Promise<AcceptedRound> {
    const { messages, seconds } = await this.prepare(work, claim);
    const { envelope } = work.reading;
    const [shards, candidates] = [messages.counts.length, sum(messages.counts)];
    const accepted = { shards, candidates, deadline: envelope.deadline };
    await this.publish(work, messages, claim, accepted);
    this.parts.owe(work.submission.tenant, candidates);
    const { tenantId, runId, roundId } = envelope;
    const { shardBytes } = messages;
    this.parts.events.RoundCut({ tenantId, runId, roundId, shards, candidates, shardBytes, seconds });
    return accepted;
  }

  private cut({ submitted, reading, receivedAt, trace }: Work, sequence: bigint): Promise<CutResult> {
    const { models, cut: limits, topics } = this.parts;
    const { traceparent, tracestate } = trace;
    const { label, models: refs } = models.resolve(reading.envelope, reading.namedLabel);
    const job = {
      sequence,
      modelLabel: label,
      models: refs,
      limits,
      topics,
      receivedAt,
      traceparent,
      tracestate,
    };
    return submitted.cut(job, () => this.parts.lead.require(reading.envelope.deadline, 'shards'));
  }

  /** This attempt has published nothing when this fails, so it gives up its share in the claim. */
  private async prepare(work: Work, claim: HeldClaim) {
    const { envelope } = work.reading;
    const { lead } = this.parts;
    try {
      lead.require(envelope.deadline, 'shards');
      const started = performance.now();
      const messages = await this.cut(work, claim.sequence);
      work.clock.ends('prepare');
      this.requireRoom(messages);
      lead.require(envelope.deadline, 'shards');
      const seconds = (performance.now() - started) / 1_000;
      return { messages, seconds };
    } catch (error) {
      await this.parts.claims.release(envelope, claim).catch(() => undefined);
      throw error;
    }
  }

  private requireRoom({ manifest, shards }: RoundMessages): void {
    const limit = this.parts.maxMessageBytes - MESSAGE_ROOM_BYTES;
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
    { reading, clock }: Work,
    { shards, manifest, phases }: CutResult,
    claim: HeldClaim,
    accepted: AcceptedRound,
  ): Promise<void> {
    const { envelope, contentHash } = reading;
    const { lead, producer, claims } = this.parts;
    try {
      await lead.inTime(envelope.deadline, 'shards', (options) => producer.send(shards, options));
    } catch (error) {
      if (isBusy(error)) await claims.release(envelope, claim).catch(() => undefined);
      throw error;
    }
    clock.ends('shards');
    // Its shards are there, so the claim stays: other content may not take their keys.
    lead.require(envelope.deadline, 'manifest');
    const taken = writePhases({ ...reading.phases, ...phases, ...clock.phases });
    const told = { ...manifest, headers: { ...manifest.headers, [headers.phases]: taken } };
    await lead.inTime(envelope.deadline, 'manifest', (options) => producer.send([told], options));
    clock.ends('manifest');
    const claimed = { ...envelope, sequence: claim.sequence };
    await claims.confirm(claimed, contentHash, accepted).catch((error: Error) => {
      const { tenantId, runId, roundId } = envelope;
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

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** None of the round's messages was sent. */
const isBusy = (error: unknown): boolean => error instanceof RoundhouseError && error.code === 'INGEST_BUSY';

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
