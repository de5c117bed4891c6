/** The interface of a strategy, which orders equal targets for one request. */

import type { Balance, FallbackTarget, Target } from "../../config/config.ts";
import type { RoutingPolicy } from "../../config/routing_schema.ts";
import type { Clock } from "../../core/clock.ts";
import type { RouteOptions, RouteTrace } from "./route_trace.ts";
import type { TargetStats } from "../target_stats.ts";

/** The inputs for ordering, in addition to the targets. */
export interface OrderContext {
  /** Returns a number from 0 to 1, excluding 1. */
  readonly random: () => number;
  readonly clock: Pick<Clock, "now">;
  /** Whether the answer is streamed. */
  readonly stream: boolean;
  readonly state: OrderState;
  /** An estimate of the request's tokens. */
  readonly tokens: number;
  /**
   * The group whose leader is stored, if some of its targets are excluded; otherwise the targets.
   */
  readonly group?: readonly FallbackTarget[];
  /** The caller's choices, if any. */
  readonly options?: RouteOptions | undefined;
  /** Receives the decisions. */
  readonly notes: RouteTrace;
  /** How features order targets. */
  readonly order?: TargetOrder | undefined;
}

/** A group of targets to order. */
export interface OrderedGroup {
  readonly balance: Balance;
  readonly policy: RoutingPolicy;
}

/** Orders a request's targets for a feature. Must not change state that outlives the request. */
export interface TargetOrder {
  /**
   * Orders the targets of a group.
   *
   * @returns undefined to use the group's `balance` instead
   */
  group?(
    targets: readonly FallbackTarget[],
    group: OrderedGroup,
    context: OrderContext,
  ): readonly FallbackTarget[] | undefined;
  /** Orders groups with these balances. */
  readonly strategies?: Strategies;
  /** Changes the order of all groups in a route together. */
  route?(
    targets: readonly FallbackTarget[],
    policy: RoutingPolicy,
    context: OrderContext,
  ): readonly FallbackTarget[];
}

/** Statistics of the targets from earlier requests. */
export interface OrderState {
  statsOf(target: Target): TargetStats;
  /** Whether a request is within the vendor's rate limits, as far as is known. */
  hasRoom(target: Target, tokens: number, now: number): boolean;
  /**
   * Stores the preferred target of each group, so that small differences do not change the order.
   */
  readonly leaders: Leaders;
}

/** The preferred target of each group, separately for streams and for whole answers. */
export interface Leaders {
  get(group: readonly FallbackTarget[], stream: boolean): FallbackTarget | undefined;
  set(group: readonly FallbackTarget[], stream: boolean, leader: FallbackTarget): void;
}

/** Orders the targets of one group. Returns each target once and changes only the leaders. */
export type Strategy = (
  targets: readonly FallbackTarget[],
  context: OrderContext,
) => readonly FallbackTarget[];

/** Strategies by their names in config.yaml. */
export type Strategies = Readonly<Partial<Record<Balance, Strategy>>>;

/** Another target is preferred only if it is better by this factor. */
export const SWITCH_FACTOR = 0.85;

/** The same targets with one of them moved to the front. */
export function withFirst(
  first: FallbackTarget | undefined,
  targets: readonly FallbackTarget[],
): readonly FallbackTarget[] {
  if (first === undefined || first === targets[0]) return targets;
  return [first, ...targets.filter((target) => target !== first)];
}
