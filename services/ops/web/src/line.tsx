import type { JSX } from 'preact';
import type { Line } from '../../console/messages';

interface RunbookLinkProps {
  readonly page: string;
}

export function RunbookLink({ page }: RunbookLinkProps): JSX.Element {
  return (
    <a class="runbook" href={`/runbook/${page}`} target="_blank" title="What it means and what to do">
      {page}
    </a>
  );
}

interface ConsequencesProps {
  readonly lines: readonly Line[];
  readonly title: string;
}

/** What follows from a cause: under it, and smaller. */
export function Consequences({ lines, title }: ConsequencesProps): JSX.Element | null {
  if (lines.length === 0) return null;
  return (
    <div class="consequences">
      <span class="muted">{title}</span>
      <ul>
        {lines.map(({ where, words, runbook }) => (
          <li key={`${where} ${words}`}>
            <strong>{where}</strong> <span class="words">{words}</span> <RunbookLink page={runbook} />
          </li>
        ))}
      </ul>
    </div>
  );
}
