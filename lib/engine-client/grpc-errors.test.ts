import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { errorCodes, RoundhouseError, type ErrorCode } from '#schemas/errors';
import { roundhouseErrorOf, statusOf } from './grpc-errors';

function serviceError(code: status, details = 'why', metadata = new Metadata()): ServiceError {
  return Object.assign(new Error(details), { code, details, metadata });
}

test('every code of the table survives the way over gRPC, or becomes what its caller may do about it', () => {
  const seenAs: Partial<Record<ErrorCode, ErrorCode>> = {
    NOT_FOUND: 'MODEL_UNAVAILABLE',
    SHUTTING_DOWN: 'ENGINE_LOST',
  };
  for (const code of Object.keys(errorCodes) as ErrorCode[]) {
    const sent = statusOf(new RoundhouseError(code, 'why'));
    const seen = roundhouseErrorOf(serviceError(sent.code!, sent.details, sent.metadata));
    expect(seen).toMatchObject({ code: seenAs[code] ?? code, message: 'why' });
  }
});

test('the time that remains goes along in whole milliseconds, and nothing else is taken for it', () => {
  const sent = (remainingMs?: number): Metadata =>
    statusOf(new RoundhouseError('ENGINE_BUSY', 'full', [], { remainingMs })).metadata!;
  const seen = (metadata: Metadata) =>
    roundhouseErrorOf(serviceError(status.RESOURCE_EXHAUSTED, 'full', metadata)).remainingMs;
  expect(sent(1_234.5).get('rh-remaining-ms')).toEqual(['1234']);
  expect([seen(sent(1_234.5)), seen(sent(0)), seen(sent())]).toEqual([1_234, 0, undefined]);
  for (const text of ['-1', '1.5', 'soon', '', '9'.repeat(16)]) {
    const metadata = new Metadata();
    metadata.set('rh-remaining-ms', text);
    expect(seen(metadata)).toBeUndefined();
  }
});

test.each([
  [status.UNAVAILABLE, 'ENGINE_LOST'],
  [status.DEADLINE_EXCEEDED, 'DEADLINE_EXCEEDED'],
  [status.RESOURCE_EXHAUSTED, 'ENGINE_BUSY'],
  [status.INVALID_ARGUMENT, 'PAYLOAD_INVALID'],
  [status.NOT_FOUND, 'MODEL_UNAVAILABLE'],
  [status.INTERNAL, 'MODEL_FAILED'],
  [status.UNIMPLEMENTED, 'MODEL_FAILED'],
  [status.CANCELLED, 'ENGINE_LOST'],
])('status %i of a stock server is %s', (code, expected) => {
  expect(roundhouseErrorOf(serviceError(code))).toMatchObject({ code: expected });
});

test('a message above the limit is no busy engine: it is not tried again', () => {
  const error = serviceError(status.RESOURCE_EXHAUSTED, 'Received message larger than max (5 vs 4)');
  expect(roundhouseErrorOf(error)).toMatchObject({
    code: 'PAYLOAD_INVALID',
    message: expect.stringMatching(/larger than max/),
  });
});

test("the library's heading of a note that it doesn't have is left out", () => {
  const words = 'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1';
  const error = serviceError(status.UNAVAILABLE, `${words}. Resolution note: `);
  expect(roundhouseErrorOf(error)).toMatchObject({ code: 'ENGINE_LOST', message: words });
});

test('an unknown code in the trailer is not believed', () => {
  const metadata = new Metadata();
  metadata.set('rh-error-code', 'toString');
  expect(roundhouseErrorOf(serviceError(status.UNAVAILABLE, 'x', metadata))).toMatchObject({
    code: 'ENGINE_LOST',
  });
});
