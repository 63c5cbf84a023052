import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RoundhouseError } from '#schemas/errors';
import { LastWords, wordsOf } from './last-words';

let words: LastWords;
let server: Server;
beforeEach(async () => {
  words = new LastWords();
  server = createServer((request, response) => words.listen(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function ask(localAddress = '127.0.0.1'): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => get({ host: '127.0.0.1', port, localAddress, agent: false }, resolve));
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const bytes of response) text += String(bytes);
  return text;
}

test('who listens is told at the end, of several reasons the first, in one line', async () => {
  const [one, other] = [await ask(), await ask()];
  words.say({ exitCode: 1, words: 'CLOCK_SKEWED: 5,000 ms ahead\n    at fail (service.ts:1)' });
  words.say({ exitCode: 1, words: 'a closer failed' });
  const expected = { exitCode: 1, words: 'CLOCK_SKEWED: 5,000 ms ahead' };
  expect(JSON.parse(await textOf(one))).toEqual(expected);
  expect(JSON.parse(await textOf(other))).toEqual(expected);
});

test('who asks behind them is told at once', async () => {
  words.say({ exitCode: 0, words: 'SIGTERM' });
  expect(JSON.parse(await textOf(await ask()))).toEqual({ exitCode: 0, words: 'SIGTERM' });
});

test('no more than sixteen may listen, four of an address; who leaves makes room', async () => {
  const listeners: IncomingMessage[] = [];
  for (const address of ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']) {
    for (let i = 0; i < 4; i += 1) listeners.push(await ask(address));
    const fifth = await ask(address);
    expect([fifth.statusCode, await textOf(fifth)]).toEqual([503, expect.stringContaining('BUSY')]);
  }
  expect(listeners.map(({ statusCode }) => statusCode)).toEqual(Array(16).fill(200));
  const refused = await ask('127.0.0.5');
  expect([refused.statusCode, await textOf(refused)]).toEqual([503, expect.stringContaining('BUSY')]);
  listeners[0]!.destroy();
  let status = 503;
  while (status === 503) {
    const next = await ask();
    status = next.statusCode!;
    next.destroy();
  }
  expect(status).toBe(200);
  for (const listener of listeners) listener.destroy();
});

describe('what ended a process', () => {
  test('an error of our table needs no place', () =>
    expect(wordsOf(new RoundhouseError('CLOCK_SKEWED', '5,000 ms ahead'))).toBe(
      'CLOCK_SKEWED: 5,000 ms ahead',
    ));

  test('any other one has it, however long its message', () => {
    const place = / \(lib\/last-words\.test\.[jt]s:\d+\)$/;
    expect(wordsOf(new TypeError('x is not a function'))).toMatch(place);
    const long = wordsOf(new Error(`${'x'.repeat(5_000)}\nmore`));
    expect(long).toMatch(place);
    expect(long.length).toBeLessThanOrEqual(500);
  });

  test('addresses without users and passwords', () =>
    expect(wordsOf('connect redis://me:secret@host:1 failed')).toBe('connect redis://***@host:1 failed'));

  test.each([
    ['redis://me:p@ss@host', 'redis://***@host'],
    ['//'.repeat(1_000_000), /^\/+$/],
  ])('a password may have an @; %# takes no time', (text, expected) =>
    expect(wordsOf(text)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected)),
  );

  test('errors of our table without passwords, too', () =>
    expect(wordsOf(new RoundhouseError('INTERNAL', 'no redis://me:secret@host'))).toBe(
      'INTERNAL: no redis://***@host',
    ));

  test('what throws where it is asked for words ends it all the same', () => {
    const thrower = Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('no');
      },
    });
    for (const error of [Object.create(null), thrower])
      expect(wordsOf(error)).toBe('an error that has no words');
  });
});
