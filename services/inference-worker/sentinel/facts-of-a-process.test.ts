import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { coreNames, findCoreFile } from './core-file';
import { mayRestorePriority } from './priority';
import { memoryOf, parseMemory } from './process-memory';
import { TextTail } from './text-tail';

test('the name of a core follows the pattern', () => {
  expect('core.node.17').toMatch(coreNames('core.%e.%p', 17));
  expect('core.17').toMatch(coreNames('core', 17));
  expect('100%-17-1700000000').toMatch(coreNames('100%%-%p-%t', 17));
  expect('core.node.18').not.toMatch(coreNames('core.%e.%p', 17));
});

test('a core is found where the pattern puts it, for signals that leave one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-core-'));
  writeFileSync(join(folder, 'core.17'), '');
  writeFileSync(join(folder, 'core'), '');
  const path = join(folder, 'core.17');
  expect(findCoreFile(17, 'SIGSEGV', folder, 'core')).toEqual({ pattern: 'core', path });
  expect(findCoreFile(17, 'SIGSEGV', '/', join(folder, 'core.%p')).path).toBe(path);
  expect(findCoreFile(17, 'SIGKILL', folder, 'core').path).toBeNull();
  expect(findCoreFile(18, 'SIGSEGV', folder, 'core').path).toBeNull();
  expect(findCoreFile(17, 'SIGSEGV', folder, '|/usr/bin/keep %p').path).toBeNull();
  expect(findCoreFile(17, 'SIGSEGV', join(folder, 'nowhere'), 'core').path).toBeNull();
  rmSync(folder, { recursive: true });
});

test('memory: resident, and what of it is shared; null for a process that is gone', () => {
  const status = 'Name:\tnode\nVmRSS:\t    2048 kB\nRssShmem:\t     512 kB\n';
  expect(parseMemory(status)).toEqual({ residentBytes: 2_097_152, sharedBytes: 524_288 });
  expect(parseMemory('Name:\tnode\n')).toBeNull();
  expect(memoryOf(process.pid)!.residentBytes).toBeGreaterThan(1_000_000);
  expect(memoryOf(2 ** 30)).toBeNull();
});

test('a nice value can be taken back with the capability, or with a limit of 20', () => {
  // Bit 23 is CAP_SYS_NICE: 0x800000.
  expect(mayRestorePriority('CapEff:\t0000000000800000\n', '')).toBe(true);
  const limits = (soft: string) =>
    `Max nice priority         ${soft}                    0                    \n`;
  expect(mayRestorePriority('CapEff:\t00000000a80425fb\n', limits('0'))).toBe(false);
  expect(mayRestorePriority('CapEff:\t0000000000000000\n', limits('20'))).toBe(true);
  expect(mayRestorePriority('', '')).toBe(false);
});

test('the tail of a text keeps its last lines, and says the last one that is no stack frame', () => {
  const tail = new TextTail(20, 8);
  for (const line of ['first', 'second', 'a longer line', '    at main']) tail.add(line);
  expect(tail.text()).toBe('a longer…\n    at m…');
  expect(tail.last()).toBe('a longer…');
  expect(new TextTail(10).last()).toBe('');
});
