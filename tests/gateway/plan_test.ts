/** Plans of models: when they are made and kept, and which features are in them. */

import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { createFeatures, FeatureState } from "../../src/features/list.ts";
import type { ApiKind, Feature } from "../../src/gateway/feature.ts";
import { State } from "../../src/gateway/state.ts";
import { Plans } from "../../src/gateway/plan.ts";
import { MemoryStore } from "../../src/memory/store.ts";
import { createCarrier, loadTestConfig } from "../support/gateway.ts";
import { ManualClock } from "../support/manual_clock.ts";

const CHAT: ApiKind = { format: "chat_completions", idPrefix: "chatcmpl-", operation: "chat" };
const MESSAGES: ApiKind = { ...CHAT, format: "messages" };
const EMBEDDINGS: ApiKind = { ...CHAT, format: "embeddings", operation: "embeddings" };

const OPENAI = { kind: "openai", api_key: "sk-1", models: ["gpt-4o", "gpt-4o-mini"] };
const CLAUDE = { kind: "anthropic", api_key: "sk-2", models: ["claude-sonnet-4-5"] };
const VERTEX = { kind: "vertex", api_key: "k", project: "p", models: ["claude-sonnet-4-5"] };

function configOf(more: JsonObject = {}) {
  return loadTestConfig({
    providers: { openai: OPENAI, claude: CLAUDE },
    aliases: { smart: ["gpt-4o", "claude-sonnet-4-5"], "any-*": "gpt-4o" },
    ...more,
  });
}

/** Counts how often features plan. */
function counting() {
  const planned: string[] = [];
  const feature: Feature = {
    name: "counting",
    plan({ configuredName }, { format }) {
      planned.push(`${configuredName} ${format}`);
      return undefined;
    },
  };
  return { planned, plans: new Plans([feature]) };
}

Deno.test("a plan is made once for each name, configuration and kind of request", () => {
  const { planned, plans } = counting();
  const config = configOf();
  const plan = plans.find("gpt-4o", config);
  for (const api of [CHAT, CHAT, MESSAGES, CHAT]) plan?.features(api);
  assertStrictEquals(plans.find("gpt-4o", config), plan);
  plans.find("smart", config)?.features(CHAT);
  assertStrictEquals(plans.find("gpt-4o", config), plan);
  assertEquals(planned, ["gpt-4o chat_completions", "gpt-4o messages", "smart chat_completions"]);
  const next = configOf();
  const reloaded = plans.find("gpt-4o", next);
  assertStrictEquals(reloaded?.config, next);
  assertStrictEquals(plans.find("gpt-4o", config), plan);
});

Deno.test("a plan knows its route, alias, pattern and targets", () => {
  const plans = new Plans([]);
  const config = configOf();
  const rows = ["gpt-4o", "smart", "any-thing", "smart", "nothing@openai"].map((name) => {
    const plan = plans.find(name, config);
    const targets = plan?.targets.map(({ provider, model }) =>
      `${model.id}@${provider.settings.id}`
    );
    return plan && [plan.model, plan.alias, plan.pattern, plan.configuredName, targets];
  });
  const both = ["gpt-4o@openai", "claude-sonnet-4-5@claude"];
  assertEquals(rows.map((row) => row?.slice(0, 4)), [
    ["gpt-4o", undefined, undefined, "gpt-4o"],
    ["smart", "smart", undefined, "smart"],
    ["any-thing", "any-*", "any-*", "any-*"],
    ["smart", "smart", undefined, "smart"],
    undefined,
  ]);
  for (const target of both) assert(rows[1]?.[4]?.includes(target));
  assertStrictEquals(plans.find("gpt-4o", config)?.route, config.route("gpt-4o"));
});

Deno.test("the targets of fallback models belong to a plan that is not kept", () => {
  const plans = new Plans([]);
  const config = configOf();
  const plan = plans.find("gpt-4o", config);
  const targets = plan?.with(["claude-sonnet-4-5", "unknown"]).targets ?? [];
  assert(targets.some(({ model }) => model.id === "claude-sonnet-4-5"));
  assert(!plan?.targets.some(({ model }) => model.id === "claude-sonnet-4-5"));
  assertStrictEquals(plans.find("gpt-4o", config), plan);
});

Deno.test("names that only callers know do not displace plans of configured names", () => {
  const { planned, plans } = counting();
  const config = configOf();
  const plan = plans.find("gpt-4o", config);
  const first = plans.find("any-0", config);
  for (let index = 0; index < 600; index++) plans.find(`any-${index}`, config);
  assertStrictEquals(plans.find("gpt-4o", config), plan);
  assert(plans.find("any-0", config) !== first);
  const last = plans.find("any-599", config);
  plans.find("gpt-4o", config);
  assertStrictEquals(plans.find("any-599", config), last);
  const long = `any-${"x".repeat(300)}`;
  const longPlan = plans.find(long, config);
  plans.find("gpt-4o", config);
  assert(longPlan !== undefined && plans.find(long, config) !== longPlan);
  assertEquals(planned, []);
});

/** The names of the features in a plan. */
function namesIn(model: string, api: ApiKind, more: JsonObject = {}): readonly string[] {
  const clock = new ManualClock();
  const reasoning = createCarrier(clock);
  const cache = new MemoryStore(() => ({ bytes: 0, ttlMs: 0 }), () => 0);
  const secret = new Uint8Array(32);
  const state = new FeatureState(new State());
  const deps = { reasoning, clock, newId: (prefix: string) => prefix, cache, secret, state };
  const config = configOf(more);
  return createFeatures(deps).flatMap((feature) => {
    const plan = new Plans([feature]).find(model, config);
    return plan?.features(api).length ? [feature.name] : [];
  });
}

Deno.test("features that cannot act are not in the plan", () => {
  const [state, cap, marks] = ["reasoning_state", "cost_cap", "prompt_caching"];
  const rows: readonly (readonly [string, ApiKind, JsonObject, readonly string[]])[] = [
    ["gpt-4o", CHAT, {}, [state, cap]],
    ["gpt-4o", EMBEDDINGS, {}, [cap]],
    ["claude-sonnet-4-5", CHAT, {}, [state, marks, cap]],
    ["claude-sonnet-4-5", MESSAGES, {}, [state, marks, cap]],
    ["smart", CHAT, {}, ["price_order", state, marks, cap]],
    ["claude-sonnet-4-5", CHAT, { routing: { prompt_caching: "client" } }, [state, cap]],
    ["gpt-4o", CHAT, { routing: { prompt_caching: "off" } }, [state, cap]],
    ["gpt-4o", CHAT, { routing: { cache: { ttl: "1h" } } }, ["response_cache", state, cap]],
    ["gpt-4o", CHAT, { routing: { queue: {}, hedge: {} } }, ["queue", "hedging", state, cap]],
    ["gpt-4o", CHAT, { routing: { on_stream_failure: "continue" } }, ["continuation", state, cap]],
    ["gpt-4o", { ...CHAT, callsNoModel: true }, { routing: { cache: { ttl: "1h" } } }, [state]],
    ["gpt-4o", CHAT, { routing: { affinity: {} } }, ["affinity", state, "session_hints", cap]],
    ["claude-sonnet-4-5", CHAT, { providers: { openai: OPENAI, vertex: VERTEX } }, [
      state,
      marks,
      cap,
    ]],
  ];
  for (const [model, api, more, expected] of rows) {
    assertEquals(namesIn(model, api, more), expected, JSON.stringify([model, api, more]));
  }
});
