import { RoundhouseError } from '#schemas/errors';
import { failureText, keptLogsText } from './failure-text';

test('a folder of another user is named, with what to do', () => {
  const error = Object.assign(new Error("EACCES: permission denied, rmdir '/r/1'"), {
    code: 'EACCES',
    path: '/r/1',
  });
  expect(failureText(error)).toBe(
    '/r/1 may not be written by this user (EACCES). A run keeps its data in .roundhouse/run: make it writable, or remove it if another user made it',
  );
});

test('other faults are told in their own words', () => {
  expect(failureText(new RoundhouseError('PORT_IN_USE', 'port 1'))).toBe('PORT_IN_USE: port 1');
  expect(failureText(new Error('plain'))).toBe('plain');
  expect(failureText('text')).toBe('text');
});

test('where the logs of a failed run are, and for how long', () => {
  expect(keptLogsText('/r/1/logs')).toBe(
    'The logs of this run stay in /r/1/logs until 3 later ones have failed',
  );
});
