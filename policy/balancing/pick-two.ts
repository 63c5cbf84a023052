const draws = 16;
const mostLooked = 128;

/**
 * Two different ones of `all` at random that `suits` takes; fewer where there are none, or where so few suit that
 * neither 16 draws nor the 128 after a random place had two.
 */
export function pickTwo<T>(all: readonly T[], suits: (item: T) => boolean, random: () => number): T[] {
  const picked: T[] = [];
  const add = (item: T): boolean => {
    if (!picked.includes(item) && suits(item)) picked.push(item);
    return picked.length === 2;
  };
  const drawn = all.length > 2 ? draws : 0;
  for (let draw = 0; draw < drawn; draw += 1) {
    if (add(all[Math.floor(random() * all.length)]!)) return picked;
  }
  const from = Math.floor(random() * all.length);
  const looked = Math.min(mostLooked, all.length);
  for (let step = 0; step < looked; step += 1) if (add(all[(from + step) % all.length]!)) return picked;
  return picked;
}
