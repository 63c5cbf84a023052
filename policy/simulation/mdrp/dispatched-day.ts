import type { Seconds } from '#schemas/brands';
import type { Day } from '../day';
import type { MdrpInstance } from './instance';
import { mdrpDay } from './mdrp-day';
import { mdrpPolicy } from './mdrp-policy';

const MINUTE = 60;
const seconds = (value: number) => value as Seconds;

export interface DispatchedDayOptions {
  readonly name: string;
  readonly roundMinutes: number;
  /** Are couriers without orders sent to where orders are expected? */
  readonly prepositioning: boolean;
  /** As of a `Day`. */
  readonly lateChanges?: boolean;
}

/** A day of the benchmark with the one policy for all of them: every placed order is offered. */
export function dispatchedDay(
  instance: MdrpInstance,
  { name, roundMinutes, prepositioning, lateChanges = false }: DispatchedDayOptions,
): Day {
  const day = mdrpDay(instance, {
    name,
    roundMinutes,
    offerHorizonSeconds: null,
    shiftLookaheadSeconds: seconds(60 * MINUTE),
    ...(prepositioning && { demand: { memorySeconds: seconds(60 * MINUTE), leastPerHour: 0.15 } }),
    policyAt: (_view, parameters) => mdrpPolicy(parameters, { roundMinutes, prepositioning }),
  });
  return { ...day, lateChanges };
}
