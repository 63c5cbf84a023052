/** Milliseconds that a process took for the steps of a round, by the step's name, in the order of the steps. */
export type Phases = Readonly<Record<string, number>>;

/** As the header `rh-phases` has them: `read=12.3;validate=8.1`. */
export function writePhases(phases: Phases): string {
  return Object.entries(phases)
    .map(([name, ms]) => `${name}=${ms.toFixed(1)}`)
    .join(';');
}

/** What can't be read is left out. */
export function readPhases(text: string | undefined): Phases {
  const phases: Record<string, number> = {};
  for (const part of (text ?? '').split(';')) {
    const [, name, ms] = /^([A-Za-z]{1,32})=(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    if (name !== undefined && ms !== undefined) phases[name] = Number(ms);
  }
  return phases;
}

/** Times steps that follow one another. */
export class PhaseClock {
  readonly phases: Record<string, number> = {};

  constructor(
    private readonly now: () => number = () => performance.now(),
    private since = now(),
  ) {}

  /** The step that ends now took the time since the one before it. */
  ends(name: string): void {
    const at = this.now();
    this.phases[name] = (this.phases[name] ?? 0) + at - this.since;
    this.since = at;
  }
}
