/** What OpenAI's families of models accept, and which facts stand above the table. */

import { assert, assertEquals } from "@std/assert";
import type { ChatRequest, ReasoningEffort } from "../../../src/contract/chat.ts";
import type { ModelFacts } from "../../../src/contract/model_facts.ts";
import catalogue from "../../../src/providers/shared/catalogue.json" with { type: "json" };
import { factsOf } from "../../../src/providers/shared/catalogue.ts";
import { nearestEffort, openAiSupport } from "../../../src/providers/openai/models.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { failing, sayHello, ScriptedVendor, type Sent } from "../../support/scripted_vendor.ts";
import type { TargetModel } from "../../../src/contract/vendor_request.ts";

/** What becomes of the parameters that reasoning models are particular about. */
interface Fate {
  /** Whether sampling parameters go through: without an effort, with `none`, with `high`. */
  readonly samples: readonly [absent: boolean, none: boolean, high: boolean];
  readonly renamesMaxTokens: boolean;
  readonly takesStop: boolean;
  readonly takesEffort: boolean;
}

function fateOf(base: string, facts: ModelFacts = {}): Fate {
  const model: TargetModel = { id: "m", upstream: "m", base, facts };
  const verdicts = (reasoning_effort?: ReasoningEffort) =>
    openAiSupport(toRequest(reasoning_effort), model);
  const samples = (effort?: ReasoningEffort) => verdicts(effort).temperature === undefined;
  const plain = verdicts();
  return {
    samples: [samples(), samples("none"), samples("high")],
    renamesMaxTokens: plain.max_tokens?.level === "renamed",
    takesStop: plain.stop === undefined,
    takesEffort: plain.reasoning_effort === undefined,
  };
}

function toRequest(reasoning_effort?: ReasoningEffort): ChatRequest {
  return {
    model: "m",
    messages: [{ role: "user", content: "Hello?" }],
    ...(reasoning_effort && { reasoning_effort }),
  };
}

const PLAIN: Fate = {
  samples: [true, true, true],
  renamesMaxTokens: false,
  takesStop: true,
  takesEffort: false,
};
const REASONING = { renamesMaxTokens: true, takesStop: false, takesEffort: true };
/** Reasons whatever is asked. */
const ALWAYS: Fate = { ...REASONING, samples: [false, false, false] };
/** Reasons by default. */
const UNLESS_NONE: Fate = { ...REASONING, samples: [false, true, false] };
/** Reasons when told to. */
const WHEN_ASKED: Fate = { ...REASONING, samples: [true, true, false] };

const FAMILIES: readonly (readonly [id: string, fate: Fate])[] = [
  ["gpt-3.5-turbo", PLAIN],
  ["gpt-4o-mini-2024-07-18", PLAIN],
  ["gpt-4.1", PLAIN],
  ["chatgpt-4o-latest", PLAIN],
  ["gpt-5-chat-latest", PLAIN],
  ["ft:gpt-4.1-mini:acme::x1", PLAIN],
  ["gpt-4o-search-preview", { ...PLAIN, samples: [false, false, false] }],
  ["o1", { ...ALWAYS, takesStop: true }],
  ["o3", ALWAYS],
  ["o3-mini", { ...ALWAYS, takesStop: true }],
  ["o4-mini-2025-04-16", ALWAYS],
  ["ft:o4-mini:acme::x1", ALWAYS],
  ["gpt-5", ALWAYS],
  ["gpt-5-mini", ALWAYS],
  ["gpt-5-pro", ALWAYS],
  ["gpt-5-codex", ALWAYS],
  ["gpt-5.1", WHEN_ASKED],
  ["gpt-5.1-chat-latest", ALWAYS],
  ["gpt-5.1-codex-max", ALWAYS],
  ["gpt-5.2", WHEN_ASKED],
  ["gpt-5.2-pro", ALWAYS],
  ["gpt-5.3-chat-latest", ALWAYS],
  ["gpt-5.4-nano", WHEN_ASKED],
  ["gpt-5.4-pro", ALWAYS],
  ["gpt-5.5", UNLESS_NONE],
  ["gpt-5.5-pro-2026-04-23", ALWAYS],
  ["gpt-5.6-luna", UNLESS_NONE],
  ["gpt-6-astra", ALWAYS],
  ["gpt-6-sol", UNLESS_NONE],
  ["gpt-6-luna", UNLESS_NONE],
  ["gpt-6.1-sol", ALWAYS],
  ["gpt-6.1-terra", UNLESS_NONE],
  ["gpt-6.2-astra", ALWAYS],
];

