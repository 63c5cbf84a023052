import { check } from './drill';
import type { DrillResult } from './run';
import { faultMatrix } from './table';

const facts = { at: '2026-11-30', machine: '2 cores', commit: 'abc', command: 'npm run drill' };
const result = (changes: Partial<DrillResult>): DrillResult => ({
  name: 'x',
  row: '1',
  fault: 'f',
  expected: 'e',
  checks: [check('lost', '0', 0, true)],
  seconds: 3,
  alerts: null,
  console: null,
  passed: true,
  ...changes,
});

test('rows in the order of their numbers, then those without; what failed and what did not fire stands out', () => {
  const text = faultMatrix(
    [
      result({
        name: 'kill',
        row: 'SIGKILL',
        alerts: { expected: [], fired: ['A'], lacking: [] },
        console: { found: 'named', cause: 'w: ended', runbook: 'R', others: [] },
      }),
      result({
        ...{ name: 'ten', row: '10', fault: 'a | b' },
        console: { found: null, cause: null, runbook: null, others: [] },
      }),
      result({
        name: 'two',
        row: '2',
        passed: false,
        console: { found: 'lacking', cause: null, runbook: null, others: [] },
        checks: [check('lost', '0', 3, false), check('late', '0', 0, true)],
        alerts: { expected: ['B'], fired: [], lacking: ['B'] },
      }),
    ],
    facts,
  );
  expect(text).toContain('2 of 3 drills passed');
  const rows = text.split('\n').filter((line) => /^\| (\d|SIG)/.test(line));
  expect(rows).toEqual([
    '| 2 | `two` | f | e | **✗** lost: 3<br>late: 0 | **✗** B lacks | **✗** not named | 3 s | **failed** |',
    '| 10 | `ten` | a \\| b | e | lost: 0 | – | nothing is wrong | 3 s | passed |',
    '| SIGKILL | `kill` | f | e | lost: 0 | `A` | w: ended (among others): `R` | 3 s | passed |',
  ]);
});
