import { createServer, type AddressInfo } from 'node:net';
import { Server } from '@grpc/grpc-js';
import { bindServer } from './grpc-bind';
import { addressOf } from './listen-fault';

test('a port in use is told apart from an address that is not ours', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const taken = addressOf('127.0.0.1', (other.address() as AddressInfo).port);
  const server = new Server();
  await expect(bindServer(server, taken)).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message: `${taken} is in use`,
  });
  await expect(bindServer(server, taken, undefined, 'MY_PORT')).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message: `${taken} is in use: set MY_PORT to another port`,
  });
  // TEST-NET-1: no host has it.
  await expect(bindServer(server, '192.0.2.1:0')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/^cannot listen on 192\.0\.2\.1:0: .*ROUNDHOUSE_BIND_HOST/s) as string,
  });
  expect(await bindServer(server, '127.0.0.1:0')).toBeGreaterThan(0);
  server.forceShutdown();
  other.close();
});
