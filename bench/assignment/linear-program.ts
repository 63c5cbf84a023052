import { profitOf, type AssignmentProblem } from '#policy/assignment/problem';

/** The problem in CPLEX LP format, binary or relaxed; the objective is the cost less all penalties. */
export function linearProgram(problem: AssignmentProblem, kind: 'binary' | 'relaxed'): string {
  const rows = new Map<string, string[]>();
  const terms = problem.candidates.map(({ courier, orders }, index) => {
    for (const row of [`c${courier}`, ...orders.map((order) => `o${order}`)]) {
      const list = rows.get(row);
      if (list === undefined) rows.set(row, [`x${index}`]);
      else list.push(`x${index}`);
    }
    const cost = -profitOf(problem, index);
    return `${cost < 0n ? '-' : '+'} ${cost < 0n ? -cost : cost} x${index}`;
  });
  const lines = ['Minimize', ' obj:', ...terms, 'Subject To'];
  for (const [row, columns] of rows)
    lines.push(` ${row}:`, ...columns.map((column) => ` + ${column}`), ' <= 1');
  if (kind === 'binary') lines.push('Binary', ...problem.candidates.map((_, index) => ` x${index}`));
  return [...lines, 'End'].join('\n');
}
