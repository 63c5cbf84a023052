import { modelLabels } from '#lib/model-labels';
import { configError } from '#lib/config';
import type { Day, RoundView } from '#policy/simulation/day';
import { policyOf } from '#policy/validation/index';
import type { RoundPolicy } from '#schemas/domain';
import type { Fault } from '#schemas/errors';
import { laidOver } from '../run/changed-policy';
import type { Point } from './points';
import type { ParameterValue } from './space';

type Json = Readonly<Record<string, unknown>>;

/** Of the predicted preparation, after which a meal is taken to be ready. */
export const preparationShare = 'day.preparationShare';

const lateChanges = 'day.lateChanges';

/** Parameters that are the day's, not a policy's, and their bounds. */
const dayParameters = {
  'day.shiftLookaheadSeconds': { min: 0, max: 86_400 },
  'day.demand.memorySeconds': { min: 1, max: 86_400 },
  'day.demand.leastPerHour': { min: 0, max: 1_000 },
  [lateChanges]: { min: 0, max: 1 },
  [preparationShare]: { min: 0.1, max: 10 },
} as const;
type DayParameter = keyof typeof dayParameters;

const isOfDay = (name: string): boolean => name.startsWith('day.');

function nested(path: string, value: ParameterValue): Json {
  const [first, ...rest] = path.split('.') as [string, ...string[]];
  return { [first]: rest.length === 0 ? value : nested(rest.join('.'), value) };
}

/** Dotted names as the object that they mean; a field that is null is taken away. */
export function policyChanges(point: Point): Json {
  return Object.entries(point)
    .filter(([name]) => !isOfDay(name))
    .reduce<Json>((changes, [name, value]) => laidOver(changes, nested(name, value)), {});
}

/** Fields that a policy may lack are taken away by null. */
const optional = ['chains', 'prepositioning', 'uncoveredOrderCost'];

function changed(policy: RoundPolicy, changes: Json, asOf: number) {
  const merged = laidOver(policy as unknown as Json, changes);
  const kept = Object.entries(merged).filter(([name, value]) => value !== null || !optional.includes(name));
  return policyOf(Object.fromEntries(kept), asOf, modelLabels);
}

function dayFaults(day: Day, point: Point): Fault[] {
  return Object.entries(point).flatMap(([name, value]) => {
    if (!isOfDay(name)) return [];
    const shown = JSON.stringify(value);
    if (!(name in dayParameters))
      return [{ path: name, value: shown, limit: `one of ${Object.keys(dayParameters).join(', ')}` }];
    if (name.startsWith('day.demand.') && day.demand === undefined)
      return [{ path: name, value: shown, limit: `a day with expected orders, which ${day.name} is not` }];
    const { min, max } = dayParameters[name as DayParameter];
    const holds = typeof value === 'number' && value >= min && value <= max;
    return holds ? [] : [{ path: name, value: shown, limit: `a number from ${min} to ${max}` }];
  });
}

/** Names that are none, and values that the day or its policy can't have. */
export function pointFaults(day: Day, point: Point): Fault[] {
  const view: RoundView = { asOf: day.startsAt, couriers: [], orders: [] };
  const { faults } = changed(day.policyAt(view), policyChanges(point), day.startsAt);
  return [...dayFaults(day, point), ...faults];
}

/** The day under the point's values. Throws CONFIG_INVALID with every fault. */
export function pointDay(day: Day, point: Point): Day {
  const changes = policyChanges(point);
  const faults = pointFaults(day, point);
  if (faults.length > 0) throw configError(faults);
  const value = (name: DayParameter): object => {
    const field = name.slice(name.lastIndexOf('.') + 1);
    return point[name] === undefined ? {} : { [field]: point[name] };
  };
  return {
    ...day,
    ...value('day.shiftLookaheadSeconds'),
    ...(point[lateChanges] !== undefined && { lateChanges: point[lateChanges] === 1 }),
    ...(day.demand && {
      demand: { ...day.demand, ...value('day.demand.memorySeconds'), ...value('day.demand.leastPerHour') },
    }),
    policyAt: (at) => changed(day.policyAt(at), changes, at.asOf).policy,
  };
}
