import { isBeyondLoopback } from './open-to-others';

test.each([
  ['127.0.0.1', false],
  ['127.1.2.3', false],
  ['::1', false],
  ['localhost', false],
  ['0.0.0.0', true],
  ['::', true],
  ['10.0.0.7', true],
  ['127.0.0.1.example.org', true],
])('%s is reached from other machines: %s', (host, beyond) => {
  expect(isBeyondLoopback(host)).toBe(beyond);
});
