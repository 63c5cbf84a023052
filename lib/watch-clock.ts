import { RoundhouseError } from '#schemas/errors';
import { ClockSteps } from './clock-steps';

const LOOK_EVERY_MS = 250;
/** A clock that drifts away is found by then. */
const MEASURE_EVERY_MS = 600_000;
/** While Kafka does not answer. */
const AGAIN_MS = 1_000;

interface ClockEvents {
  ClockSkewMeasured(fields: { readonly skewMs: number }): void;
  ClockStepped(fields: { readonly stepMs: number }): void;
}

export interface ClockWatchOptions {
  /** Our clock against the broker's; rejects with CLOCK_SKEWED above the limit. */
  measure(): Promise<number>;
  readonly events: ClockEvents;
  /** Timers that were set before it are wrong. */
  onStep?(): void;
  /** Deadlines are wall time: a service whose clock is wrong must not go on. */
  onSkewed(error: Error): void;
  readonly steps?: ClockSteps;
  readonly lookEveryMs?: number;
  readonly measureEveryMs?: number;
  readonly againMs?: number;
}

/** Looks for steps of the clock, and measures it against the broker's after each and from time to time; ends with the function returned. */
export function watchClock(options: ClockWatchOptions): () => void {
  const { measure, events, onStep, onSkewed } = options;
  const { steps = new ClockSteps(), lookEveryMs = LOOK_EVERY_MS, againMs = AGAIN_MS } = options;
  const { measureEveryMs = MEASURE_EVERY_MS } = options;
  let measureAt = performance.now() + measureEveryMs;
  let isMeasuring = false;
  const check = async (): Promise<void> => {
    isMeasuring = true;
    measureAt = performance.now() + measureEveryMs;
    try {
      events.ClockSkewMeasured({ skewMs: await measure() });
    } catch (error) {
      if (error instanceof RoundhouseError && error.code === 'CLOCK_SKEWED') return onSkewed(error);
      measureAt = performance.now() + againMs;
    } finally {
      isMeasuring = false;
    }
  };
  const look = (): void => {
    const stepMs = steps.look();
    if (stepMs !== 0) {
      events.ClockStepped({ stepMs });
      onStep?.();
      measureAt = 0;
    }
    if (!isMeasuring && performance.now() >= measureAt) void check();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return () => clearInterval(timer);
}
