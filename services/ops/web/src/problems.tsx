import type { JSX } from 'preact';
import type { Problem } from '../../console/messages';
import { Icon } from './icons';

const levelWords = { warn: 'Warning', bad: 'Trouble' } as const;

/** What is wrong now, the worst first, with the page of the runbook that tells what to do. */
export function Problems({ problems }: { readonly problems: readonly Problem[] }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <section aria-labelledby="problems-title" class="problems">
      <h2 id="problems-title">What is wrong</h2>
      <ul>
        {problems.map(({ level, where, words, runbook }) => (
          <li key={`${where} ${words}`} class={level}>
            <Icon name={level} />
            <span class="hidden">{levelWords[level]}: </span>
            <strong>{where}</strong> <span class="words">{words}</span>
            {runbook !== null && (
              <a
                class="runbook"
                href={`/runbook/${runbook}`}
                target="_blank"
                title="What it means and what to do"
              >
                {runbook}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
