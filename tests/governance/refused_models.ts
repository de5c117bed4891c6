/** Requests that are refused before a target is called: reports know the models that they named. */

import { assertEquals } from "@std/assert";
import type { UsageStore } from "../../src/governance/ledger/usage_store.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";
import type { StoreTest } from "../support/store_kinds.ts";

const PRICES = { input: 1, output: 1 };

/** The answer that uses the budget up. */
const MESSAGE = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "budget", stop_reason: "end_turn" },
  ...{ content: [{ type: "text", text: "Hi" }], usage: { input_tokens: 10, output_tokens: 10 } },
};

/** Each kind of refusal has its own model, and a key of the same name. */
interface Refusal {
  readonly status: number;
  readonly code: string | null;
  readonly key?: Record<string, unknown>;
  readonly members?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly path?: string;
  /** Requests before the one that is refused. */
  readonly before?: number;
  /** The members of the model's entry. */
  readonly model?: Record<string, unknown>;
}

const RATE = { status: 429, code: "rate_limit_exceeded" } as const;
const PAST = { status: 400, code: "max_price_exceeded" } as const;

const REFUSALS: Readonly<Record<string, Refusal>> = {
  "key-limit": { ...RATE, key: { limits: { requests_per_minute: 1 } }, before: 1 },
  "model-limit": { ...RATE, before: 1 },
  "too-many-tokens": {
    ...{ status: 400, code: "too_many_tokens" },
    key: { limits: { tokens_per_minute: 10 } },
    members: { messages: [{ role: "user", content: "many words ".repeat(50) }] },
  },
  "budget": {
    ...{ status: 429, code: "insufficient_quota" },
    ...{ key: { budget: { usd: 0.000001, per: "day" } }, before: 1 },
  },
  "no-price": {
    ...{ status: 403, code: "price_unknown" },
    ...{ key: { budget: { usd: 1, per: "day" } }, model: { prices: undefined } },
  },
  "max-cost": { ...PAST, headers: { "x-sluice-max-cost": "0.000000001" } },
  "max-price": { ...PAST, members: { provider: { max_price: { prompt: 0.5 } } } },
  "strict": {
    ...{ status: 400, code: "unsupported_parameter" },
    ...{ members: { logit_bias: { "1": 1 } }, headers: { "x-sluice-strict": "true" } },
  },
  "content": {
    ...{ status: 400, code: "unsupported_content" },
    members: { messages: [{ role: "user", content: [{ type: "hologram" }] }] },
  },
  "operation": {
    ...{ status: 400, code: "unsupported_operation" },
    ...{ path: "/v1/embeddings", members: { messages: undefined, input: "Hi" } },
  },
  "spelling": {
    ...{ status: 400, code: "invalid_value" },
    members: { mAx_tokens: 1 },
  },
  "option": {
    ...{ status: 400, code: "invalid_value" },
    headers: { "x-sluice-deadline-ms": "soon" },
  },
  "breaker": { status: 503, code: "upstream_unavailable", before: 5 },
};

const NAMES = Object.keys(REFUSALS);
/** Names of models that are no groups: callers may invent any number of them. */
const NONE = ["invented", "forbidden"];

const CONFIG = {
  server: {
    keys: [
      ...NAMES.map((name) => ({ name, key: `sk-${name}`, ...REFUSALS[name]?.key })),
      { name: "limited", key: "sk-limited", models: ["key-limit"] },
    ],
  },
  limits: { models: { "model-limit": { requests_per_minute: 1 } } },
  providers: {
    claude: {
      ...{ kind: "anthropic", api_key: VENDOR_KEY },
      models: [
        ...NAMES.map((id) => ({ id, prices: PRICES, ...REFUSALS[id]?.model })),
        { id: "forbidden" },
      ],
    },
  },
};

async function run(store: UsageStore): Promise<void> {
  const waiting: Promise<void>[] = [];
  const gateway = createTestGateway({
    config: CONFIG,
    fetch: (_, init) => {
      const { model } = JSON.parse(String(init.body));
      return model === "budget"
        ? Promise.resolve(Response.json(MESSAGE))
        : Promise.resolve(Response.json({ error: { type: "api_error" } }, { status: 503 }));
    },
    usage: {
      count: (query) => store.count(query),
      list: (query) => store.list(query),
      summarize: (query) => store.summarize(query),
      write: (rows, id) => {
        const written = Promise.resolve(store.write(rows, id));
        waiting.push(written);
        return written;
      },
    },
  });
  const ask = async (model: string, key: string, refusal: Partial<Refusal> = {}) => {
    const { path = CHAT, members, headers } = refusal;
    const body = { model, messages: MESSAGES, ...members };
    const sent = { authorization: `Bearer ${key}`, ...headers };
    const response = await gateway.call(path, body, sent);
    return [response.status, (await response.json()).error?.code];
  };
  for (const [name, refusal] of Object.entries(REFUSALS)) {
    for (let at = 0; at < (refusal.before ?? 0); at++) await ask(name, `sk-${name}`, refusal);
    const told = await ask(name, `sk-${name}`, refusal);
    assertEquals([name, ...told], [name, refusal.status, refusal.code]);
  }
  await ask("invented", "sk-option");
  await ask("forbidden", "sk-limited");
  gateway.flush();
  await Promise.all(waiting);
  const range = { from: 0, to: gateway.clock.wallTime() + 1 };
  const groups = await store.summarize({ ...range, groupBy: ["model"] });
  const counted = new Map(groups.map(({ group, requests }) => [group[0], requests]));
  for (const name of NAMES) {
    assertEquals([name, counted.get(name)], [name, 1 + (REFUSALS[name]?.before ?? 0)]);
    const { rows } = await store.list({ model: name, limit: 10 });
    assertEquals(rows[0]?.model, name);
  }
  assertEquals(counted.get(null), NONE.length);
  assertEquals(counted.size, NAMES.length + 1);
}

export const REFUSED_MODELS: readonly StoreTest[] = [
  { what: "what is refused before a target is called counts for its model", run },
];
