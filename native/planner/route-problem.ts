/** One courier's stops to put in order, as cuda/route_planner/algo/problem.hpp has it. Whole seconds. */
export interface RouteProblem {
  readonly orders: readonly RouteOrder[];
  /** Numbered 1, 2, … in this order. */
  readonly stops: readonly RouteStop[];
  /** Row and column 0 are the courier's place; asymmetric, and the triangle inequality may fail. */
  readonly travel: readonly (readonly number[])[];
  readonly weights: {
    readonly lateness: number | bigint;
    readonly duration: number | bigint;
    readonly freshness: number | bigint;
  };
  readonly startAt: number;
  readonly capacity: number;
  /** No pickup is served after it; null for no limit. */
  readonly latestPickup: number | null;
  /** False: every held stop comes before any stop of the bundle. */
  readonly interleave: boolean;
}

export interface RouteOrder {
  readonly ready: number;
  readonly promised: number;
  readonly latestDropoff: number | null;
  readonly size: number;
  readonly onBoard: boolean;
}

export interface RouteStop {
  readonly kind: 'pickup' | 'dropoff';
  readonly group: 'held' | 'bundle';
  /** Indices into `orders`; exactly one at a drop-off. */
  readonly orders: readonly number[];
  readonly preService: number;
  readonly postService: number;
}

export interface RoutePlan {
  /** False: no sequence obeys the hard limits (or, where `unproven`, none was found). */
  readonly feasible: boolean;
  /** The heuristic answered. */
  readonly unproven: boolean;
  readonly cost: bigint;
  /** Stop numbers in visiting order; empty if infeasible. */
  readonly stops: readonly number[];
  /** Nodes of the search tree that were expanded. */
  readonly nodes: bigint;
}

/** A problem that the planner does not take, and why. */
export interface RouteRefusal {
  readonly refused: string;
}
