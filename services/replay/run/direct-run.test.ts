import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decideNothing } from '#policy/join/decide-nothing';
import { decisionRecord } from '#policy/join/decision-record';
import { projectPath } from '#schemas/project-root';
import { allKinds, recorded, smallRound, writeRecording } from '../../../test/support/small-recording';
import { diffCommand } from '../diff/diff-command';
import { parseDiff } from '../diff/options';
import { roundsName } from '../recording/manifest-file';
import { parseRun } from './options';
import { runCommandOf } from './run-command';
import { readRun, readRunManifest } from './run-writer';

let folder: string;
let lines: string[];
const recording = () => join(folder, 'recording');
const out = (name = 'run') => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'direct-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const place = () => ({
  env: { ROUNDHOUSE_MODELS_DIR: projectPath('models') },
  signal: new AbortController().signal,
  tell: (line: string) => void lines.push(line),
  tellError: (line: string) => void lines.push(line),
});
/** With the costs that were recorded, so that no engine is needed. */
const run = (name: string, ...flags: string[]) =>
  runCommandOf(
    parseRun([recording(), '--out', out(name), '--direct', '--costs', 'recorded', ...flags]),
    place(),
  );
const diff = (...argv: string[]) => diffCommand(parseDiff(argv), place());

test('rounds of every kind are decided as they were, byte for byte', async () => {
  writeRecording(recording(), allKinds());
  expect(await run('run', '--expect-equal', '--run-id', 'again')).toBe(0);
  const rounds = [...readRun(out())];
  expect(rounds.map(({ decision, recordedHash }) => decision!.contentHash === recordedHash)).toEqual(
    Array(5).fill(true),
  );
  expect(rounds.map(({ decision }) => decision!.content.closedBy)).toEqual([
    'complete',
    'deadline',
    'complete',
    'complete',
    'complete',
  ]);
  expect(rounds[3]!.decision!.content.unassigned.map(({ reason }) => reason)).toEqual([
    'stale',
    'stale',
    'stale',
  ]);
  expect(rounds[0]).toMatchObject({ sourceRunId: 'live', decision: { runId: 'again' }, error: null });
  // Its run id is its own, the deadline stays: nobody waits for it.
  expect(rounds[0]!.decision!.deadline).toBe(3_000);
  expect(readRunManifest(out())).toMatchObject({
    way: 'direct',
    costs: 'recorded',
    settings: { runId: 'again' },
    summary: { rounds: 5, compared: 5, equal: 5, withoutDecision: 0, late: 0 },
  });
  expect(lines.at(-1)).toMatch(/5 rounds in .*; 5 of 5 decisions as recorded; solve p50/);
  expect(
    diff(recording(), out(), '--max-changed', '0', '--max-missing', '0', '--max-cost-increase', '0'),
  ).toBe(0);
});

test('a decision that there was no time for is made with the same effort', async () => {
  const cancelled = smallRound(1, { cancelledOrderIds: ['o1-0' as never] });
  const one = recorded(cancelled);
  const outcomes = new Map(one.outcomes.map(({ outcome }) => [outcome.shardIndex as number, outcome]));
  const lost = { stale: false, errorCode: 'DEADLINE_EXCEEDED' } as const;
  const decision = decisionRecord(cancelled, decideNothing(one.manifest, outcomes, 'complete', lost));
  const inHaste = (effort: string) => [{ name: 'rh-effort', value: effort }];
  const two = recorded(smallRound(2));
  writeRecording(recording(), [
    { ...one, decision: { ...one.decision!, headers: inHaste('none'), decision } },
    { ...two, decision: { ...two.decision!, headers: inHaste('reduced') } },
  ]);
  expect(await run('run', '--expect-equal')).toBe(0);
  const [first] = readRun(out());
  expect(first!.decision!.content.shards.map(({ status }) => status)).toEqual(['late', 'late']); // two shards without the cancelled order
});

test('a gate that has nothing to compare is not passed', async () => {
  writeRecording(recording(), [{ ...recorded(smallRound(1)), decision: null }]);
  expect(await run('run')).toBe(0);
  expect(await run('gate', '--expect-equal')).toBe(1);
  expect(lines.at(-1)).toContain('0 of 0 decisions as recorded');
});

test('rounds of several runs stay apart', async () => {
  const shadow = smallRound(1, { runId: 'shadow' as never });
  writeRecording(recording(), [recorded(smallRound(1)), recorded(shadow), recorded(smallRound(2))]);
  expect(await run('run', '--run-id', 'again', '--expect-equal')).toBe(0);
  const ids = [...readRun(out())].map(({ sourceRunId, roundId, decision }) => [
    sourceRunId,
    roundId,
    decision!.runId,
  ]);
  expect(ids).toEqual([
    ['live', 'round-1', 'again'],
    ['shadow', 'round-1', 'again-2'],
    ['live', 'round-2', 'again'],
  ]);
  expect(diff(recording(), out(), '--max-changed', '0', '--max-missing', '0')).toBe(0);
});

test('another policy gives other decisions; the gate says so', async () => {
  writeRecording(recording(), [recorded(smallRound(1)), recorded(smallRound(2))]);
  const policy = join(folder, 'policy.json');
  // Nobody is worth a plan: 3 orders a round are left out at 1 each, where the plans cost more.
  writeFileSync(policy, JSON.stringify({ unassignedPenalty: { base: 1, perDeferral: 0 } }));
  expect(await run('dear', '--policy', policy, '--expect-equal')).toBe(1);
  lines = [];
  expect(diff(recording(), out('dear'), '--max-changed', '0', '--max-lost', '50%')).toBe(1);
  expect(lines).toContain('bound broken: --max-changed 0: it is 2');
  expect(lines).toContain('bound broken: --max-lost 50%: it is 100.0000% (6 of 6)');
  expect(lines[0]).toMatch(
    /2 rounds decided by both, 2 of them otherwise, 2 with orders that fare otherwise; 0 only by A, 0 only by B/,
  );
  expect(lines[0]).toContain('6 lost');
  expect(lines[0]).toContain('cheaper_to_wait: 0 -> 6');
});

