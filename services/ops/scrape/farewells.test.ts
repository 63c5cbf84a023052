import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../../test/support/until';
import { Farewells } from './farewells';

let server: Server;
let farewells: Farewells;
let answers: ServerResponse[];
let status = 200;
beforeEach(async () => {
  [answers, status] = [[], 200];
  server = createServer((_, response) => {
    response.writeHead(status);
    response.write('\n');
    answers.push(response);
    if (status !== 200) response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  farewells = new Farewells();
});
afterEach(() => {
  farewells.close();
  server.closeAllConnections();
  server.close();
});

const worker = () => ({ name: 'worker', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
const listening = async (): Promise<void> => {
  farewells.listen([worker()]);
  await until(() => answers.length === 1, 'it listens');
};

test('a process that says why it ends is heard, though nobody looks in that moment', async () => {
  await listening();
  answers[0]!.end('\n\n{"exitCode":1,"words":"CLOCK_SKEWED"}');
  await until(() => farewells.of(worker()) !== null, 'its words');
  expect(farewells.of(worker())).toMatchObject({ exitCode: 1, words: 'CLOCK_SKEWED' });
});

test.each(['', 'no JSON', '{"exitCode":"1"}', `{"exitCode":1,"words":"${'x'.repeat(5_000)}"}`])(
  'one that ends with %p has said nothing',
  async (text) => {
    await listening();
    answers[0]!.end(text);
    await until(() => farewells.of(worker()) !== null, 'its end');
    expect(farewells.of(worker())).toMatchObject({ exitCode: null, words: '' });
  },
);

test('one that is killed has said nothing; it is listened to once at a time', async () => {
  await listening();
  farewells.listen([worker()]);
  server.closeAllConnections();
  await until(() => farewells.of(worker()) !== null, 'its end');
  expect(answers).toHaveLength(1);
  expect(farewells.of(worker())!.exitCode).toBeNull();
});

test('one that goes on after its connection broke has not ended', async () => {
  await listening();
  server.closeAllConnections();
  await until(() => farewells.of(worker()) !== null, 'a connection that broke');
  farewells.listen([worker()]);
  await until(() => farewells.of(worker()) === null, 'it answers again');
});

test('one that sends nothing any more is left, and says nothing of its end', async () => {
  farewells.close();
  farewells = new Farewells(50);
  await listening();
  await until(() => answers[0]!.destroyed, 'it is left');
  expect(farewells.of(worker())).toBeNull();
});

test('one that is no target any more is left, and one without such a path is not asked again soon', async () => {
  await listening();
  farewells.keep([]);
  await until(() => answers[0]!.destroyed, 'it is left');
  status = 404;
  farewells.listen([worker()]);
  await until(() => answers.length === 2, 'asked');
  await until(() => answers[1]!.destroyed || answers[1]!.writableFinished, 'refused');
  expect(farewells.of(worker())).toBeNull();
});
