import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { enlargePayloadPool } from '../setup/core-patch.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const known = '48c78780010000e8030000';

test('the constant is written once, and nothing else changes', (t) => {
  const file = join(temporaryFolder(t), 'core.so');
  writeFileSync(file, Buffer.from(`aa${known}bb`, 'hex'));
  enlargePayloadPool(file);
  // 0x000f4240 = 1,000,000, low byte first.
  assert.equal(readFileSync(file).toString('hex'), 'aa48c7878001000040420f00bb');
});

test('a core that has it never or twice is refused and left as it is', (t) => {
  const file = join(temporaryFolder(t), 'core.so');
  for (const hex of ['aabb', known + known]) {
    writeFileSync(file, Buffer.from(hex, 'hex'));
    assert.throws(() => enlargePayloadPool(file), /not the core that we know/);
    assert.equal(readFileSync(file).toString('hex'), hex);
  }
});
