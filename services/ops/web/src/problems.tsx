import type { JSX } from 'preact';
import type { Problem } from '../../console/messages';
import { costWords, timesWords, whenWords } from './costs';
import { clock } from './format';
import { Icon } from './icons';
import { Consequences, RunbookLink } from './line';

const levelWords = { warn: 'Warning', bad: 'Trouble' } as const;

interface ProblemRowProps {
  readonly problem: Problem;
  readonly now: number;
}

function ProblemRow({ problem, now }: ProblemRowProps): JSX.Element {
  const { level, where, words, runbook, times, endedAt, now: lines } = problem;
  const isOver = times === 0 && endedAt !== null;
  const cost = costWords(problem);
  return (
    <li class={level}>
      <div class="cause">
        <Icon name={level} />
        <span class="hidden">{levelWords[level]}: </span>
        <strong>{where}</strong>
        <span class="words">
          {words}
          {timesWords(problem)}
        </span>
        <span class="muted when">
          {isOver ? `until ${clock(endedAt)}` : whenWords({ ...problem, endedAt: null }, now)}
          {cost === '' ? '' : ` · ${cost}`}
        </span>
        <RunbookLink page={runbook} />
      </div>
      <Consequences lines={lines} title={isOver ? 'over, and still' : 'so'} />
    </li>
  );
}

interface ProblemsProps {
  readonly problems: readonly Problem[];
  readonly now: number;
}

/** What is wrong now: causes, each with what follows from it, and with the page of the runbook that tells what to do. */
export function Problems({ problems, now }: ProblemsProps): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <section aria-labelledby="problems-title" class="problems">
      <h2 id="problems-title">What is wrong</h2>
      <ul>
        {problems.map((problem) => (
          <ProblemRow key={problem.key} problem={problem} now={now} />
        ))}
      </ul>
    </section>
  );
}
