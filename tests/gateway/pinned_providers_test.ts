/**
 * `x@p` is only sent to the provider `p`, unless an alias or a listed model has exactly this name:
 * over every caller format, alias, pin, pattern of a key, and state of the provider.
 */

import { assert, assertEquals } from "@std/assert";
import { toCheckWarnings } from "../../src/config/warnings.ts";
import type { Fetch } from "../../src/upstream/transport.ts";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";
import { loadListed } from "../support/model_lists.ts";

type Json = Record<string, unknown>;

/** The providers that take any name come first, in the order of config.yaml. */
const OPEN = ["us", "asia"];
/** Enabled without the model, without credentials, absent, and with an empty list of the vendor. */
const CLOSED = ["eu", "dark", "absent", "dropped"];
const PROVIDERS = [...OPEN, ...CLOSED];
const SPELLINGS = ["x", "a@b", "x@us", "org/x", "", "models/x"];
const NAMES = PROVIDERS.flatMap((id) => SPELLINGS.map((model) => `${model}@${id}`));

const entry = (id: string, more: Json = {}): [string, Json] => [
  id,
  {
    kind: "openai_compatible",
    base_url: `http://${id}.test/v1`,
    api_key: `sk-${id}-0123456789`,
    models: ["known", { id: "vectors", upstream: "v" }],
    passthrough: ["POST *"],
    retries: 0,
    ...more,
  },
];

const KEYS: readonly (readonly string[] | undefined)[] = [
  undefined,
  ["*"],
  ["x*", "a*", "org/*", "@*", "models/*"],
  PROVIDERS.map((id) => `*@${id}`),
  NAMES,
];

const CONFIG = {
  server: {
    keys: KEYS.map((models, index) => ({
      name: `k${index}`,
      key: index === 0 ? SERVICE_KEY : `${SERVICE_KEY}-${index}`,
      ...(models && { models }),
    })),
  },
  providers: Object.fromEntries([
    ...OPEN.map((id) => entry(id, { allow_unlisted: true })),
    entry("eu"),
    entry("dark", { kind: "openai", api_key: "${UNSET}", models: ["x", "org/x", "known"] }),
    entry("absent", { models: "auto", if_running: true }),
    entry("dropped", { models: "auto" }),
  ]),
  aliases: {
    "*@eu": "known@us",
    "x@*": "known@us",
    "*": "known@us",
    later: ["x@dropped", "x@absent"],
    both: ["x@dropped", "x@asia"],
  },
  pins: { y: "asia", known: "asia" },
};

/** Which vendors a request reached, by the first label of the host. */
function gateway(config: Json = CONFIG) {
  const reached: string[] = [];
  const fetch: Fetch = (url) => {
    reached.push(new URL(url).hostname.split(".")[0] ?? "");
    return Promise.resolve(Response.json({ error: { message: "No" } }, { status: 400 }));
  };
  const { call } = createTestGateway({ config, fetch });
  return {
    async reach(path: string, body: unknown, key = 0) {
      reached.length = 0;
      const token = key === 0 ? SERVICE_KEY : `${SERVICE_KEY}-${key}`;
      const response = await call(path, body, { authorization: `Bearer ${token}` });
      return { status: response.status, text: await response.text(), reached: [...reached] };
    },
  };
}

const messages = [{ role: "user", content: "Hi" }];
const contents = [{ parts: [{ text: "Hi" }] }];
const inPath = (model: string) => encodeURIComponent(model);

/** All endpoints that name a model, with the name as a client writes it. */
const ENDPOINTS: Readonly<Record<string, (model: string) => readonly [string, unknown?]>> = {
  chat: (model) => ["/v1/chat/completions", { model, messages }],
  fallback: (model) => ["/v1/chat/completions", { model, models: [model], messages }],
  embeddings: (model) => ["/v1/embeddings", { model, input: "a" }],
  messages: (model) => ["/v1/messages", { model, messages, max_tokens: 9 }],
  count: (model) => ["/v1/messages/count_tokens", { model, messages }],
  responses: (model) => ["/v1/responses", { model, input: "Hi" }],
  "responses count": (model) => ["/v1/responses/input_tokens", { model, input: "Hi" }],
  gemini: (model) => [`/v1beta/models/${inPath(model)}:generateContent`, { contents }],
  "gemini stream": (model) => [`/v1beta/models/${model}:streamGenerateContent`, { contents }],
  "gemini count": (model) => [`/v1beta/models/${inPath(model)}:countTokens`, { contents }],
  ollama: (model) => ["/api/chat", { model, messages }],
  "ollama tag": (model) => ["/api/chat", { model: `${model}:latest`, messages }],
  generate: (model) => ["/api/generate", { model: `${model}:latest`, prompt: "Hi" }],
  embed: (model) => ["/api/embed", { model: `${model}:latest`, input: "Hi" }],
  rerank: (model) => ["/v1/rerank", { model, query: "a", documents: ["b"] }],
  moderations: (model) => ["/v1/moderations", { model, input: "a" }],
  images: (model) => ["/v1/images/generations", { model, prompt: "a" }],
  speech: (model) => ["/v1/audio/speech", { model, input: "a", voice: "b" }],
  us: (model) => ["/v1/providers/us/proxy/chat/completions", { model, messages }],
};

