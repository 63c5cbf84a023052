import type { Episodes } from '#policy/operations/episodes';
import { explain, type Signal } from '#policy/operations/signals';

/** Something that is wrong, and what it may follow from; `times` where it happens instead of being. */
export const state = (id: string, after: string[] = [], times: number | null = null): Signal => {
  return { id, after, level: 'bad', where: id, words: 'is wrong', runbook: 'R', times };
};

/** One look, and the list with a line each. */
export function inShort(episodes: Episodes) {
  const look = (time: number, ...signals: Signal[]) =>
    episodes.saw(explain(signals, episodes.lately(time)), time);
  const short = () =>
    episodes.all().map(({ cause, beganAt, endedAt, times, consequences, rounds }) => {
      const what = [cause, ...consequences.map(({ where }) => where)].join(' > ');
      return `${what} ${beganAt}-${endedAt ?? ''} ×${times} ${rounds.late}/${rounds.partial}`;
    });
  return { episodes, look, short };
}
