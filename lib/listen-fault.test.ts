import { addressOf, listenFault } from './listen-fault';

const cause = new Error('cause');

test('a port in use, with the variable that names it where there is one', () => {
  expect(listenFault('127.0.0.1:80', 'EADDRINUSE', 'MY_PORT', cause)).toMatchObject({
    code: 'PORT_IN_USE',
    message: '127.0.0.1:80 is in use: set MY_PORT to another port',
    cause,
  });
  expect(listenFault('127.0.0.1:80', 'EADDRINUSE', null, cause).message).toBe('127.0.0.1:80 is in use');
});

test('a port that this user may not have, and a host that is not ours, with both variables', () => {
  expect(listenFault('127.0.0.1:80', 'EACCES', 'MY_PORT', cause)).toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'cannot listen on 127.0.0.1:80: EACCES (the host is ROUNDHOUSE_BIND_HOST, the port MY_PORT)',
  });
  expect(listenFault('192.0.2.1:0', 'EADDRNOTAVAIL', null, cause).message).toBe(
    'cannot listen on 192.0.2.1:0: EADDRNOTAVAIL (the host is ROUNDHOUSE_BIND_HOST)',
  );
});

test('an IPv6 address is put in brackets', () => {
  expect([addressOf('::1', 5), addressOf('localhost', 0)]).toEqual(['[::1]:5', 'localhost:0']);
});
