import type { DrillResult } from './run';

export interface RunFacts {
  readonly at: string;
  readonly machine: string;
  readonly commit: string;
  readonly command: string;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function measuredCell({ checks }: DrillResult): string {
  return checks
    .map(({ what, measured, passed }) => `${passed ? '' : '**✗** '}${what}: ${measured}`)
    .join('<br>');
}

function alertsCell({ alerts }: DrillResult): string {
  if (alerts === null) return '–';
  const missing = alerts.lacking.map((name) => `**✗** ${name} lacks`);
  const fired = alerts.fired.map((name) => `\`${name}\``);
  return [...fired, ...missing].join('<br>') || 'none';
}

/** The cause as the console named it; where it stood above all others that is not said. */
function consoleCell({ console: seen }: DrillResult): string {
  if (seen === null) return '–';
  if (seen.found === null) return 'nothing is wrong';
  if (seen.found === 'lacking') return '**✗** not named';
  const among = seen.found === 'first' ? '' : ' (among others)';
  return `${seen.cause}${among}: \`${seen.runbook}\``;
}

/** docs/fault-matrix.md: a row a drill, in the order of PAINS.md's rows, then the faults without a number. */
export function faultMatrix(results: readonly DrillResult[], facts: RunFacts): string {
  const numbered = (row: string) => (/^\d+$/.test(row) ? Number(row) : Infinity);
  const sorted = [...results].sort((a, b) => numbered(a.row) - numbered(b.row));
  const failed = results.filter(({ passed }) => !passed).length;
  const rows = sorted.map((result) => {
    const cells = [
      result.row,
      `\`${result.name}\``,
      result.fault,
      result.expected,
      measuredCell(result),
      alertsCell(result),
      consoleCell(result),
      `${result.seconds} s`,
      result.passed ? 'passed' : '**failed**',
    ];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  return `# Fault matrix

Written by \`${facts.command}\` on ${facts.at} (${facts.machine}; ${facts.commit}): ${results.length - failed} of ${results.length} drills passed. Do not
edit: fault-drills.md says how a drill is run and what the columns mean.

| row | drill | fault, really made | expected | measured | alerts that fired | what the console named | took | |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
