import { join } from 'node:path';
import { skipped } from '../checks/skip.mjs';
import { addTallies, runToEnd, tally } from './part.mjs';

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
    [
      "types of the console's page (tsc)",
      [bin(root, 'typescript', 'bin', 'tsc'), '-p', join('services', 'ops', 'web', 'tsconfig.json')],
    ],
    ['docs/errors.md is current', [join('scripts', 'docs', 'errors.mjs'), '--check']],
    ['docs/metrics.md is current', [join('scripts', 'docs', 'metrics.mjs'), '--check']],
    ['tracked files', [join('scripts', 'checks', 'tracked-files.mjs')]],
    ['lengths of source files', [join('scripts', 'checks', 'file-sizes.mjs')]],
    ['licences of packages', [join('scripts', 'checks', 'licences.mjs')]],
    ['known faults of packages (npm audit)', [join('scripts', 'checks', 'npm-audit.mjs')]],
    ['Compose file', [join('scripts', 'checks', 'compose.mjs')]],
    ['Dockerfiles', [join('scripts', 'checks', 'dockerfiles.mjs')]],
    ['Helm chart', [join('scripts', 'checks', 'helm.mjs')]],
    ['alerts, their tests and the runbook', [join('scripts', 'checks', 'alerts.mjs')]],
    ['dashboards are current', [join('scripts', 'ops', 'dashboards.mjs'), '--check']],
    ["dashboards by Grafana's schema", [join('scripts', 'checks', 'grafana.mjs')]],
    ['rules and queries (promtool)', [join('scripts', 'checks', 'promtool.mjs')]],
  ];
}

/** A check that can't be made on this machine says so by the exit status `skipped`. */
export async function runChecks(root) {
  let sum = tally();
  for (const [name, args] of checksOf(root)) {
    const result = await runToEnd(node, args, { cwd: root, limitMs: 300_000, show: false });
    const isSkipped = result.reason === `exit code ${skipped}`;
    console.log(`${result.ok ? 'ok    ' : isSkipped ? 'SKIPPED' : 'FAILED'} ${name}`);
    if (!result.ok) console.log(result.output.trimEnd());
    sum = addTallies([sum, isSkipped ? tally(0, 0, 1) : result.ok ? tally(1) : tally(0, 1)]);
  }
  return sum;
}
