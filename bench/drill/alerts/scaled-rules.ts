const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

/** At least this: a rate needs two scrapes. */
const leastWindowMs = 3_000;

function scaled(amount: string, unit: string, by: number, leastMs: number): string {
  return `${Math.max(leastMs, Math.round((Number(amount) * unitSeconds[unit]! * 1_000) / by))}ms`;
}

/**
 * Rules for a drill, which takes seconds where an operator has minutes: every window in brackets and every `for` is `by`
 * times as short. Names and thresholds stay.
 */
export function scaledRules(rules: string, by: number): string {
  return rules
    .replace(/\[(\d+)(ms|s|m|h|d)\]/g, (_, amount: string, unit: string) => {
      return `[${scaled(amount, unit, by, leastWindowMs)}]`;
    })
    .replace(/^(\s*for: )(\d+)(ms|s|m|h|d)\s*$/gm, (_, head: string, amount: string, unit: string) => {
      return `${head}${scaled(amount, unit, by, 0)}`;
    });
}
