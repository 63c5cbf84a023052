import { errorCodes, RoundhouseError, type ErrorCode, type Fault } from '#schemas/errors';
import { mayBeSentAgain } from './send-again';

const fault = (path: string): Fault => ({ path, value: '1', limit: 'another' });

test('the error table decides', () => {
  const again = (Object.keys(errorCodes) as ErrorCode[]).filter((code) =>
    mayBeSentAgain(new RoundhouseError(code, 'x')),
  );
  expect(again).toEqual(expect.arrayContaining(['DEPENDENCY_ABSENT', 'INGEST_BUSY', 'SHUTTING_DOWN']));
  for (const never of ['ROUND_INVALID', 'ROUND_CONFLICT', 'ROUND_TOO_LARGE', 'DEADLINE_EXCEEDED'] as const) {
    expect(again).not.toContain(never);
  }
});

test('a round whose only fault is its deadline lost its time to an outage', () => {
  const invalid = (...paths: string[]) => new RoundhouseError('ROUND_INVALID', 'x', paths.map(fault));
  expect(mayBeSentAgain(invalid('deadline'))).toBe(true);
  expect(mayBeSentAgain(invalid('deadline', 'orders[0].size'))).toBe(false);
  expect(mayBeSentAgain(invalid('orders[0].size'))).toBe(false);
});

test('an error of no code is a fault of ours', () => {
  expect(mayBeSentAgain(new TypeError('x'))).toBe(false);
});
