/** What a console has to name for a drill. */
export interface NamedCause {
  readonly where: RegExp;
  readonly words: RegExp;
}

/** A cause that it named, lasting or over. */
export interface Named {
  readonly key: number;
  readonly level: 'warn' | 'bad';
  readonly where: string;
  readonly words: string;
  readonly runbook: string;
  /** It stood above all others at some moment. */
  readonly isFirst: boolean;
}

export interface ConsoleFinding {
  /** `first`: it stood above all others; `named`: among the others; null: there is none to be found. */
  readonly found: 'first' | 'named' | 'lacking' | null;
  /** The page of the runbook beside it. */
  readonly runbook: string | null;
  readonly cause: string | null;
  /** Other causes that it named. */
  readonly others: readonly string[];
}

const lineOf = ({ where, words }: Named): string => `${where}: ${words}`;
const mostOthers = 6;

export function judgeConsole(named: readonly Named[], expected: NamedCause | null): ConsoleFinding {
  const fitting = named.filter(
    ({ where, words }) => expected !== null && expected.where.test(where) && expected.words.test(words),
  );
  const best = fitting.find(({ isFirst }) => isFirst) ?? fitting[0];
  // The words of one cause change while it lasts: the last ones stand for it.
  const last = new Map(named.filter(({ key }) => key !== best?.key).map((one) => [one.key, lineOf(one)]));
  const others = [...last.values()].slice(0, mostOthers);
  if (expected === null) return { found: null, runbook: null, cause: null, others };
  if (best === undefined) return { found: 'lacking', runbook: null, cause: null, others };
  const found = best.isFirst ? 'first' : 'named';
  return { found, runbook: best.runbook, cause: lineOf(best), others };
}
