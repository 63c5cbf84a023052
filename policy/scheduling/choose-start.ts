import type { SchedulerSettings } from './settings';
import type { StartPlan } from './plan-start';

/** The head of a cost class with what would become of it on each device that is large enough for it. */
export interface HeadPlans {
  readonly plans: readonly StartPlan[];
  readonly earliest: StartPlan;
  /** Milliseconds that it has left. */
  readonly leftMs: number;
  /** It goes although it is late by prediction, or nothing is known of it yet. */
  readonly isTrial: boolean;
}

/** May change from decision to decision. */
export type StartSettings = Pick<
  SchedulerSettings,
  'cushionMs' | 'cushionShare' | 'bufferShare' | 'headStart'
>;

export interface StartChoice {
  readonly chosen: StartPlan | null;
  /** Milliseconds until the choice is another one, if nothing else happens. */
  readonly untilMs: number;
}

interface Ranked {
  readonly plan: StartPlan;
  readonly head: HeadPlans;
  /** It might miss its deadline if everything that waits went first. */
  readonly isPressing: boolean;
}

/** A millisecond less to do for its resource makes up for so many of a later arrival. */
const interlockWeight = 20;
/** A clock may not be finer. */
const leastWaitMs = 0.05;

/**
 * Which head starts now, and where. A device is good enough for a shard where it would be done no later than
 * everything that waits; a shard may start once holding it any longer would let a resource run dry. Of those the
 * pressing ones go by deadline, the others by arrival, length, and how soon their resource would run dry.
 */
export function chooseStart(
  heads: readonly HeadPlans[],
  drainMs: number,
  hasRoom: (plan: StartPlan) => boolean,
  settings: StartSettings,
): StartChoice {
  const longest = heads.reduce((most, { earliest }) => Math.max(most, earliest.longestPhaseMs), 0);
  const cushionMs = settings.cushionMs + settings.cushionShare * longest;
  const bufferMs = settings.bufferShare * longest;
  let best: Ranked | null = null;
  let untilMs = Infinity;
  for (const head of heads) {
    if (!head.isTrial) untilMs = Math.min(untilMs, head.leftMs - head.earliest.finishMs);
    const isPressing = head.leftMs - head.earliest.finishMs < drainMs;
    for (const plan of head.plans) {
      if (!isGoodEnough(plan, head, drainMs) || plan.device.isFullOf(plan.held.shard.model)) continue;
      const heldMs = plan.device.isShortOf(plan.held.shard.model)
        ? 0
        : Math.max(plan.holdMs - cushionMs, plan.queueMs - cushionMs - bufferMs);
      if (heldMs > 0) untilMs = Math.min(untilMs, heldMs);
      else if (hasRoom(plan)) {
        const ranked = { plan, head, isPressing };
        if (best === null || goesBefore(ranked, best, settings.headStart)) best = ranked;
      }
    }
  }
  return { chosen: best?.plan ?? null, untilMs: Math.max(leastWaitMs, untilMs) };
}

function isGoodEnough(plan: StartPlan, head: HeadPlans, drainMs: number): boolean {
  if (plan === head.earliest) return true;
  if (!head.isTrial && plan.finishMs > head.leftMs) return false;
  return plan.finishMs <= Math.max(drainMs, head.earliest.finishMs);
}

function goesBefore(a: Ranked, b: Ranked, headStart: number): boolean {
  if (a.head === b.head) return a.plan.finishMs < b.plan.finishMs;
  if (a.isPressing !== b.isPressing) return a.isPressing;
  if (a.isPressing && a.head.leftMs !== b.head.leftMs) return a.head.leftMs < b.head.leftMs;
  const before = dueMs(a, headStart) - dueMs(b, headStart);
  if (before !== 0) return before < 0;
  return a.plan.held.sequence < b.plan.held.sequence;
}

/** Lower ones first: the older, the longer, and those whose resource has less to do. */
function dueMs({ plan, head }: Ranked, headStart: number): number {
  return plan.held.arrivedMs - headStart * head.earliest.totalMs + interlockWeight * plan.aheadMs;
}
