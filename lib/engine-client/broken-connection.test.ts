import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { roundhouseErrorOf } from './grpc-errors';

const failed = (code: status, details: string): ServiceError =>
  Object.assign(new Error(details), { code, details, metadata: new Metadata() });

// As grpc-js says it when the other side ends the session, for example after very many cancelled calls.
const torn =
  'Received RST_STREAM with code 2 triggered by internal client error: Session closed with error code 11';

test.each([
  [status.INTERNAL, torn, 'ENGINE_LOST'],
  [status.INTERNAL, 'the model says: Received RST_STREAM with code 2', 'MODEL_FAILED'],
  [status.UNKNOWN, torn, 'MODEL_FAILED'],
])('status %d with "%s" is %s', (code, details, expected) => {
  expect(roundhouseErrorOf(failed(code, details)).code).toBe(expected);
});
