import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemberSlot } from './member-slot';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-slots-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The only file there, as if another process had written it. */
function rewriteAs(other: { pid?: number; start?: string }): void {
  const file = join(folder, readdirSync(folder)[0]!);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...other }));
}
function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

test('the slot of a dead process is taken over with its member id', () => {
  MemberSlot.claim(folder, 'group')!.save('member-1');
  rewriteAs({ pid: deadPid() });
  expect(MemberSlot.claim(folder, 'group')!.memberId).toBe('member-1');
  expect(readdirSync(folder)).toHaveLength(1);
});

test('the slot of a live process is left alone', () => {
  MemberSlot.claim(folder, 'group')!.save('member-1');
  const second = MemberSlot.claim(folder, 'group')!;
  expect(second.memberId).toBeNull();
  expect(readdirSync(folder)).toHaveLength(2);
});

test('a slot of a process that had our id before is taken over: ids begin anew in a container', () => {
  MemberSlot.claim(folder, 'group')!.save('member-1');
  rewriteAs({ start: '1' });
  expect(MemberSlot.claim(folder, 'group')!.memberId).toBe('member-1');
  expect(readdirSync(folder)).toHaveLength(1);
});

test('groups have slots of their own; a released slot is gone', () => {
  const slot = MemberSlot.claim(folder, 'group')!;
  slot.save('member-1');
  slot.release();
  expect(readdirSync(folder)).toHaveLength(0);
  expect(MemberSlot.claim(folder, 'other')!.memberId).toBeNull();
});

test('an unreadable file does no harm', () => {
  MemberSlot.claim(folder, 'group');
  writeFileSync(join(folder, readdirSync(folder)[0]!), '{');
  expect(MemberSlot.claim(folder, 'group')).not.toBeNull();
});
