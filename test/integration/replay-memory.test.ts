import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoutePlanner } from '#native/planner/route-planner';
import { decideRound } from '#policy/join/decide-round';
import { decisionRecord } from '#policy/join/decision-record';
import { cutRound } from '#policy/sharding/index';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import type { RoundId, UnixMs } from '#schemas/brands';
import type { DispatchRound, ShardOutcome } from '#schemas/domain';
import { projectPath } from '#schemas/project-root';
import type { RecordedRound } from '#services/replay/recording/recorded-round';
import { RecordingWriter } from '#services/replay/recording/recording-writer';
import { models } from '../support/solved-round';

jest.setTimeout(600_000);

const cut = { candidatesPerShard: 500, shardsPerRound: 32, maxShardBytes: 524_288, maxCandidates: 200_000 };
const rounds = process.env['TEST_FULL'] === '1' ? 4_000 : 500;
/** Of the children; the rounds of a full run take several times that as objects. */
const heapMebibytes = 40;

/** All times known, so that the planner costs it without an engine; bundles that don't overlap are decided at once. */
function cityRound(): DispatchRound {
  const [round] = cityRounds({ seed: 3, couriers: 60, orders: 100, candidates: 1_000, policy: {} }, 1);
  const known = { ready: true, pickupWait: true, handover: true };
  const bundles = { ...round!.policy.bundles, disjoint: true };
  const policy = { ...round!.policy, bundles, travel: { ...round!.policy.travel, known: true } };
  return { ...round!, policy, orders: round!.orders.map((order) => ({ ...order, known })) };
}

function recordedOnce(round: DispatchRound): RecordedRound {
  const planner = new RoutePlanner();
  const { manifest, shards } = cutRound(round, models, cut);
  const outcomes = shards.map((shard): ShardOutcome => {
    const { tenantId, runId, roundId, shardIndex, zoneId, shardCount, candidateCount } = shard;
    const ids = { tenantId, runId, roundId, shardIndex, zoneId, shardCount, candidateCount };
    const costs = planner.costShard(shard.tensors);
    return { ...ids, status: 'solved', errorCode: null, ...costs, models: [models[0]!], deviceKind: 'cpu' };
  });
  const arrived = new Map(outcomes.map((outcome) => [outcome.shardIndex as number, outcome]));
  const decision = decisionRecord(round, decideRound(manifest, arrived, 'complete'));
  const at = { appendedAt: 1 as UnixMs, headers: [] };
  return {
    ...at,
    manifest,
    outcomes: outcomes.map((outcome) => ({ ...at, outcome })),
    decision: { ...at, decision },
    faults: [],
  };
}

function numbered(recorded: RecordedRound, number: number): RecordedRound {
  const roundId = `round-${number}` as RoundId;
  const { manifest, outcomes, decision } = recorded;
  return {
    ...recorded,
    manifest: { ...manifest, round: { ...manifest.round, roundId } },
    outcomes: outcomes.map((one) => ({ ...one, outcome: { ...one.outcome, roundId } })),
    decision: { ...decision!, decision: { ...decision!.decision, roundId } },
  };
}

function replay(...argv: string[]): Promise<{ readonly code: number; readonly output: string }> {
  const main = projectPath('dist', 'services', 'replay', 'main.js');
  const flags = [`--max-old-space-size=${heapMebibytes}`, main, ...argv];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      flags,
      { maxBuffer: 1e8, timeout: 500_000, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr });
      },
    );
  });
}

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'replay-memory-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test(`${rounds} rounds are run and compared within a heap of ${heapMebibytes} MiB`, async () => {
  const [recording, run] = [join(folder, 'recording'), join(folder, 'run')];
  const origin = { kind: 'kafka', topicPrefix: '', from: 0, to: 1 } as const;
  const writer = RecordingWriter.create(recording, {
    origin,
    settings: cut,
    personal: { hashed: [], dropped: [] },
  });
  const one = recordedOnce(cityRound());
  for (let number = 0; number < rounds; number++) writer.append(numbered(one, number));
  writer.end(1);
  expect(statSync(join(recording, 'rounds.avro')).size / rounds).toBeGreaterThan(10_000);
  const ran = await replay(
    'run',
    recording,
    '--out',
    run,
    '--direct',
    '--costs',
    'recorded',
    '--expect-equal',
  );
  expect(ran).toEqual({
    code: 0,
    output: expect.stringContaining(`${rounds} of ${rounds} decisions as recorded`),
  });
  const compared = await replay('diff', recording, run, '--max-changed', '0', '--max-missing', '0');
  expect(compared).toEqual({ code: 0, output: expect.stringContaining(`${rounds} rounds decided by both`) });
});
