import { hostname } from 'node:os';
import { OwnAddress } from './own-address';

const own = (bindHost: string, announced = ''): OwnAddress =>
  new OwnAddress(bindHost, announced, [8001, 8003]);

test.each([
  ['127.0.0.1', '127.0.0.1:8001', true],
  ['127.0.0.1', 'LOCALHOST:8003', true],
  ['127.0.0.1', '127.0.0.1:8002', false],
  // Somebody else may have the port on this machine's other addresses.
  ['127.0.0.1', `${hostname()}:8001`, false],
  ['::1', '[::1]:8001', true],
  ['::1', '127.0.0.1:8001', false],
  ['0.0.0.0', '127.0.0.1:8001', true],
  ['0.0.0.0', `${hostname()}:8003`, true],
  ['0.0.0.0', '10.255.255.1:8001', false],
  ['10.0.0.7', '10.0.0.7:8001', true],
  ['10.0.0.7', '127.0.0.1:8001', false],
])('bound to %s, %s is its own: %s', (bindHost, address, expected) => {
  expect(own(bindHost).is(address)).toBe(expected);
});

test('what it announces is its own, and ports that it gets later are', () => {
  const address = own('127.0.0.1', 'worker-1:9000');
  expect(address.is('worker-1:9000')).toBe(true);
  address.servesOn([40_001]);
  expect([address.is('127.0.0.1:8001'), address.is('127.0.0.1:40001')]).toEqual([false, true]);
});
