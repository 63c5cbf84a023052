/**
 * Beats `beats` times in `silenceMs`; when nothing was heard in that many beats in a row, the other side is silent.
 * Beats are counted and not time: a process that was itself held up has missed beats, not heard silence.
 */
export class Heartbeat {
  private readonly timer: NodeJS.Timeout;
  private quiet = 0;

  constructor(silenceMs: number, beat: () => void, onSilence: () => void, beats = 4) {
    this.timer = setInterval(() => {
      this.quiet += 1;
      if (this.quiet > beats) return onSilence();
      beat();
    }, silenceMs / beats);
    this.timer.unref();
  }

  heard(): void {
    this.quiet = 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
