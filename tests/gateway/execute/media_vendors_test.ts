/**
 * Images, speech, transcription, reranking and moderation, by each of their endpoints, at every
 * kind of provider that has them: failover, limits, receipts, explanations and errors, as for
 * chats.
 */

import type { StopSignal } from "../../../src/core/stop_signal.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { OPERATIONS } from "../../../src/gateway/execute/list.ts";
import type { Adapter } from "../../../src/contract/adapter.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { serviceAccount, TOKEN_URI } from "../../support/service_account.ts";
import { allTrials, type Trial } from "../../support/read_trials.ts";
import { turn } from "../../support/elapse.ts";

/** By the name of the endpoint in explanations. */
const TRIALS: ReadonlyMap<string, Trial> = new Map(
  (await allTrials()).map((trial) => [trial.name, trial]),
);
/** Vendors that have the operation, but not this endpoint of it: a chain passes over them. */
const LACKS = new Set([
  ...["translations mistral", "translations elevenlabs", "translations deepgram"],
]);

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
  "image_edits bedrock": "amazon.nova-canvas-v1:0",
  "image_edits vertex": "imagen-3.0-capability-001",
  "image_edits gemini": "gemini-2.5-flash-image",
  "image_edits fireworks": "accounts/fireworks/models/flux-kontext-pro",
  "rerank bedrock": "amazon.rerank-v1:0",
};

interface Options {
  readonly members?: Record<string, unknown>;
  /** The answer of the first provider. */
  readonly first?: (signal: StopSignal) => Promise<Response>;
}

function createWorld(name: string, kind: string, { members = {}, first: answer }: Options = {}) {
  const trial = TRIALS.get(name) as Trial;
  const model = MODELS[`${name} ${kind}`] ?? "m";
  const hosts: string[] = [];
  const address = { base_url: "https://first.test/v1" };
  const needsAddress = adapters.get(kind)?.defaults.baseUrl === undefined;
  const first = {
    ...{ kind, api_key: VENDOR_KEY, retries: 0, models: [model] },
    ...(needsAddress && address),
    ...SETTINGS[kind],
  };
  const second = {
    ...{ kind: trial.secondKind ?? "openai_compatible", api_key: VENDOR_KEY },
    ...{ base_url: "https://second.test/v1", models: ["x"] },
  };
  const gateway = createTestGateway({
    config: {
      ...{ providers: { first, second }, aliases: { chain: [`${model}@first`, "x@second"] } },
      ...members,
    },
    fetch: async (url, { body, signal }) => {
      if (url === TOKEN_URI) return Response.json({ access_token: "t" });
      const isStream = body !== undefined && typeof body !== "string" &&
        !(body instanceof Uint8Array);
      if (isStream) { for await (const _ of body); }
      const { hostname } = new URL(url);
      hosts.push(hostname);
      if (hostname !== "second.test") {
        return await answer?.(signal) ?? new Response("{}", { status: 503 });
      }
      return trial.answer === undefined
        ? new Response("audio", { headers: { "content-type": "audio/mpeg" } })
        : Response.json(trial.answer);
    },
  });
  const ask = (
    headers: Record<string, string> = {},
    others: Record<string, unknown> = {},
    signal?: AbortSignal,
  ) => {
    const request = { model: "chain", ...trial.members, ...others };
    if (trial.file === undefined) return gateway.call(trial.path, request, headers, signal);
    const form = new FormData();
    for (const [member, value] of Object.entries(request)) form.append(member, String(value));
    form.append(trial.file, new File([new Uint8Array(40)], "a.mp3", { type: "audio/mpeg" }));
    return gateway.app.handle(
      new Request(`http://gateway.test${trial.path}`, {
        method: "POST",
        headers: { authorization: "Bearer sk-test-service-key", ...headers },
        body: form,
        ...(signal && { signal }),
      }),
    );
  };
  return { ask, gateway, hosts, model: `${model}@first`, trial };
}

const KINDS = [...adapters.values()].filter(({ simulated }) => simulated !== true);
const PAIRS = [...TRIALS].flatMap(([name, { operation }]) => {
  const kind = OPERATIONS.find((other) => other.name === operation);
  return KINDS.filter((adapter) => kind?.support.tablesOf(adapter) !== undefined)
    .map((adapter): readonly [string, Adapter] => [name, adapter])
    .filter(([, adapter]) => !LACKS.has(`${name} ${adapter.kind}`));
});

Deno.test("every endpoint besides those of chats and embeddings is tried", () => {
  const others = OPERATIONS.filter(({ name }) => name !== "chat" && name !== "embeddings");
  const paths = others.flatMap(({ endpoints }) => endpoints.map(({ path }) => path));
  assertEquals([...TRIALS.values()].map(({ path }) => path).toSorted(), paths.toSorted());
  assert(PAIRS.length > 45, `${PAIRS.length} pairs`);
});

for (const pair of LACKS) {
  Deno.test(`${pair}: a chain passes over a provider that lacks them`, async () => {
    const [name = "", kind = ""] = pair.split(" ");
    const { ask, gateway, hosts, model } = createWorld(name, kind);
    const response = await ask();
    assertEquals([response.status, hosts], [200, ["second.test"]], await response.text());
    const refused = await ask({}, { model });
    assertEquals((await refused.json()).error.code, "unsupported_operation");
    assertEquals([gateway.bugs, gateway.clock.pending], [[], 0]);
  });
}

