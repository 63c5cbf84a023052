import { inspect } from 'node:util';
import { RoundhouseClient } from './roundhouse-client';

test('a client that is printed, or put into a log, shows no credential', () => {
  const client = new RoundhouseClient({ url: 'https://ingest:8080', credential: 'rh_acme-1_secret' });
  expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain('secret');
});
