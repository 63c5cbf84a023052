import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TcpLine } from './tcp-line';

let echo: Server;
let line: TcpLine;
let port: number;
beforeAll(async () => {
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  line = new TcpLine((echo.address() as AddressInfo).port);
  port = await line.listen();
});
afterAll(async () => {
  await line.close();
  echo.close();
});

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function answer(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

test('an open line passes bytes both ways', async () => {
  const socket = await open();
  expect(await answer(socket, 'abc')).toBe('abc');
  socket.destroy();
});

test('a cut one has ended its connections and refuses new ones, until it is open at the same port again', async () => {
  const socket = await open();
  await answer(socket, 'abc');
  const closed = once(socket, 'close');
  await line.set('cut');
  await closed;
  await expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await line.set('open');
  const next = await open();
  expect(await answer(next, 'def')).toBe('def');
  next.destroy();
});

test('a muted one takes connections and bytes, answers nothing, and ends what it swallowed from when it opens', async () => {
  const [used, idle] = [await open(), await open()];
  await answer(used, 'abc');
  await answer(idle, 'abc');
  await line.set('muted');
  const late = await open();
  let heard = 0;
  used.on('data', () => (heard += 1));
  used.write('lost');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heard).toBe(0);
  const closed = once(used, 'close');
  await line.set('open');
  await closed;
  expect(await answer(idle, 'def')).toBe('def');
  expect(await answer(late, 'ghi')).toBe('ghi');
  idle.destroy();
  late.destroy();
});

// Guards against answers of a server that overtake one another when a drill's delay ends: a round was lost by that.
test.each([
  ['as long as it is slow', 20],
  ['when it is fast again', 0],
])('a slow one keeps the order of bytes %s', async (_, laterMs) => {
  line.delay(20);
  const socket = await open();
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
  for (const part of ['a', 'b', 'c', 'd']) {
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 3));
    if (part === 'c') line.delay(laterMs);
  }
  while (text.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(text).toBe('abcd');
  line.delay(0);
  socket.destroy();
});
