import { setTimeout as sleep } from 'node:timers/promises';
import type { RoundId, RunId, UnixMs, ZoneId } from '#schemas/brands';
import { toJsonText } from '#schemas/decision-json';
import type { DispatchRound } from '#schemas/domain';
import type { DecisionLog } from './decision-log';

export interface SubmitOptions {
  readonly ingestUrl: string;
  /** So many rounds are submitted at once, each of another zone; 1 where absent. */
  readonly together?: number;
  readonly deadlineMs: number;
  readonly log: DecisionLog;
}

export interface LoadOptions extends SubmitOptions {
  readonly rounds: readonly RoundBody[];
  readonly roundsPerSecond: number;
  readonly seconds: number;
  /** Sequence numbers go on from here. */
  readonly firstIndex: number;
  onSecond?(elapsedSeconds: number): void;
}

/** A round to be sent again and again under other ids: its text is made once. */
export interface RoundBody {
  /** JSON without the braces around it, and without what `submitRound` adds. */
  readonly rest: string;
}

const fewestZones = 4;

export function bodyOf(template: DispatchRound): RoundBody {
  const { tenantId, asOf, space, policy, couriers, orders, cancelledOrderIds } = template;
  const text = toJsonText({ tenantId, asOf, space, policy, couriers, orders, cancelledOrderIds });
  return { rest: text.slice(1, -1) };
}

/** Submits rounds at a steady pace over HTTP, whatever the answers' times; returns the ids it submitted. */
export async function submitSteadily(options: LoadOptions): Promise<string[]> {
  const count = Math.round(options.seconds * options.roundsPerSecond);
  const startedAt = performance.now();
  const submitted: string[] = [];
  const answers: Promise<void>[] = [];
  for (let i = 0; i < count; i++) {
    const dueMs = ((i - (i % (options.together ?? 1))) * 1000) / options.roundsPerSecond;
    await sleep(Math.max(0, dueMs - (performance.now() - startedAt)));
    const index = options.firstIndex + i;
    submitted.push(`r${index}`);
    answers.push(submitRound(options, options.rounds[index % options.rounds.length]!, index));
    if (i % Math.ceil(options.roundsPerSecond) === 0) options.onSecond?.(dueMs / 1000);
  }
  await Promise.all(answers);
  return submitted;
}

/** Resolves when ingest has answered. */
export async function submitRound(options: SubmitOptions, body: RoundBody, index: number): Promise<void> {
  const roundId = `r${index}`;
  const submittedAt = Date.now();
  const own = {
    runId: 'bench' as RunId,
    roundId: roundId as RoundId,
    zoneId: `zone-${index % Math.max(fewestZones, options.together ?? 1)}` as ZoneId,
    sequence: BigInt(index + 1),
    deadline: (submittedAt + options.deadlineMs) as UnixMs,
  };
  const traceparent = options.log.submitted(roundId, submittedAt, own.deadline);
  const response = await fetch(`${options.ingestUrl}/v1/rounds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent },
    body: `${toJsonText(own).slice(0, -1)},${body.rest}}`,
  });
  const answer = await response.text();
  if (response.status !== 202) options.log.refused(roundId, `${response.status} ${answer.slice(0, 500)}`);
}