const withAliases = gateway();
const withoutAliases = gateway({ ...CONFIG, aliases: {} });

for (const [endpoint, toCall] of Object.entries(ENDPOINTS)) {
  Deno.test(`x@p is only sent to p: ${endpoint}`, async () => {
    let answered = 0;
    for (const [index, name] of [...NAMES, ...NAMES].entries()) {
      const { reach } = index < NAMES.length ? withAliases : withoutAliases;
      const provider = name.slice(name.lastIndexOf("@") + 1);
      for (const key of KEYS.keys()) {
        const { reached, status, text } = await reach(...toCall(name), key);
        const what = `${name} with key ${key}: ${status} ${text}`;
        assertEquals(reached.filter((one) => one !== provider), [], what);
        answered += reached.length + (status === 200 ? 1 : 0);
        // The request has no other reason to be refused.
        if (reached.length === 0 && CLOSED.includes(provider)) assertEquals(status, 404, what);
      }
    }
    assert(answered > 0, "no request was answered at all");
  });
}

Deno.test("x@p is shown as a model of p or as unknown", async () => {
  const { reach } = gateway();
  for (const name of NAMES) {
    const { status, text } = await reach(`/v1/models/${inPath(name)}`, undefined);
    const provider = name.slice(name.lastIndexOf("@") + 1);
    assertEquals(status, OPEN.includes(provider) && !name.startsWith("@") ? 200 : 404, name);
    const shown = await reach("/api/show", { model: `${name}:latest` });
    assertEquals(shown.status, status, `${name}: ${text}`);
  }
});

Deno.test("the targets of an alias reach the providers that they name", async () => {
  const { reach } = gateway();
  const ask = async (model: string) => (await reach("/v1/chat/completions", { model, messages }));
  assertEquals((await ask("later")).status, 404);
  assertEquals((await ask("both")).reached, ["asia"]);
});

Deno.test("a pin holds for names that no provider lists, and while its provider has none", async () => {
  const { reach } = gateway();
  const ask = async (model: string, config?: Json) =>
    await (config ? gateway(config).reach : reach)("/v1/chat/completions", { model, messages });
  const plain = { ...CONFIG, aliases: { fast: "y" } };
  assertEquals((await ask("y", plain)).reached, ["asia"]);
  assertEquals((await ask("fast", plain)).reached, ["asia"]);
  assertEquals((await ask("known")).reached, ["asia"]);
  const dropped = { ...CONFIG, aliases: { fast: "known" }, pins: { known: "dropped" } };
  for (const model of ["known", "fast"]) {
    const { reached, status, text } = await ask(model, dropped);
    assertEquals([reached, status], [[], 404], text);
  }
  assertEquals((await ask("known@us", dropped)).reached, ["us"]);
  assertEquals((await ask("known", { ...dropped, pins: { known: "dark" } })).reached, ["us"]);
});

Deno.test("aliases and listed models keep names with the ID of a provider, and check warns", async () => {
  const config = {
    ...CONFIG,
    providers: {
      ...CONFIG.providers,
      ...Object.fromEntries([entry("us", { models: ["m@eu", "m@us", "weird@2024"] })]),
    },
    aliases: { "fast@eu": "m@us", "own@eu": "known@eu", "any*@dark": "m@us" },
    pins: {},
  };
  const { reach } = gateway(config);
  for (const model of ["m@eu", "weird@2024", "fast@eu"]) {
    const { reached } = await reach("/v1/chat/completions", { model, messages });
    assertEquals(reached, ["us"], model);
  }
  const loaded = loadListed(config.providers, () => undefined, { aliases: config.aliases });
  const warnings = toCheckWarnings(loaded).filter((text) => text.includes("@"));
  assertEquals(warnings, [
    "providers.us.models: 'm@eu' is a model of 'us', although its name ends in the ID of the provider 'eu'",
    "aliases.fast@eu: has targets at 'us', although its name ends in the ID of the provider 'eu'",
    "aliases.any*@dark: matches no name, because names that end in '@dark' only reach the provider 'dark'",
  ]);
});

Deno.test("a target or a pin that no provider can have is an error", () => {
  const providers = Object.fromEntries([entry("us", { allow_unlisted: true }), entry("eu")]);
  const faults = (others: Json) => {
    try {
      loadListed(providers, () => undefined, others);
      return [];
    } catch (error) {
      return String(error).match(/(?<=: )(unknown model|no provider lists|provider '\w+' does)/g);
    }
  };
  assertEquals(faults({ aliases: { a: "later@eu" } }), ["unknown model"]);
  assertEquals(faults({ aliases: { a: "later@us" } }), []);
  assertEquals(faults({ pins: { later: "eu" } }), ["provider 'eu' does"]);
  assertEquals(faults({ pins: { "later@us": "us" } }), ["no provider lists"]);
  assertEquals(faults({ pins: { later: "us" } }), []);
  assertEquals(faults({ limits: { models: { "later@eu": {} } } }), ["no provider lists"]);
});
