import { UcxError } from '#native/ucx/ucx-error';
import { whyNot } from './open-ucx';

test('a port in use is named with the variable that changes it; other reasons stay as they are', () => {
  const taken = new UcxError('ADDRESS_IN_USE', "UCX can't listen on 127.0.0.1: Device is busy");
  expect(whyNot(taken, 8004)).toBe(
    "UCX can't listen on 127.0.0.1: Device is busy (port 8004 is in use; set ROUNDHOUSE_UCX_PORT to another port)",
  );
  expect(whyNot(new UcxError('UNAVAILABLE', 'no transport'), 8004)).toBe('no transport');
});
