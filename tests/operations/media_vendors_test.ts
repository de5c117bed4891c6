/**
 * Images, speech, transcription, reranking and moderation at every kind of provider that has them:
 * failover, limits, receipts and explanations, as for chats.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { OPERATIONS } from "../../src/operations/list.ts";
import type { Adapter } from "../../src/providers/contract/adapter.ts";
import { adapters } from "../../src/providers/registry.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { serviceAccount, TOKEN_URI } from "../support/service_account.ts";

/** How an operation is tried. */
interface Trial {
  readonly path: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Whether the request is a form with a file. */
  readonly isForm?: boolean;
  /** The answer of the second provider, in OpenAI's format. */
  readonly answer: unknown;
  /** A limit that one request uses up, and the column of what it has used. */
  readonly limit: readonly [name: string, amount: number, column?: string];
}

const TRIALS: Readonly<Record<string, Trial>> = {
  images: {
    path: "/v1/images/generations",
    members: { prompt: "a cat" },
    answer: { created: 1, data: [{ b64_json: "aW1n" }] },
    limit: ["images_per_day", 1, "images"],
  },
  speech: {
    path: "/v1/audio/speech",
    members: { input: "Hello", voice: "alloy" },
    answer: undefined,
    limit: ["characters_per_day", 5, "characters"],
  },
  transcriptions: {
    path: "/v1/audio/transcriptions",
    members: {},
    isForm: true,
    answer: { text: "Hello", usage: { type: "duration", seconds: 3 } },
    limit: ["seconds_per_day", 3, "seconds"],
  },
  rerank: {
    path: "/v1/rerank",
    members: { query: "a", documents: ["a"] },
    answer: { results: [{ index: 0, relevance_score: 1 }] },
    limit: ["searches_per_minute", 1, "searches"],
  },
  moderations: {
    path: "/v1/moderations",
    members: { input: "a" },
    answer: { results: [{ flagged: false, categories: {} }] },
    limit: ["requests_per_minute", 1],
  },
};

/** The settings of kinds that need more than a key. */
const SETTINGS: Readonly<Record<string, Record<string, unknown>>> = {
  azure: { base_url: "https://own.openai.azure.com/openai/v1" },
  bedrock: { region: "us-east-1" },
  vertex: {
    ...{ project: "p", location: "us-central1", api_key: undefined },
    credentials: serviceAccount().json,
  },
};
const MODELS: Readonly<Record<string, string>> = {
  "images bedrock": "amazon.nova-canvas-v1:0",
  "rerank bedrock": "amazon.rerank-v1:0",
};

function createWorld(operation: string, kind: string, members: Record<string, unknown> = {}) {
  const trial = TRIALS[operation] as Trial;
  const model = MODELS[`${operation} ${kind}`] ?? "m";
  const hosts: string[] = [];
  const address = { base_url: "https://first.test/v1" };
  const needsAddress = adapters.get(kind)?.defaults.baseUrl === undefined;
  const first = {
    ...{ kind, api_key: VENDOR_KEY, retries: 0, models: [model] },
    ...(needsAddress && address),
    ...SETTINGS[kind],
  };
  const second = { kind: "openai_compatible", base_url: "https://second.test/v1", models: ["x"] };
  const gateway = createTestGateway({
    config: {
      ...{ providers: { first, second }, aliases: { chain: [`${model}@first`, "x@second"] } },
      ...members,
    },
    fetch: async (url, { body }) => {
      if (url === TOKEN_URI) return Response.json({ access_token: "t" });
      const isStream = body !== undefined && typeof body !== "string" &&
        !(body instanceof Uint8Array);
      if (isStream) { for await (const _ of body); }
      const { hostname } = new URL(url);
      hosts.push(hostname);
      if (hostname !== "second.test") return new Response("{}", { status: 503 });
      const { answer } = trial;
      return answer === undefined
        ? new Response("audio", { headers: { "content-type": "audio/mpeg" } })
        : Response.json(answer);
    },
  });
  const ask = (headers: Record<string, string> = {}, others: Record<string, unknown> = {}) => {
    const request = { model: "chain", ...trial.members, ...others };
    if (trial.isForm !== true) return gateway.call(trial.path, request, headers);
    const form = new FormData();
    for (const [name, value] of Object.entries(request)) form.append(name, String(value));
    form.append("file", new File([new Uint8Array(40)], "a.mp3", { type: "audio/mpeg" }));
    return gateway.app.handle(
      new Request(`http://gateway.test${trial.path}`, {
        method: "POST",
        headers: { authorization: "Bearer sk-test-service-key", ...headers },
        body: form,
      }),
    );
  };
  return { ask, gateway, hosts, trial };
}

const PAIRS = OPERATIONS.filter(({ name }) => name in TRIALS).flatMap(({ name, support }) =>
  [...adapters.values()]
    .filter((adapter) => adapter.simulated !== true && support.tablesOf(adapter) !== undefined)
    .map((adapter): readonly [string, Adapter] => [name, adapter])
);

Deno.test("every operation besides chats and embeddings is tried", () => {
  const others = OPERATIONS.map(({ name }) => name).filter((name) => !(name in TRIALS));
  assertEquals(others, ["chat", "embeddings"]);
  assert(PAIRS.length > 30, `${PAIRS.length} pairs`);
});

for (const [operation, { kind }] of PAIRS) {
  Deno.test(`${operation} by ${kind}: the next target answers when it fails`, async () => {
    const { ask, gateway, hosts, trial } = createWorld(operation, kind);
    const response = await ask();
    const text = await response.text();
    assertEquals(response.status, 200, text);
    assertEquals(response.headers.get("x-sluice-provider"), "second");
    assertEquals(response.headers.get("x-sluice-attempts"), "2");
    assertEquals([hosts.length, hosts.at(-1)], [2, "second.test"]);
    const [, amount, column] = trial.limit;
    gateway.flush();
    if (column !== undefined) assertEquals(gateway.lines.at(-1)?.[column], amount);
    assertEquals([gateway.bugs, gateway.clock.pending], [[], 0]);
  });

  Deno.test(`${operation} by ${kind}: an explanation has what each target would get`, async () => {
    const { ask, hosts } = createWorld(operation, kind);
    const response = await ask({ "x-sluice-explain": "true" }, { odd_field: "x" });
    const text = await response.text();
    const { targets } = JSON.parse(text);
    assertEquals(hosts, []);
    assertEquals(targets.length, 2);
    for (const { request } of targets) assert(request.url.length > 0, text);
    assert(!text.includes(VENDOR_KEY), "an explanation has no key");
    const odd = targets[0].receipt.find((row: { parameter: string }) =>
      row.parameter === "odd_field"
    );
    // Those that take any field send this one.
    const isSent = JSON.stringify(targets[0].request).includes("odd_field");
    assertEquals(isSent ? "as is" : "ignored", odd?.fate, text);
  });

  Deno.test(`${operation} by ${kind}: a limit of the key refuses the next request`, async () => {
    const [name, amount] = (TRIALS[operation] as Trial).limit;
    const limits = { [name]: amount };
    const { ask, gateway, hosts } = createWorld(operation, kind, { limits });
    await (await ask()).text();
    gateway.flush();
    const before = hosts.length;
    const refused = await ask();
    assertEquals([refused.status, hosts.length], [429, before]);
    assertStringIncludes((await refused.json()).error.message, "limit");
  });
}
