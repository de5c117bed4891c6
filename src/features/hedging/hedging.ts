/** The hedging feature: calls a second target if the first one takes too long. */

import type { FallbackTarget, HedgeRule, Target } from "../../config/config.ts";
import type { CallerRequest, Feature, RequestFeature } from "../../gateway/feature.ts";
import type { AttemptRules, TargetAnswer, TargetAsking } from "../../gateway/feature_attempts.ts";
import { type HedgePlan, Hedger, type HedgerDeps, isSecondTarget } from "./hedger.ts";
import type { Clock } from "../../core/clock.ts";
import type { HedgingState } from "./hedging_state.ts";
import type { State } from "../../gateway/state.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isMarked } from "../../apis/chat/call_ids.ts";

interface HedgeContext {
  readonly rules: AttemptRules | undefined;
  readonly clock: Clock;
  readonly hedging: HedgingState;
  readonly state: State;
}

/** Hedges requests, if their model's policy enables it. */
export function hedging(deps: HedgerDeps): Feature {
  return {
    name: "hedging",
    plan({ configuredName: name, policy: { hedge: rule } }, { copies }) {
      if (rule === undefined) return undefined;
      const single = { explain: () => ({ hedge: none("stateful_request") }) };
      if (copies === undefined) return { start: () => single };
      return {
        start: (request) =>
          mayHedge(request.body, copies === "unless_stored")
            ? new HedgedRequest({ name, rule }, request, deps)
            : single,
      };
    },
  };
}

/** One request that may be hedged. */
class HedgedRequest implements RequestFeature {
  readonly #plan: HedgePlan;
  readonly #request: CallerRequest;
  readonly #deps: HedgerDeps;
  #hedger: Hedger | undefined;

  constructor(plan: HedgePlan, request: CallerRequest, deps: HedgerDeps) {
    this.#plan = plan;
    this.#request = request;
    this.#deps = deps;
  }

  target<Answer extends TargetAnswer>(
    target: Target,
    asking: TargetAsking<Answer>,
  ): Promise<Answer> {
    this.#hedger ??= new Hedger(this.#plan, asking, this.#deps);
    return this.#hedger.ask(target, asking);
  }

  explain(chain: readonly FallbackTarget[], rules: AttemptRules | undefined) {
    return { hedge: explainHedge(this.#plan.rule, this.#request, chain, { ...this.#deps, rules }) };
  }
}

/**
 * The hedge of a request, or the reason why it has none. The rule's share and cost limit are
 * checked only when the hedge is due.
 *
 * @param chain the targets in order
 */
function explainHedge(
  rule: HedgeRule,
  { bytes, stream }: Pick<CallerRequest, "bytes" | "stream">,
  chain: readonly FallbackTarget[],
  { rules, clock, hedging, state }: HedgeContext,
): JsonObject {
  const [first, ...others] = chain;
  const now = clock.now();
  if (first === undefined) return none("no_second_target");
  const seconds = others.filter((entry) => isSecondTarget(entry, first.target, state, now));
  if (seconds.length === 0) return none("no_second_target");
  const second = seconds.find(({ target }) =>
    rules?.allowsBeside?.(target, first.target) !== false
  );
  if (second === undefined) return none("max_cost");
  const stats = state.statsOf(first.target);
  const ms = hedging.delayOf(rule, { stats, stream, bytes }, now);
  if (ms === undefined) return none("too_few_answers");
  const { provider, model } = second.target;
  return { provider: provider.settings.id, model: model.upstream, after_ms: Math.round(ms) };
}

/** Why there is no hedge. */
function none(reason: string): JsonObject {
  return { provider: null, model: null, after_ms: null, reason };
}

/** Members that make a request store data, or that refer to stored data. */
const STATEFUL = [
  "background",
  "container",
  "conversation",
  "mcp_servers",
  "plugins",
  "previous_response_id",
  "prompt",
  "web_search_options",
];

/** Types of tools that the client runs. */
const CLIENT_TOOLS = new Set<unknown>([undefined, null, "custom", "function"]);

/** Types of content that are bound to the vendor that created it. */
const BOUND_TYPES = new Set<unknown>([
  ...["thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"],
  ...["reasoning", "compaction", "item_reference", "container_upload"],
]);

/** Members with reasoning state. */
const BOUND_MEMBERS = ["encrypted_content", "extra_content", "reasoning_details", "signature"];

/** Members with a tool call ID, which may carry reasoning state. */
const CALL_IDS = ["call_id", "id", "tool_call_id", "tool_use_id"];

/**
 * Whether a second copy of a request is harmless: it uses no server tools, neither stores nor
 * refers to stored data, asks for one answer, does not use a discounted slow tier, and is not bound
 * to a vendor by signatures or reasoning state.
 *
 * @param storesByDefault whether answers are stored unless `store` is false
 */
function mayHedge(body: JsonObject, storesByDefault = false): boolean {
  const { n, service_tier: tier, store, tools } = body;
  if (store === true || storesByDefault && store !== false) return false;
  if (typeof n === "number" && n > 1 || tier === "flex" || tier === "batch") return false;
  if (STATEFUL.some((name) => isSet(body[name]))) return false;
  const hasServerTool = Array.isArray(tools) &&
    tools.some((tool) => isObject(tool) && !CLIENT_TOOLS.has(tool.type));
  return !hasServerTool && !isBound(body.messages) && !isBound(body.input);
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false &&
    !(Array.isArray(value) && value.length === 0);
}

/** Whether one of these messages, items or blocks contains a vendor's state. */
function isBound(list: unknown): boolean {
  return Array.isArray(list) && list.some((entry) => isObject(entry) && isBoundEntry(entry));
}

function isBoundEntry(entry: JsonObject): boolean {
  return BOUND_TYPES.has(entry.type) || BOUND_MEMBERS.some((name) => isSet(entry[name])) ||
    CALL_IDS.some((name) => isMarkedId(entry[name])) ||
    isBound(entry.content) || isBound(entry.tool_calls);
}

function isMarkedId(id: unknown): boolean {
  return typeof id === "string" && isMarked(id);
}
