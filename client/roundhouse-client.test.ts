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
