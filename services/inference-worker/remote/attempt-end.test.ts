import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import { HandedOver, LateHere, NoEngineInTime, UnfitHere } from '../placement/placement';
import { failureKind } from './attempt-end';

const failed = (code: ErrorCode, message = 'x') => failureKind(new RoundhouseError(code, message));

test('what was refused before it cost anything', () => {
  expect(failureKind(new LateHere())).toBe('refused');
  expect(failureKind(new UnfitHere('too large'))).toBe('refused');
});

test.each([
  'no engine serves now: it was killed',
  'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:1',
  'Name resolution failed for target dns:nowhere:1',
])('it got to no engine: %s', (message) => {
  expect(failed('ENGINE_LOST', message)).toBe('down');
});

test('no engine there', () => {
  expect(failureKind(new NoEngineInTime('down'))).toBe('down');
  expect(failureKind(new HandedOver())).toBe('down');
});

test.each<[ErrorCode, string]>([
  ['ENGINE_LOST', 'lost'],
  ['DEVICE_FAULT', 'lost'],
  ['ENGINE_BUSY', 'busy'],
  ['MODEL_UNAVAILABLE', 'without_model'],
  ['TRAVEL_MATRIX_UNKNOWN', 'without_model'],
  ['DEADLINE_EXCEEDED', 'late'],
  ['MODEL_FAILED', 'doubtful'],
  ['PAYLOAD_INVALID', 'doubtful'],
  ['INTERNAL', 'doubtful'],
])('%s: %s', (code, kind) => {
  expect(failed(code, 'the engine was lost with the call: Connection dropped')).toBe(kind);
});
