import { join } from 'node:path';
import { runToEnd, tally } from './part.mjs';

const node = process.execPath;
const bin = (root, ...parts) => join(root, 'node_modules', ...parts);

/** Format, lint, types, and the checks of our own in scripts/checks. Each counts as one test. */
export function checksOf(root) {
  return [
    [
      'formatting (prettier)',
      [bin(root, 'prettier', 'bin', 'prettier.cjs'), '--check', '--log-level=warn', '.'],
    ],
    ['lint (eslint)', [bin(root, 'eslint', 'bin', 'eslint.js'), '--max-warnings=0', '.']],
    ['types (tsc)', [bin(root, 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.check.json']],
    ['docs/errors.md is current', [join('scripts', 'docs', 'errors.mjs'), '--check']],
    ['tracked files', [join('scripts', 'checks', 'tracked-files.mjs')]],
    ['lengths of source files', [join('scripts', 'checks', 'file-sizes.mjs')]],
    ['Compose file', [join('scripts', 'checks', 'compose.mjs')]],
  ];
}

export async function runChecks(root) {
  let failed = 0;
  const checks = checksOf(root);
  for (const [name, args] of checks) {
    const result = await runToEnd(node, args, { cwd: root, limitMs: 300_000, show: false });
    console.log(`${result.ok ? 'ok    ' : 'FAILED'} ${name}`);
    if (!result.ok) console.log(result.output.trimEnd());
    if (!result.ok) failed += 1;
  }
  return tally(checks.length - failed, failed);
}
