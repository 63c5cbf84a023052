/** Every series of a scrape: name with labels, and value. */
export function seriesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

export async function scrape(url: string): Promise<Map<string, number>> {
  return seriesOf(await (await fetch(url)).text());
}

/** The sum of a metric's series; of those whose labels hold `label`, where it is given. */
export function total(series: ReadonlyMap<string, number>, name: string, label = ''): number {
  const own = [...series].filter(
    ([key]) => (key === name || key.startsWith(`${name}{`)) && key.includes(label),
  );
  return own.reduce((sum, [, value]) => sum + value, 0);
}
