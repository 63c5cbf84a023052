import { event } from '#lib/telemetry';

/** Somebody set the clock of a service while it ran. */
const clockSteppedEvent = event<{ readonly stepMs: number }>({
  level: 'warn',
  counter: { name: 'dispatch_clock_steps_total', help: 'Times that the clock was set forward or back.' },
});

const clockSkewMeasuredEvent = event<{ readonly skewMs: number }>({
  level: 'info',
  gauge: {
    name: 'dispatch_clock_skew_seconds',
    help: "Our clock minus the broker's.",
    value: ({ skewMs }) => skewMs / 1_000,
  },
});

/** Of services that keep to deadlines. */
export const clockEvents = {
  ClockStepped: clockSteppedEvent,
  ClockSkewMeasured: clockSkewMeasuredEvent,
};
