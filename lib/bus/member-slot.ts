import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, startOf } from '../is-alive';
import { makeFolder } from '../make-folder';

const slots = 64;
const keptMs = 3_600_000;

interface SlotContent {
  readonly pid: number;
  /** Absent in files of versions that did not write it. */
  readonly start?: string | null;
  readonly memberId: string | null;
}

function readSlot(file: string): SlotContent | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SlotContent;
  } catch {
    return null;
  }
}

function isHeld({ pid, start }: SlotContent): boolean {
  return isAlive(pid) && (start === undefined || start === startOf(pid));
}

function contentOf(memberId: string | null): SlotContent {
  return { pid: process.pid, start: startOf(process.pid), memberId };
}

/** Creates the file; false when another process was faster. */
function create(file: string, content: SlotContent): boolean {
  try {
    writeFileSync(file, JSON.stringify(content), { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** Moves the file of a dead process away; only one of several takers succeeds. */
function takeOver(file: string): SlotContent | null {
  const taken = `${file}.${process.pid}`;
  try {
    renameSync(file, taken);
  } catch {
    return null;
  }
  const content = readSlot(taken);
  rmSync(taken, { force: true });
  return content;
}

/** Removes what killed processes left behind long ago: their groups have forgotten them. */
function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (modified + keptMs < Date.now() && !isAlive(readSlot(file)?.pid ?? 0)) rmSync(file, { force: true });
  }
}

/**
 * The id under which a process is a member of a consumer group, kept in a file: a process that was killed
 * and is started again takes its place in the group at once, where a new member would have to wait until
 * the session of the dead one is over. (kafkajs has no static membership.) Processes of one host take
 * different slots; a slot is free when its process is gone.
 */
export class MemberSlot {
  private constructor(
    private readonly file: string,
    /** Of the process that had the slot before. */
    readonly memberId: string | null,
  ) {}

  /** null when no slot could be had: the group is then joined as a new member. */
  static claim(folder: string, groupId: string): MemberSlot | null {
    try {
      makeFolder(folder, 0o700);
      sweep(folder);
      return MemberSlot.firstFree(folder, groupId);
    } catch {
      return null;
    }
  }

  private static firstFree(folder: string, groupId: string): MemberSlot | null {
    const name = createHash('sha256').update(groupId).digest('hex').slice(0, 24);
    for (let slot = 0; slot < slots; slot++) {
      const file = join(folder, `${name}-${slot}.json`);
      const holder = readSlot(file);
      if (holder !== null && isHeld(holder)) continue;
      const before = holder === null ? null : takeOver(file);
      const memberId = before?.memberId ?? null;
      if (create(file, contentOf(memberId))) return new MemberSlot(file, memberId);
    }
    return null;
  }

  save(memberId: string): void {
    const next = `${this.file}.${process.pid}.new`;
    writeFileSync(next, JSON.stringify(contentOf(memberId)), { mode: 0o600 });
    renameSync(next, this.file);
  }

  /** After the group was left in order: nobody has to take the place over. */
  release(): void {
    rmSync(this.file, { force: true });
  }
}
