const cells = 30;

/** `[#####-----] 12/40, 3 min left`: by the time that those took which are done. */
export function progressText(done: number, of: number, elapsedMs: number): string {
  const full = of === 0 ? cells : Math.floor((cells * done) / of);
  const left = done === 0 ? '' : `, ${durationText((elapsedMs / done) * (of - done))} left`;
  return `[${'#'.repeat(full)}${'-'.repeat(cells - full)}] ${done}/${of}${done === of ? '' : left}`;
}

function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}

export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** On a terminal a bar that moves; elsewhere a line each tenth. */
export class ProgressBar {
  private readonly startedAt = performance.now();
  private tenths = 0;
  private done = 0;

  constructor(
    private readonly of: number,
    private readonly terminal: Terminal,
  ) {}

  step(): void {
    this.done += 1;
    const text = progressText(this.done, this.of, performance.now() - this.startedAt);
    const tenths = Math.floor((10 * this.done) / this.of);
    if (this.terminal.isTTY === true)
      this.terminal.write(`\r\u001b[K${text}${this.done === this.of ? '\n' : ''}`);
    else if (tenths > this.tenths) this.terminal.write(`${text}\n`);
    this.tenths = tenths;
  }
}
