import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the time of one test. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-scripts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
