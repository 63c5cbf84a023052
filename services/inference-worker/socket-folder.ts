import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '#lib/is-alive';

const prefix = 'roundhouse-engine-';

/** What workers left behind that were killed. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name);
    if (owner && !isAlive(Number(owner[1]))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** A folder (mode 0700) for the sockets of our engines; its name holds our process id. */
export function makeSocketFolder(parent = tmpdir()): string {
  try {
    sweep(parent);
  } catch {
    // The folder of someone else: not ours to remove.
  }
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`));
}
