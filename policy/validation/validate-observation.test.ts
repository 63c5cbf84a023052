import { validateObservations } from './index';

const observation = { orderId: 'a', courierId: 'k', kind: 'picked_up', at: 1_800_000_000 };

test('observations take the run, the zone and the tenant by default', () => {
  expect(
    validateObservations({ observations: [observation, { ...observation, courierId: null }] }, 't'),
  ).toEqual({
    kind: 'valid',
    observations: [
      { tenantId: 't', runId: 'live', zoneId: 'default', ...observation },
      { tenantId: 't', runId: 'live', zoneId: 'default', ...observation, courierId: null },
    ],
  });
});

test('the tenant is that of the request, else of the observation', () => {
  const own = { observations: [{ ...observation, tenantId: 'u' }] };
  expect(validateObservations(own, undefined)).toMatchObject({ observations: [{ tenantId: 'u' }] });
  expect(validateObservations(own, 't')).toMatchObject({ faults: [{ path: 'observations[0].tenantId' }] });
  expect(validateObservations({ observations: [observation] }, 'a\u001fb')).toMatchObject({
    faults: [{ path: 'observations[0].tenantId', value: '"a\\u001fb"' }],
  });
});

test.each([
  [{}, 'missing'],
  [{ observations: [] }, 'an array of 0'],
])('%j has none', (body, value) =>
  expect(validateObservations(body, 't')).toMatchObject({
    faults: [{ path: 'observations', value, limit: 'at least one' }],
  }),
);

test('all faults come at once', () => {
  const body = {
    observations: [
      { ...observation, kind: 'lost', at: 1.5 },
      { ...observation, courierId: 5, tenantId: 'other', when: 1 },
    ],
  };
  const result = validateObservations(body, 't');
  expect(result.kind === 'invalid' && result.faults.map(({ path }) => path)).toEqual([
    'observations[0].kind',
    'observations[0].at',
    'observations[1].tenantId',
    'observations[1].courierId',
    'observations[1].when',
  ]);
});

test('a time in milliseconds is told so', () => {
  const at = observation.at * 1_000;
  expect(validateObservations({ observations: [{ ...observation, at }] }, 't')).toMatchObject({
    faults: [{ path: 'observations[0].at', value: `${at}`, limit: expect.stringContaining('milliseconds') }],
  });
});

test('more than a thousand at once are too many', () => {
  const result = validateObservations(
    { observations: Array.from({ length: 1_001 }, () => observation) },
    't',
  );
  expect(result).toMatchObject({ kind: 'invalid', tooLarge: true });
});
