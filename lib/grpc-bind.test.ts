import { createServer, type AddressInfo } from 'node:net';
import { Server } from '@grpc/grpc-js';
import { bindServer, grpcAddress } from './grpc-bind';

test('a port in use is told apart from an address that is not ours', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const taken = grpcAddress('127.0.0.1', (other.address() as AddressInfo).port);
  const server = new Server();
  await expect(bindServer(server, taken)).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message: `${taken} is in use`,
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

test('an IPv6 address is put in brackets', () => {
  expect([grpcAddress('::1', 5), grpcAddress('localhost', 0)]).toEqual(['[::1]:5', 'localhost:0']);
});
