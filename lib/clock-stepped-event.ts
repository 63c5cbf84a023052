import { event } from '#lib/telemetry';

/** Somebody set the clock of a service while it ran. */
export const clockSteppedEvent = event<{ stepMs: number }>({
  level: 'warn',
  counter: { name: 'dispatch_clock_steps_total', help: 'Times that the clock was set forward or back.' },
});
