const mostAbsent = 1_000;

/** Processes that are no targets any more may come back; of very many (pods that were replaced) the oldest are forgotten. */
export function forgetAbsent(known: Map<string, unknown>, present: ReadonlySet<string>): void {
  const absent = [...known.keys()].filter((name) => !present.has(name));
  for (const name of absent.slice(0, -mostAbsent)) known.delete(name);
}