for (const [id, fate] of FAMILIES) {
  Deno.test(`openAiSupport() takes the family with the longest prefix for ${id}`, () => {
    assertEquals(fateOf(id), fate);
  });
}

Deno.test("openAiSupport() does not change models of unknown families", () => {
  assertEquals(fateOf("llama-4"), { ...PLAIN, takesEffort: true });
});

Deno.test("openAiSupport() prefers facts of the model to those of its family", () => {
  assertEquals(fateOf("gpt-5", { capabilities: { reasoning: false } }), PLAIN);
  assertEquals(fateOf("gpt-5", { rejects_sampling_params: false }), {
    ...ALWAYS,
    samples: [true, false, false],
  });
  assertEquals(fateOf("gpt-4.1", { rejects_sampling_params: true }), {
    ...PLAIN,
    samples: [false, false, false],
  });
  const unknown = { capabilities: { reasoning: true }, rejects_sampling_params: true };
  assertEquals(fateOf("llama-4", unknown), { ...UNLESS_NONE, takesStop: true });
});

Deno.test("openAiSupport() agrees with the catalog on every model that both have", () => {
  const models = catalogue.filter(({ vendor }) => vendor === "openai").map(({ id }) => id);
  assert(models.length > 20);
  for (const id of models) assertEquals(fateOf(id, factsOf("openai", id)), fateOf(id), id);
});

Deno.test("openAiSupport() omits max_tokens if max_completion_tokens is set", () => {
  const both = { ...toRequest(), max_tokens: 6, max_completion_tokens: 6 };
  for (const base of ["gpt-5", "gpt-4o", "llama-4"]) {
    const model = { id: "m", upstream: "m", base, facts: {} };
    assertEquals(openAiSupport(both, model).max_tokens?.level, "ignored", base);
  }
});

const EFFORTS: readonly (readonly [id: string, asked: ReasoningEffort, sent: ReasoningEffort])[] = [
  ["gpt-5", "none", "minimal"],
  ["gpt-5", "minimal", "minimal"],
  ["gpt-5", "xhigh", "high"],
  ["gpt-5-pro", "low", "high"],
  ["gpt-5.1", "minimal", "none"],
  ["gpt-5.1", "max", "high"],
  ["gpt-5.1-chat-latest", "high", "medium"],
  ["gpt-5.1-codex-max", "max", "xhigh"],
  ["gpt-5.6-sol", "max", "max"],
  ["gpt-6.1-sol", "max", "xhigh"],
  ["gpt-6.1-sol", "none", "low"],
  ["o3", "none", "low"],
  ["llama-4", "max", "max"],
];

for (const [id, asked, sent] of EFFORTS) {
  Deno.test(`nearestEffort() makes ${asked} ${sent} for ${id}`, () => {
    assertEquals(nearestEffort(asked, id), sent);
  });
}

/** Sends a request with a temperature and max_tokens to one configured model. */
async function ask(model: string | Record<string, unknown>): Promise<[Sent["body"], Headers]> {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({
    config: { providers: { vendor: { kind: "openai", api_key: VENDOR_KEY, models: [model] } } },
    fetch: vendor.fetch,
  });
  const { headers } = await gateway.call("/v1/chat/completions", {
    model: typeof model === "string" ? model : model.id,
    messages: [{ role: "user", content: "Hello?" }],
    temperature: 0.2,
    max_tokens: 50,
  });
  return [vendor.body, headers];
}

Deno.test("a request is adapted to the upstream name, not to the name that callers use", async () => {
  const [body, headers] = await ask({ id: "gpt-4.1", upstream: "gpt-5" });
  assertEquals([body.temperature, body.max_completion_tokens], [undefined, 50]);
  assertEquals(headers.get("x-sluice-ignored"), "temperature");
  assertEquals(headers.get("x-sluice-converted"), "max_tokens->max_completion_tokens");
});

