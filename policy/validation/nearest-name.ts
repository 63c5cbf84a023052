/** Insertions, deletions and replacements from one word to another; case counts half. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const [a, b] = [from[i - 1]!, to[j - 1]!];
      const replace = a === b ? 0 : a.toLowerCase() === b.toLowerCase() ? 0.5 : 1;
      current.push(Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + replace));
    }
    previous = current;
  }
  return previous[to.length]!;
}

/** The valid name most like `name`; the first of equals. Only the start of an overlong name is compared. */
export function nearestName(name: string, valid: readonly string[]): string | undefined {
  const start = name.slice(0, 64);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of valid) {
    const distance = editDistance(start, candidate);
    if (!best || distance < best.distance) best = { name: candidate, distance };
  }
  return best?.name;
}
