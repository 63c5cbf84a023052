/** What the wall clock may run apart from the machine's own running time between two looks: slewing, and a stall between two reads. */
const TOLERANCE_MS = 20;

export interface Clocks {
  /** Unix ms. */
  wall(): number;
  /** Ms of running time, which nobody sets. */
  running(): number;
}

const machineClocks: Clocks = { wall: () => Date.now(), running: () => performance.now() };

/** Sees that somebody set the clock, forward or back, and by how much. A machine that slept looks like one set forward. */
export class ClockSteps {
  private offset: number;

  constructor(private readonly clocks: Clocks = machineClocks) {
    this.offset = this.read();
  }

  /** Milliseconds that the clock was set forward since the last look; negative: back; 0: not at all. */
  look(): number {
    const offset = this.read();
    const step = offset - this.offset;
    this.offset = offset;
    return Math.abs(step) <= TOLERANCE_MS ? 0 : Math.round(step);
  }

  /** Between two readings of the one the other is read, so that a stall is seen. */
  private read(): number {
    for (let attempt = 0; ; attempt += 1) {
      const before = this.clocks.running();
      const wall = this.clocks.wall();
      const after = this.clocks.running();
      if (after - before < 1 || attempt === 10) return wall - (before + after) / 2;
    }
  }
}
