import type { Level, Problem } from './messages';

export function worstLevel(problems: readonly Pick<Problem, 'level'>[]): Level {
  if (problems.some(({ level }) => level === 'bad')) return 'bad';
  return problems.length > 0 ? 'warn' : 'ok';
}