/** Errors as vendors write them, by kind; others have OpenAI's format. */
const ERRORS: Readonly<Record<string, unknown>> = {
  gemini: { error: { code: 400, message: "Bad value", status: "INVALID_ARGUMENT" } },
  vertex: { error: { code: 400, message: "Bad value", status: "INVALID_ARGUMENT" } },
  bedrock: { message: "Bad value", __type: "ValidationException" },
  cohere: { message: "Bad value" },
  mistral: { object: "error", message: "Bad value", type: "invalid_request_error", code: "3000" },
  deepgram: { err_code: "Bad Request", err_msg: "Bad value", request_id: "r" },
  elevenlabs: { detail: { status: "invalid_value", message: "Bad value" } },
  jina: { detail: "Bad value" },
  voyage: { detail: "Bad value" },
};
const OPENAI_ERROR = { error: { message: "Bad value", type: "invalid_request_error" } };

for (const [name, { kind }] of PAIRS) {
  Deno.test(`${name} by ${kind}: the next target answers when it fails`, async () => {
    const { ask, gateway, hosts, trial } = createWorld(name, kind);
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

  Deno.test(`${name} by ${kind}: an explanation has what each target would get`, async () => {
    const { ask, hosts } = createWorld(name, kind);
    const response = await ask({ "x-sluice-explain": "true" });
    const text = await response.text();
    const { targets } = JSON.parse(text);
    assertEquals([hosts.length, targets.length], [0, 2]);
    for (const { request } of targets) assert(request.url.length > 0, text);
    assert(!text.includes(VENDOR_KEY), "an explanation has no key");
  });

  Deno.test(`${name} by ${kind}: the receipt names an ignored field, and strict requests fail`, async () => {
    const { ask, gateway, hosts, model } = createWorld(name, kind, {
      first: () => Promise.resolve(Response.json(OPENAI_ERROR, { status: 400 })),
    });
    const fields = { model, odd_field: "x" };
    const response = await ask({}, fields);
    await response.body?.cancel();
    const isIgnored = response.headers.get("x-sluice-ignored")?.split(", ").includes("odd_field");
    const sent = hosts.length;
    const strict = await ask({ "x-sluice-strict": "true" }, fields);
    const { error } = await strict.json();
    assertEquals(error.code === "unsupported_parameter", isIgnored === true, error.message);
    // It is refused before anything is sent.
    assertEquals([sent, hosts.length], [1, isIgnored ? 1 : 2]);
    const explained = await ask({ "x-sluice-explain": "true" }, fields);
    const { targets: [{ receipt }] } = await explained.json();
    const row = receipt.find(({ parameter }: { parameter: string }) => parameter === "odd_field");
    assertEquals(row?.fate, isIgnored ? "ignored" : "as is");
    assertEquals([gateway.bugs, gateway.clock.pending], [[], 0]);
  });

  Deno.test(`${name} by ${kind}: a limit of the key refuses the next request`, async () => {
    const [limit, amount] = (TRIALS.get(name) as Trial).limit;
    const members = { limits: { [limit]: amount } };
    const { ask, gateway, hosts } = createWorld(name, kind, { members });
    await (await ask()).text();
    gateway.flush();
    const before = hosts.length;
    const refused = await ask();
    assertEquals([refused.status, hosts.length], [429, before]);
    assertStringIncludes((await refused.json()).error.message, "limit");
  });

  Deno.test(`${name} by ${kind}: a vendor's error is written in the caller's format`, async () => {
    const error = ERRORS[kind] ?? OPENAI_ERROR;
    for (const [status, expected] of [[400, 400], [401, 502], [429, 429]] as const) {
      const { ask, gateway, hosts, model } = createWorld(name, kind, {
        first: () => Promise.resolve(Response.json(error, { status })),
      });
      const response = await ask({}, { model });
      const { error: { message, type, param = "", code = "" } } = await response.json();
      assertEquals(response.status, expected, message);
      assertEquals(
        [message.includes("Bad value"), typeof type],
        [status !== 401, "string"],
        message,
      );
      assert(param !== "" && code !== "", "OpenAI's members are there");
      assertEquals(message.includes(VENDOR_KEY), false);
      // A token that was refused is renewed once.
      assertEquals(
        hosts.length <= (status === 401 ? 2 : 1) && !hosts.includes("second.test"),
        true,
      );
      assertEquals([gateway.bugs, gateway.clock.pending], [[], 0]);
    }
  });

  Deno.test(`${name} by ${kind}: a page, or half an answer, is an error of the provider`, async () => {
    for (const [text, type] of [["<html>", "text/html"], ['{"a":', "application/json"]] as const) {
      const { ask, gateway, model } = createWorld(name, kind, {
        first: () => Promise.resolve(new Response(text, { headers: { "content-type": type } })),
      });
      const response = await ask({}, { model });
      const { error } = await response.json();
      assertEquals([response.status, error.code], [502, "upstream_error"], type);
      assertEquals([gateway.bugs, gateway.clock.pending], [[], 0]);
    }
  });

  Deno.test(`${name} by ${kind}: a caller that leaves ends the vendor's request`, async () => {
    const caller = new AbortController();
    let isEnded = false;
    const { ask, gateway, hosts } = createWorld(name, kind, {
      first: (signal) => {
        const { promise, reject } = Promise.withResolvers<Response>();
        signal.addEventListener("abort", () => {
          isEnded = true;
          reject(signal.reason);
        });
        // In the next turn, when the gateway waits for the answer.
        void turn().then(() => caller.abort());
        return promise;
      },
    });
    const response = await ask({}, {}, caller.signal);
    await response.body?.cancel();
    gateway.flush();
    assertEquals([isEnded, gateway.lines.at(-1)?.outcome], [true, "client_gone"]);
    // No other target is called.
    assertEquals([hosts.length, gateway.bugs, gateway.clock.pending], [1, [], 0]);
  });
}
