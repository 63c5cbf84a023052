import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { statusOf } from '#lib/engine-client/grpc-errors';
import { RoundhouseError } from '#schemas/errors';
import { lostCall } from './lost-call';

const failed = (code: status, details: string, metadata = new Metadata()): ServiceError =>
  Object.assign(new Error(`${code}: ${details}`), { code, details, metadata });

test.each(['Connection dropped', 'read ECONNRESET'])('%j says that the engine was lost', (details) => {
  const error = failed(status.UNAVAILABLE, details);
  expect(lostCall(error, () => null)).toBe(`the engine was lost with the call: ${details}`);
  expect(lostCall(error, () => 'it ended')).toBe('the engine was lost with the call: it ended');
});

test('what an engine has answered stays as it is', () => {
  const { metadata } = statusOf(new RoundhouseError('DEVICE_FAULT', 'broken'));
  expect(lostCall(failed(status.UNAVAILABLE, 'broken', metadata), () => 'it ended')).toBeNull();
  expect(lostCall(failed(status.INVALID_ARGUMENT, 'no such fault'), () => 'it ended')).toBeNull();
});
