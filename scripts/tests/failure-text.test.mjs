import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SetUpError } from '../setup/command.mjs';
import { failureText } from '../setup/failure-text.mjs';

const systemError = (code, fields) => Object.assign(new Error(`${code}: …`), { code, ...fields });

test('a folder that may not be written is named, with what to do', () => {
  const error = systemError('EACCES', { syscall: 'mkdir', path: '/clone/.roundhouse' });
  assert.equal(
    failureText(error, '/clone'),
    '/clone/.roundhouse may not be written by this user (EACCES). ' +
      'Everything is kept in /clone: make it writable, or clone into a folder that is',
  );
});

test('a full disk and a read-only file system are told as such', () => {
  assert.match(failureText(systemError('ENOSPC', {}), '/clone'), /^\/clone is on a full disk \(ENOSPC\)/);
  assert.match(failureText(systemError('EROFS', { path: '/clone/x' }), '/clone'), /read-only file system/);
});

test('a failure of set-up stays as it is, and a fault of ours keeps its stack', () => {
  assert.equal(failureText(new SetUpError('no java')), 'no java');
  assert.equal(failureText(new TypeError('x')), null);
  assert.equal(failureText(systemError('ENOENT', { path: '/x' })), null);
});