Deno.test("a request is adapted to base_model if the upstream name is unknown", async () => {
  const [body] = await ask({ id: "deployment", upstream: "prod-7", base_model: "gpt-5" });
  assertEquals(body.model, "prod-7");
  assertEquals([body.temperature, body.max_completion_tokens], [undefined, 50]);
});

Deno.test("a request is adapted to the config entry if it has more facts than the catalog", async () => {
  const [tolerant] = await ask({ id: "gpt-5", rejects_sampling_params: false });
  assertEquals([tolerant.temperature, tolerant.max_completion_tokens], [0.2, 50]);
  const [plain] = await ask({ id: "gpt-5", capabilities: { reasoning: false } });
  assertEquals([plain.temperature, plain.max_tokens], [undefined, 50]);
  const [strange] = await ask({ id: "x-1", rejects_sampling_params: true });
  assertEquals([strange.temperature, strange.max_tokens], [undefined, 50]);
});

const refusal = (param: string, message: string, code = "unsupported_parameter") => ({
  error: { message, type: "invalid_request_error", param, code },
});
const USE_OTHER = refusal(
  "max_tokens",
  "Unsupported parameter: 'max_tokens' is not supported with this model. " +
    "Use 'max_completion_tokens' instead.",
);

/** A vendor that refuses requests with a field that it does not know. */
function particular(field: string, body: unknown): ScriptedVendor {
  return new ScriptedVendor((sent) =>
    field in sent.body ? Response.json(body, { status: 400 }) : sayHello(sent)
  );
}

function gatewayOver(vendor: ScriptedVendor) {
  const gateway = createTestGateway({
    config: { providers: { vendor: { kind: "openai", api_key: VENDOR_KEY, models: ["x-1"] } } },
    fetch: vendor.fetch,
  });
  const messages = [{ role: "user", content: "Hello?" }];
  return (members: Record<string, unknown>, headers: Record<string, string> = {}) =>
    gateway.call("/v1/chat/completions", { model: "x-1", messages, ...members }, headers);
}

Deno.test("a model that requires max_completion_tokens gets it on the second attempt and later at once", async () => {
  const vendor = particular("max_tokens", USE_OTHER);
  const call = gatewayOver(vendor);
  for (const sent of [2, 3]) {
    const response = await call({ max_tokens: 9, seed: 1 });
    assertEquals(response.status, 200);
    assertEquals(
      response.headers.get("x-sluice-converted"),
      "max_tokens->max_completion_tokens",
    );
    assertEquals(response.headers.get("x-sluice-attempts"), "1");
    assertEquals(vendor.sent.length, sent);
    const { max_tokens, max_completion_tokens, seed } = vendor.sent.at(-1)?.body ?? {};
    assertEquals([max_tokens, max_completion_tokens, seed], [undefined, 9, 1]);
  }
});

Deno.test("a parameter that a model rejects is omitted and listed in the receipt", async () => {
  const vendor = particular("seed", refusal("seed", "Unknown parameter", "unknown_parameter"));
  const call = gatewayOver(vendor);
  const response = await call({ seed: 7, temperature: 0.5 });
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("x-sluice-ignored"), "seed");
  assertEquals(vendor.sent.at(-1)?.body.temperature, 0.5);
});

Deno.test("a strict request is not repaired: the caller gets the vendor's error", async () => {
  const vendor = particular("seed", refusal("seed", "Unknown parameter", "unknown_parameter"));
  const response = await gatewayOver(vendor)({ seed: 7 }, { "x-sluice-strict": "true" });
  assertEquals(response.status, 400);
  assertEquals((await response.json()).error.param, "seed");
  assertEquals(vendor.sent.length, 1);
});

Deno.test("repeated rejections of parameters do not cause endless attempts", async () => {
  const vendor = failing(400, refusal("seed", "Unknown parameter", "unknown_parameter"));
  const response = await gatewayOver(vendor)({ seed: 7 });
  assertEquals(response.status, 400);
  assertEquals(vendor.sent.length, 2);
});