test('a policy that is none, or no JSON, is refused with its faults', async () => {
  writeRecording(recording(), [recorded(smallRound(1))]);
  const policy = join(folder, 'policy.json');
  writeFileSync(policy, JSON.stringify({ weights: { latenes: 3 }, quantile: 'p51' }));
  await expect(run('a', '--policy', policy)).rejects.toThrow(/latenes[^]*quantile/);
  writeFileSync(policy, '[1]');
  await expect(run('b', '--policy', policy)).rejects.toThrow('an object of policy fields');
  await expect(run('c', '--policy', join(folder, 'none'))).rejects.toThrow('ENOENT');
});

test('rounds that would be cut otherwise need an engine, and are told of one by one', async () => {
  const [one, ...others] = allKinds();
  const counts = one!.manifest.shardCandidateCounts.map((count) => count + 1);
  writeRecording(recording(), [
    { ...one!, manifest: { ...one!.manifest, shardCandidateCounts: counts } },
    ...others,
  ]);
  expect(await run('run')).toBe(1);
  expect(lines[0]).toMatch(/^round round-1: RECORDING_INVALID: .* it is cut otherwise now/);
  expect([...readRun(out())].map(({ decision }) => decision === null)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  lines = [];
  expect(diff(recording(), out(), '--max-missing', '10%', '--json')).toBe(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    compared: 4,
    changed: 0,
    missingInB: 1,
    worst: [{ roundId: 'round-1', errors: [expect.stringContaining('B has no decision')] }],
  });
});

test('a corrupt block ends a run with its offset; on request it is skipped and the rest is used', async () => {
  writeRecording(recording(), allKinds());
  const file = join(recording(), roundsName);
  const bytes = readFileSync(file);
  const sync = bytes.subarray(-16);
  const start = bytes.indexOf(sync) + 16;
  bytes[start + 300]! ^= 0x40;
  writeFileSync(file, bytes);
  await expect(run('a')).rejects.toThrow(`corrupt block at byte ${start}`);
  expect(await run('b', '--skip-corrupt')).toBe(0);
  expect(lines[0]).toContain(`corrupt block at byte ${start}`);
  expect(lines.at(-1)).toContain('0 rounds');
  expect(lines.at(-1)).toContain('1 corrupt blocks skipped');
});

test('folders that can not be run', async () => {
  await expect(run('a')).rejects.toThrow('is no recording: it has no recording.json');
  writeRecording(recording(), [recorded(smallRound(1))]);
  writeFileSync(join(folder, 'file'), '');
  await expect(run('file')).rejects.toThrow(/file .*(can't be made|ENOTDIR|EEXIST)/);
  await run('run');
  await expect(run('run')).rejects.toThrow('has something in it');
  const manifest = join(recording(), 'recording.json');
  const text = readFileSync(manifest, 'utf8');
  const withText = async (change: (json: Record<string, unknown>) => object, reason: string) => {
    writeFileSync(manifest, JSON.stringify(change(JSON.parse(text) as Record<string, unknown>)));
    await expect(run('x')).rejects.toThrow(reason);
  };
  await withText((json) => ({ ...json, format: 2 }), 'format 2, this version reads 1');
  await withText((json) => ({ ...json, complete: false }), "isn't complete");
  await withText((json) => ({ ...json, progress: { bytes: -1 } }), 'progress without bytes');
  await withText((json) => ({ ...json, settings: null }), 'no settings');
  await withText(
    (json) => ({ ...json, personal: { hashed: [], dropped: ['dropoffPoint'] } }),
    'its rules dropped dropoffPoint',
  );
  writeFileSync(manifest, '{');
  await expect(run('x')).rejects.toThrow('is no JSON');
});

test('an interrupted run leaves nothing behind', async () => {
  writeRecording(recording(), allKinds());
  const options = parseRun([recording(), '--out', out(), '--direct', '--costs', 'recorded']);
  const signal = AbortSignal.abort(new Error('interrupted'));
  await expect(runCommandOf(options, { ...place(), signal })).rejects.toThrow('interrupted');
  expect(existsSync(out())).toBe(false);
});

test('models that are not there any more are named', async () => {
  writeRecording(recording(), [recorded(smallRound(1))]);
  const options = parseRun([recording(), '--out', out(), '--direct']);
  await expect(runCommandOf(options, place())).rejects.toThrow(
    /doesn't have candidate_cost 1 \(cccccccccccc\)/,
  );
});

test.each([
  [[], 'RECORDING is needed'],
  [['r'], '--out is needed'],
  [['r', 's', '--out', 'o'], 's is one word too many'],
  [['r', '--out', 'o', '--speed', '0'], '--speed is 0'],
  [['r', '--out', 'o', '--direct', '--speed', '2'], 'not with --direct'],
  [['r', '--out', 'o', '--costs', 'recorded'], 'needs --direct'],
  [['r', '--out', 'o', '--direct', '--costs', 'recorded', '--arrivals', 'all'], 'not with --arrivals all'],
  [['r', '--out', 'o', '--models', 'old'], 'one of recorded, stable, canary'],
  [['r', '--out', 'o', '--run-id', 'x'.repeat(57)], 'an id of 1 to 56 bytes'],
  [['r', '--out', 'o', '--limit', '0'], '--limit is 0'],
])('%j is refused', (argv, reason) => {
  expect(() => parseRun(argv)).toThrow(reason);
});
