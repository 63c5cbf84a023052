import { inspect } from 'node:util';
import { RoundhouseClient } from './roundhouse-client';

test('a client that is printed, or put into a log, shows no credential', () => {
  const client = new RoundhouseClient({ url: 'https://ingest:8080', credential: 'rh_acme-1_secret' });
  expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain('secret');
});

test.each([['127.0.0.1:8080'], ['localhost:8080'], ['ftp://ingest'], ['']])(
  'an address that is none is told where the client is made: %j',
  (url) => {
    expect(() => new RoundhouseClient({ url: ['http://ingest:8080', url] })).toThrow(
      new TypeError(`url is ${JSON.stringify(url)}: an address such as http://127.0.0.1:8080`),
    );
    expect(() => new RoundhouseClient({ url: [] })).toThrow('no address');
  },
);

test.each([[undefined], [null], [8080]])('so is one that is no text: %j', (url) => {
  const text = `url is ${JSON.stringify(url)}: an address such as http://127.0.0.1:8080`;
  expect(() => new RoundhouseClient({ url: url as never })).toThrow(new TypeError(text));
});

// Attempts end at the deadline; without one they went on for ever where nothing listens, as at port 9 here.
test.each([
  [undefined, 'absent'],
  [NaN, 'NaN'],
  ['2026-12-01T00:00:00Z', '"2026-12-01T00:00:00Z"'],
])('a round whose deadline is %p is refused at once', async (deadline, value) => {
  const client = new RoundhouseClient({ url: 'http://127.0.0.1:9' });
  const round = { roundId: 'r1', zoneId: 'z', deadline, couriers: [], orders: [] } as never;
  const faults = [{ path: 'deadline', value, limit: 'Unix milliseconds, a whole number' }];
  await expect(client.dispatch(round)).rejects.toMatchObject({ code: 'ROUND_INVALID', faults });
});
