import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd, tally } from './part.mjs';

/** The tests of the scripts, by Node's own runner: they need no build. */
export async function runScriptTests(root) {
  const folder = join(root, 'scripts', 'tests');
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.mjs'));
  const args = ['--test', '--test-reporter=tap', ...files.map((name) => join(folder, name))];
  const result = await runToEnd(process.execPath, args, { cwd: root, limitMs: 300_000, show: false });
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(result.output)?.[1] ?? 0);
  const counted = tally(count('pass'), count('fail') + count('cancelled'), count('skipped') + count('todo'));
  if (!result.ok) console.log(result.output);
  return !result.ok && counted.failed === 0 ? tally(counted.passed, 1, counted.skipped) : counted;
}
