import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decideRound } from '#policy/join/decide-round';
import { decisionRecord } from '#policy/join/decision-record';
import type { UnixMs } from '#schemas/brands';
import { decisionContentHash } from '#schemas/codec';
import { toJsonText } from '#schemas/decision-json';
import { solved, twoEnds } from '../../../test/support/solved-round';
import { PersonalHider } from './hide-personal';
import { listed, noRules, personalFields, readRules, rulesOf } from './personal-rules';
import type { RecordedRound } from './recorded-round';

const salt = 'sixteen letters.';
const { manifest, outcomes } = solved(twoEnds(), 1);
const decision = decisionRecord(manifest.round, decideRound(manifest, outcomes, 'complete'));
const when = { appendedAt: 1 as UnixMs, headers: [{ name: 'traceparent', value: 'x' }] };
const round: RecordedRound = {
  ...when,
  manifest,
  outcomes: [...outcomes.values()].map((outcome) => ({ ...when, outcome })),
  decision: { ...when, decision },
  faults: [],
};
const hide = (fields: object) => new PersonalHider(rulesOf({ salt, fields }, 'rules.json')).hide(round);

test('without rules a round is as it was', () => {
  expect(new PersonalHider(noRules).hide(round)).toBe(round);
});

test('an id has one hash everywhere, and a round with hashed ids is decided as its own decision says', () => {
  const hidden = hide({
    orderId: 'hash',
    courierId: 'hash',
    placeId: 'hash',
    roundId: 'hash',
    zoneId: 'hash',
    tenantId: 'hash',
  });
  const text = toJsonText(hidden);
  for (const id of ['o-west', 'k-east', 'R-west', 'h-east', '"round-1"', '"zone"', '"default"'])
    expect(text).not.toContain(id);
  // 24 hexadecimal digits; both orders were assigned.
  const assigned = hidden.decision!.decision.content.assignments.flatMap(({ orderIds }) => orderIds);
  expect(assigned.sort()).toEqual(hidden.manifest.round.orders.map(({ orderId }) => orderId).sort());
  expect(assigned.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
  const used = new Map(hidden.outcomes.map(({ outcome }) => [outcome.shardIndex as number, outcome]));
  const again = decideRound(hidden.manifest, used, 'complete');
  expect(decisionContentHash(again)).toBe(hidden.decision!.decision.contentHash);
  // The original one is a hash of the ids without a salt: guesses could be held against it.
  expect(hidden.decision!.decision.decisionId).toMatch(/^[0-9a-f]{32}$/);
  expect(text).not.toContain(decision.decisionId);
  expect(hide({ headers: 'drop' }).decision!.decision.decisionId).toBe(decision.decisionId);
});

test('of dropped headers the one stays that says how much effort a decision was worth', () => {
  const effort = { name: 'rh-effort', value: 'reduced' };
  const inHaste = { ...round, decision: { ...round.decision!, headers: [...when.headers, effort] } };
  const hider = new PersonalHider(rulesOf({ fields: { headers: 'drop' } }, 'f'));
  expect(hider.hide(inHaste).decision!.headers).toEqual([effort]);
});

test('another salt gives other hashes', () => {
  const of = (one: string) =>
    new PersonalHider(rulesOf({ salt: one, fields: { orderId: 'hash' } }, 'f')).hide(round).manifest.round
      .orders[0]!.orderId;
  expect(of(salt)).not.toBe(of(`${salt}!`));
  expect(of(salt)).toBe(of(salt));
});

test('dropped: points, features, skills, headers', () => {
  const fields = { pickupPoint: 'drop', dropoffPoint: 'drop', courierPosition: 'drop', features: 'drop' };
  const hidden = hide({ ...fields, skills: 'drop', headers: 'drop', dropoffFloor: 'drop' });
  const [order] = hidden.manifest.round.orders;
  expect(order!.pickup.point).toEqual({ x: 0, y: 0 });
  expect(order!.dropoff.point).toEqual({ x: 0, y: 0 });
  expect(Object.values(order!.features)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(hidden.manifest.round.couriers[1]!.position).toEqual({ x: 0, y: 0 });
  expect([hidden.headers, hidden.outcomes[0]!.headers, hidden.decision!.headers]).toEqual([[], [], []]);
  expect(order!.orderId).toBe('o-west');
});

test('with a point its zone of the travel matrix is dropped, which may be one house', () => {
  const { round: plain } = round.manifest;
  const inZones = {
    ...plain,
    couriers: plain.couriers.map((courier) => ({ ...courier, travelZone: 1 })),
    orders: plain.orders.map((order) => ({
      ...order,
      pickup: { ...order.pickup, travelZone: 2 },
      dropoff: { ...order.dropoff, travelZone: 3 },
    })),
    demand: [{ placeId: plain.orders[0]!.pickup.placeId, point: { x: 1, y: 1 }, travelZone: 4, weight: 1 }],
  };
  const hidden = (fields: object) =>
    new PersonalHider(rulesOf({ salt, fields }, 'f')).hide({
      ...round,
      manifest: { ...manifest, round: inZones },
    });
  const zonesOf = (fields: object): unknown[] => {
    const { couriers, orders, demand } = hidden(fields).manifest.round;
    const [order] = orders;
    const places = [couriers[0], order?.pickup, order?.dropoff, demand?.[0]];
    return places.map((place) => place?.travelZone);
  };
  expect(zonesOf({ orderId: 'hash' })).toEqual([1, 2, 3, 4]);
  expect(zonesOf({ courierPosition: 'drop' })).toEqual([undefined, 2, 3, 4]);
  expect(zonesOf({ dropoffPoint: 'drop' })).toEqual([1, 2, undefined, 4]);
  expect(zonesOf({ pickupPoint: 'drop' })).toEqual([1, undefined, 3, undefined]);
});

test('a rule file with faults: all of them', () => {
  const faultsOf = (parsed: unknown): string[] => {
    try {
      rulesOf(parsed, 'r');
    } catch (error) {
      return (error as { faults: { path: string; limit: string }[] }).faults.map(
        ({ path, limit }) => `${path}: ${limit}`,
      );
    }
    return [];
  };
  expect(
    faultsOf({
      salt: 'short',
      extra: 1,
      fields: { orderId: 'drop', curierId: 'hash', dropoffPoint: 'hash' },
    }),
  ).toEqual([
    'r: extra: salt or fields',
    'r: fields.orderId: "hash"',
    'r: fields.curierId: did you mean courierId?',
    'r: fields.dropoffPoint: "drop"',
    'r: salt: text of at least 16 characters, where a field is hashed',
  ]);
  expect(faultsOf([])).toEqual(['r: fields: an object of fields']);
  expect(faultsOf({ fields: { constructor: 'hash' } })[0]).toContain(
    `one of ${Object.keys(personalFields)[0]}`,
  );
  expect(faultsOf({ fields: { features: 'drop' } })).toEqual([]);
  expect(listed(rulesOf({ salt, fields: { skills: 'hash', features: 'drop' } }, 'r'))).toEqual({
    hashed: ['skills'],
    dropped: ['features'],
  });
});

test('a rule file that is absent or no JSON', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'));
  const file = join(folder, 'rules.json');
  expect(() => readRules(file)).toThrow('ENOENT');
  writeFileSync(file, '{');
  expect(() => readRules(file)).toThrow(`${file}`);
  writeFileSync(file, JSON.stringify({ fields: {} }));
  expect(readRules(file).fields.size).toBe(0);
  rmSync(folder, { recursive: true });
});
