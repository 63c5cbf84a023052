import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentHashOf } from '#lib/model-repository';
import { projectPath } from '#schemas/project-root';
import { buildCourier, buildOrder, buildRound } from '../../../test/support/build-round';
import { recorded, smallRound } from '../../../test/support/small-recording';
import { inAppendOrder } from './in-append-order';
import { modelsAtHand, modelsOfLabel } from './models-at-hand';
import { inOrder, Places } from './places';
import { recordedArrivals } from './replay-plan';
import { leftOutCost } from './replayed-round';

test('at most so many at once, the others in the order in which they came', async () => {
  const places = new Places(2);
  const order: string[] = [];
  const open: (() => void)[] = [];
  const work = (name: string) =>
    places.with(async () => {
      order.push(name);
      await new Promise<void>((resolve) => open.push(resolve));
    });
  const all = ['a', 'b', 'c', 'd'].map(work);
  await Promise.resolve();
  expect(order).toEqual(['a', 'b']);
  open[1]!();
  await all[1];
  expect(order).toEqual(['a', 'b', 'c']);
  open.forEach((resolve) => resolve());
  await new Promise(setImmediate);
  open.forEach((resolve) => resolve());
  await Promise.all(all);
  expect(order).toEqual(['a', 'b', 'c', 'd']);
});

test('a place is given back by work that fails', async () => {
  const places = new Places(1);
  await expect(places.with(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(places.with(() => Promise.resolve('yes'))).resolves.toBe('yes');
});

test('results come in the order of the items, however long each takes', async () => {
  let running = 0;
  let most = 0;
  const results: number[] = [];
  const work = async (item: number) => {
    most = Math.max(most, ++running);
    for (let i = 0; i < 5 - item; i++) await new Promise(setImmediate);
    running -= 1;
    return item;
  };
  for await (const result of inOrder([1, 2, 3, 4, 5], 3, work)) results.push(result);
  expect(results).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(3);
});

test('rounds that were decided in another order than they came in come as they came', () => {
  const rounds = [3, 1, 2, 5, 4].map((number) => recorded(smallRound(number)));
  expect([...inAppendOrder(rounds)].map(({ appendedAt }) => appendedAt)).toEqual([
    2_000, 3_000, 4_000, 5_000, 6_000,
  ]);
});

test('what had arrived is what the decision says of it', () => {
  const missing = recorded(smallRound(1), (outcomes) => outcomes.delete(1));
  expect(recordedArrivals(missing)).toMatchObject({
    closedBy: 'deadline',
    stale: false,
    shards: [{ status: 'solved' }, { status: 'missing' }, { status: 'solved' }],
  });
  expect(recordedArrivals({ ...missing, decision: null })).toBeNull();
  const holder = buildCourier('k', { held: [{ orderId: buildOrder('h').orderId, onBoard: true }] });
  const held = buildRound({ couriers: [holder], orders: [buildOrder('h')] });
  // Nobody planned the held order again, though its shard was solved: stale, without an order that says so.
  expect(recordedArrivals(recorded(held, () => undefined, true))!.stale).toBe(true);
  expect(recordedArrivals(recorded(held))!.stale).toBe(false);
});

test('what leaving out costs, by the round', () => {
  const round = buildRound({
    orders: [buildOrder('a', { timesDeferred: 3 }), buildOrder('b'), buildOrder('c')],
  });
  const content = recorded(smallRound(1)).decision!.decision.content;
  const left = (orderId: string, reason: string) => ({ orderId, reason }) as never;
  // Base 1,000,000 and 100,000 a deferral: 1,300,000 + 1,000,000; nothing for the cancelled.
  const unassigned = [left('a', 'shard_late'), left('b', 'stale'), left('c', 'cancelled')];
  expect(leftOutCost(round, { ...content, unassigned })).toBe(2_300_000n);
});

describe('models', () => {
  let folder: string;
  const version = (name: string) => join(folder, 'candidate_cost', name);
  const model = (name: string, path: string) => ({
    name: 'candidate_cost',
    version: name,
    contentHash: contentHashOf(path),
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'models-'));
    for (const name of ['candidate_cost', 'delivery_time', 'labels.json'])
      cpSync(projectPath('models', name), join(folder, name), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('in place: the repository itself', async () => {
    const { folder: found, remove } = await modelsAtHand(folder, [model('1', version('1'))]);
    expect(found).toBe(folder);
    remove();
    expect(modelsOfLabel(folder, 'stable').map(({ name }) => name)).toContain('candidate_cost');
  });

  test('retired, and its number taken by another since: a copy with it in place', async () => {
    mkdirSync(version('retired'));
    cpSync(version('1'), join(version('retired'), '1'), { recursive: true });
    const old = model('1', version('1'));
    writeFileSync(join(version('1'), 'new.txt'), 'new');
    const atHand = await modelsAtHand(folder, [old]);
    expect(atHand.folder).not.toBe(folder);
    expect(contentHashOf(join(atHand.folder, 'candidate_cost', '1'))).toBe(old.contentHash);
    expect(readFileSync(join(version('1'), 'new.txt'), 'utf8')).toBe('new');
    atHand.remove();
  });

  test('nowhere, or with other content: named', async () => {
    const gone = { name: 'candidate_cost', version: '9', contentHash: 'a'.repeat(64) };
    await expect(modelsAtHand(folder, [gone])).rejects.toThrow(
      /doesn't have candidate_cost 9 \(aaaaaaaaaaaa\)/,
    );
    const other = { ...model('1', version('1')), contentHash: 'b'.repeat(64) };
    await expect(modelsAtHand(folder, [other])).rejects.toThrow('candidate_cost 1 (bbbbbbbbbbbb)');
    writeFileSync(join(folder, 'labels.json'), JSON.stringify({ stable: { candidate_cost: '1' } }));
    expect(() => modelsOfLabel(folder, 'canary')).toThrow('has no label canary');
  });
});
