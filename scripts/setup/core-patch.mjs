import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { SetUpError } from './command.mjs';

/**
 * TritonCore 2.51 keeps at most 1,000 payloads for use again, and the batcher of a model lets the last
 * reference to one go while it holds that payload's own mutex: beyond the thousandth the mutex is freed and
 * unlocked afterwards, which ends the process. Loads and unloads under traffic fill the pool (ADR 0010). The
 * constant is one operand in RateLimiter's constructor, `movq $1000, 0x180(%rdi)`; a million is never reached.
 */
const before = Buffer.from('48c78780010000e8030000', 'hex');
const after = Buffer.from('48c7878001000040420f00', 'hex');

export function enlargePayloadPool(file) {
  const bytes = readFileSync(file);
  const at = bytes.indexOf(before);
  if (at < 0 || bytes.indexOf(before, at + 1) >= 0) {
    throw new SetUpError(`${file} is not the core that we know: its payload pool can't be enlarged`);
  }
  after.copy(bytes, at);
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
}
