import { setTimeout as sleep } from 'node:timers/promises';
import type { RoundId, RunId, UnixMs, ZoneId } from '#schemas/brands';
import { toJsonText } from '#schemas/decision-json';
import type { DispatchRound } from '#schemas/domain';
import type { DecisionLog } from './decision-log';

export interface LoadOptions {
  readonly ingestUrl: string;
  readonly rounds: readonly DispatchRound[];
  readonly roundsPerSecond: number;
  readonly seconds: number;
  readonly deadlineMs: number;
  readonly log: DecisionLog;
  /** Sequence numbers go on from here. */
  readonly firstIndex: number;
  onSecond?(elapsedSeconds: number): void;
}

const zones = 4;

/** Submits rounds at a steady pace over HTTP, whatever the answers' times; returns the ids it submitted. */
export async function submitSteadily(options: LoadOptions): Promise<string[]> {
  const count = Math.round(options.seconds * options.roundsPerSecond);
  const startedAt = performance.now();
  const submitted: string[] = [];
  const answers: Promise<void>[] = [];
  for (let i = 0; i < count; i++) {
    const dueMs = (i * 1000) / options.roundsPerSecond;
    await sleep(Math.max(0, dueMs - (performance.now() - startedAt)));
    const index = options.firstIndex + i;
    submitted.push(`r${index}`);
    answers.push(submit(options, index));
    if (i % Math.ceil(options.roundsPerSecond) === 0) options.onSecond?.(dueMs / 1000);
  }
  await Promise.all(answers);
  return submitted;
}

async function submit(options: LoadOptions, index: number): Promise<void> {
  const template = options.rounds[index % options.rounds.length]!;
  const submittedAt = Date.now();
  const round: DispatchRound = {
    ...template,
    runId: 'bench' as RunId,
    roundId: `r${index}` as RoundId,
    zoneId: `zone-${index % zones}` as ZoneId,
    sequence: BigInt(index + 1),
    deadline: (submittedAt + options.deadlineMs) as UnixMs,
  };
  options.log.submitted(round.roundId, submittedAt, round.deadline);
  const response = await fetch(`${options.ingestUrl}/v1/rounds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: toJsonText(round),
  });
  const answer = await response.text();
  if (response.status !== 202) options.log.refused(round.roundId, `${response.status} ${answer}`);
}
