import { TritonError } from '#native/triton/triton-error';
import { RoundhouseError } from '#schemas/errors';
import { asRoundhouseError } from './triton-errors';

test('a backend names a code of the error table at the beginning of its message', () => {
  const error = new TritonError('NOT_FOUND', 'TRAVEL_MATRIX_UNKNOWN: no matrix 00ff');
  expect(asRoundhouseError(error)).toMatchObject({
    code: 'TRAVEL_MATRIX_UNKNOWN',
    message: 'no matrix 00ff',
  });
});

test.each([
  ['INVALID_ARG', 'PAYLOAD_INVALID'],
  ['NOT_FOUND', 'NOT_FOUND'],
  ['UNAVAILABLE', 'MODEL_UNAVAILABLE'],
  ['INTERNAL', 'MODEL_FAILED'],
  ['CANCELLED', 'DEADLINE_EXCEEDED'],
  ['STOPPED', 'SHUTTING_DOWN'],
] as const)("Triton's %s is %s", (code, expected) => {
  expect(asRoundhouseError(new TritonError(code, 'CONSTRUCTOR: why'))).toMatchObject({
    code: expected,
    message: 'CONSTRUCTOR: why',
  });
});

test('our own errors pass, anything else is a fault of ours', () => {
  const own = new RoundhouseError('ENGINE_BUSY', 'full');
  expect(asRoundhouseError(own)).toBe(own);
  expect(asRoundhouseError(new TypeError('oops'))).toMatchObject({ code: 'INTERNAL', message: 'oops' });
});
