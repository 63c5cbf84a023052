import { setTimeout as sleep } from 'node:timers/promises';
import { connectEngine } from '#lib/engine-client/grpc';
import type { RequestParameters } from '#lib/engine-client/request-parameters';
import { withAdmin } from '#lib/bus/kafka-client';
import type { UnixMs } from '#schemas/brands';
import { check, equal, timing, type Check, type Drill, type DrillContext } from '../drill';
import { scrape, total } from '../metrics';
import { allDecided, outcomesTwice } from '../rounds/decided';
import type { Sender } from '../rounds/sender';
import { senderTo, solvesAgain, underLoad } from '../rounds/under-load';
import { standing, verdictOf } from '../rounds/verdict';
import type { Stand } from '../stand/stand';
import { until } from '../until';

/** One request to the model that fails as it is told to; resolves to how it ended and when. */
export async function faultyRequest(
  stand: Stand,
  parameters: RequestParameters,
  withinMs: number,
): Promise<{ readonly end: string; readonly message: string; readonly ms: number }> {
  const client = connectEngine({ address: stand.pipeline.workerGrpc });
  const inputs = [{ name: 'IN', datatype: 'UINT8' as const, shape: [1], data: Buffer.from('x') }];
  const request = { model: 'fault_injection', version: '', requestId: 'drill', inputs, parameters };
  const from = performance.now();
  const over = (end: string, message = '') => ({ end, message, ms: performance.now() - from });
  try {
    return await client.infer(request, (Date.now() + withinMs) as UnixMs).then(
      () => over('answered'),
      (error: Error & { code: string }) => over(error.code, error.message),
    );
  } finally {
    await client.close();
  }
}

async function deviceFault({ stand }: DrillContext, { runId }: Sender): Promise<Check[]> {
  const counters = async () => scrape(stand.url('worker', '/metrics'));
  const before = await counters();
  const engine = stand.pid('engine');
  const ended = faultyRequest(stand, { device_fault: true }, 5_000);
  const notReadyMs = await until(
    async () => (await stand.readiness('worker')).status !== 200,
    'the worker says that it is not ready',
    10_000,
  );
  const { end } = await ended;
  const readyMs = await until(async () => (await stand.readiness('worker')).status === 200, 'ready again');
  const after = await counters();
  const grown = (name: string) => total(after, name) - total(before, name);
  return [
    check(
      'answer to the request',
      'DEVICE_FAULT or ENGINE_LOST',
      end,
      /^(DEVICE_FAULT|ENGINE_LOST)$/.test(end),
    ),
    timing('not ready after', 1_000, notReadyMs),
    check('replaced', 'another process', `${stand.pid('engine')}`, stand.pid('engine') !== engine),
    timing('ready again after', 5_000, readyMs),
    equal('shards given up', 0, grown('dispatch_shards_given_up_total')),
    check('shards sent once more', 'counted', grown('dispatch_shards_resent_total'), true),
    equal('shards with two outcomes', 0, await outcomesTwice(stand, runId)),
  ];
}

/** Whatever engine the worker starts is killed until it gives up. */
async function crashLoop({ stand }: DrillContext): Promise<Check[]> {
  const kafka = stand.kafka();
  const members = () =>
    withAdmin(
      kafka,
      async (admin) => (await admin.describeGroups(['inference-worker'])).groups[0]!.members.length,
    );
  const isOpen = async () => {
    for (const pid of stand.pipeline.enginePids()) endIfThere(pid);
    return /engines in a row ended soon/.test((await stand.readiness('worker')).text);
  };
  await until(isOpen, 'the worker has given up on engines');
  const leftMs = await until(async () => (await members()) === 0, 'the worker has left its group', 20_000);
  const sender = senderTo(stand, 'circuit');
  const round = await sender.dispatch(1_500);
  const isInTime = round.appendedAt <= round.sent.deadline && round.decision?.content.coverage === 0;
  const backMs = await until(async () => (await stand.readiness('worker')).status === 200, 'ready again');
  return [
    check('the worker leaves its group', '0 members', '0 members', true),
    timing('after', 3_000, leftMs),
    check('a round meanwhile', 'decided in time, without plans', describe(round), isInTime),
    timing('an engine is tried again, and the group joined', 30_000, backMs),
    timing('a round solved whole after', 20_000, await solvesAgain(stand)),
  ];
}

function describe({
  decision,
  appendedAt,
  sent,
}: Awaited<ReturnType<ReturnType<typeof senderTo>['dispatch']>>) {
  if (decision === null) return 'no decision';
  return `${appendedAt - sent.deadline} ms to the deadline, coverage ${decision.content.coverage}`;
}

function endIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Four instances are taken by jobs that look at nothing; a request with less time behind them. */
async function behindLongJobs({ stand, of }: DrillContext): Promise<Check[]> {
  // The console names a wait that lasts for three seconds and two looks.
  const [jobMs, leftMs] = of([90_000, 10_000], [8_000, 5_000]);
  const parameters = { delay_ms: jobMs!, ignore_cancel: true };
  const jobs = Array.from({ length: 4 }, () => faultyRequest(stand, parameters, 2 * jobMs!));
  await sleep(500);
  const { end, ms } = await faultyRequest(stand, {}, leftMs!);
  // What is behind this needs an engine without such jobs.
  await stand.kill('engine');
  await Promise.allSettled(jobs);
  return [
    equal(`a request with ${leftMs} ms left behind ${jobMs} ms jobs`, 'DEADLINE_EXCEEDED', end),
    timing('given back', leftMs! + 300, ms),
  ];
}

/** A worker that sees no silence for ten minutes: its engine stands still for as long as a long solve takes. */
async function longSolve(context: DrillContext): Promise<Check[]> {
  const { stand, of } = context;
  const solveMs = of(45_000, 14_000);
  const kafka = stand.kafka();
  const group = () =>
    withAdmin(kafka, async (admin) => {
      const { members, state } = (await admin.describeGroups(['inference-worker'])).groups[0]!;
      return `${state}: ${members.map(({ memberId }) => memberId).join(', ')}`;
    });
  const before = await group();
  const sender = senderTo(stand, 'long-solve');
  const engine = stand.pid('engine');
  process.kill(engine, 'SIGSTOP');
  await sender.send(solveMs + 45_000);
  const states = new Set<string>();
  for (const from = Date.now(); Date.now() < from + solveMs; await sleep(100)) states.add(await group());
  process.kill(engine, 'SIGCONT');
  const published = await allDecided(stand, sender.runId, sender.accepted);
  const verdict = verdictOf(sender.rounds, published);
  const changed = [...states].filter((state) => state !== before).length;
  return [
    equal(`group changes in ${solveMs} ms (session 6,000 ms)`, 0, changed),
    equal('engines replaced', 0, stand.pid('engine') === engine ? 0 : 1),
    equal('coverage of its round', 1, verdict.coverage),
    ...standing(verdict),
  ];
}

export const behindALongJob: Drill = {
  name: 'behind-a-long-job',
  row: '18',
  fault:
    'all instances taken by 90 s jobs that look at nothing; a request with 10 s left (8 s and 5 s in CI)',
  expected: 'given back when its time is up, not when an instance is free',
  // That the drill kills the engine afterwards is no cause of it.
  console: { where: /worker/, words: /waits? behind \d+ that take long/ },
  inQuick: true,
  run: behindLongJobs,
};

export const engineDrills: readonly Drill[] = [
  {
    name: 'long-solve',
    row: '1',
    fault:
      'a solve that takes 45 s (14 s in CI) with a session of 6 s: SIGSTOP of the engine, silence allowed',
    expected: 'heartbeats go on: the group stays as it is, the outcome comes once',
    inQuick: false,
    stand: { env: { ROUNDHOUSE_ENGINE_SILENCE_FLOOR_MS: '600000' } },
    run: longSolve,
  },
  {
    name: 'engine-stopped',
    row: '1',
    fault: 'SIGSTOP of the engine under 5 rounds/s',
    expected: 'found by its silence, replaced; rounds decided in time',
    alerts: ['RoundhouseEngineLost'],
    console: { where: /worker/, words: /gave up its active engine \(silence\)/ },
    inQuick: false,
    run: (context) =>
      underLoad(context, 'engine-stopped', {}, async () => {
        const engine = context.stand.pid('engine');
        process.kill(engine, 'SIGSTOP');
        const ms = await until(
          () => context.stand.pipeline.enginePids().some((pid) => pid !== engine),
          'another engine',
        );
        return [timing('another engine after', 5_000, ms)];
      }),
  },
  {
    name: 'engine-crash-loop',
    row: '1',
    fault: 'every engine that the worker starts is killed, until it gives up',
    expected: 'the worker leaves its group; joins again when an engine stays up',
    alerts: ['RoundhouseEngineCircuitOpen', 'RoundhouseNotReady'],
    console: { where: /worker/, words: /gave up its .* engine|engines in a row/ },
    inQuick: false,
    run: crashLoop,
  },
  {
    name: 'device-fault',
    row: '16',
    fault: 'a request breaks the device (sticky fault) under 5 rounds/s',
    expected:
      'not ready within a second, the engine replaced, its shards sent once more, coverage in the decision',
    alerts: ['RoundhouseEngineLost'],
    console: { where: /worker/, words: /gave up its active engine \(device fault\)/ },
    inQuick: true,
    run: (context) => underLoad(context, 'device-fault', {}, (sender) => deviceFault(context, sender)),
  },
];
