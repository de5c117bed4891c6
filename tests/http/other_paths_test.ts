/** The paths of Azure's and Groq's clients: other names of the same operations. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";

const MESSAGES = [{ role: "user", content: "Hi" }];
const COMPLETION = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Yes" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
};

const ANSWERS: Readonly<Record<string, BodyInit>> = {
  "/chat/completions": JSON.stringify(COMPLETION),
  "/embeddings": JSON.stringify({ data: [{ index: 0, embedding: [1] }], usage: {} }),
  "/images/generations": JSON.stringify({ created: 1, data: [{ b64_json: "AA==" }] }),
  "/audio/speech": "audio",
  "/audio/transcriptions": JSON.stringify({ text: "Hello" }),
  "/audio/translations": JSON.stringify({ text: "Hello" }),
};

function createWorld(members: Record<string, unknown> = {}) {
  const sent: { host: string; path: string; model: unknown }[] = [];
  const provider = (host: string) => ({
    ...{ kind: "openai_compatible", base_url: `http://${host}.test/v1`, api_key: VENDOR_KEY },
    models: ["gpt-x", "org/model"],
  });
  const gateway = createTestGateway({
    config: { providers: { one: provider("one"), two: provider("two") }, ...members },
    fetch: async (url, { body }) => {
      const { hostname: host, pathname: path } = new URL(url);
      const text = typeof body === "string" ? body : await new Response(body as BodyInit).text();
      const model = text.startsWith("{")
        ? JSON.parse(text).model
        : /name="model"\s+(\S+)/.exec(text)?.[1];
      sent.push({ host, path, model });
      const [, answer] = Object.entries(ANSWERS).find(([end]) => path.endsWith(end)) ?? [];
      const type = path.endsWith("/speech") ? "audio/mpeg" : "application/json";
      return new Response(answer ?? null, {
        status: answer === undefined ? 404 : 200,
        headers: { "content-type": type },
      });
    },
  });
  return { gateway, sent };
}

const DEPLOYED: readonly (readonly [string, Record<string, unknown>])[] = [
  ["/chat/completions", { messages: MESSAGES }],
  ["/completions", { prompt: "Hi" }],
  ["/embeddings", { input: "Hi" }],
  ["/images/generations", { prompt: "Hi" }],
  ["/audio/speech", { input: "Hi", voice: "alloy" }],
];

Deno.test("deployments: the name in the path is the model, whatever the body says", async () => {
  for (const [path, body] of DEPLOYED) {
    for (const named of [{}, { model: "another" }]) {
      const { gateway, sent } = createWorld();
      const url = `/openai/deployments/gpt-x${path}?api-version=2024-10-21`;
      const response = await gateway.call(url, { ...body, ...named });
      assertEquals(response.status, 200, await response.text());
      assertEquals([sent.at(-1)?.host, sent.at(-1)?.model], ["one.test", "gpt-x"]);
      assertEquals(gateway.lines[0]?.model, "gpt-x");
      assertEquals(gateway.lines[0]?.path, `/openai/deployments/gpt-x${path}`);
      assertEquals(response.headers.get("x-sluice-provider"), "one");
    }
  }
});

Deno.test("deployments: a model with its provider, or with a slash", async () => {
  const { gateway, sent } = createWorld();
  for (
    const [name, host, model] of [
      ["gpt-x@two", "two.test", "gpt-x"],
      ["gpt-x%40two", "two.test", "gpt-x"],
      ["org%2Fmodel", "one.test", "org/model"],
    ]
  ) {
    const path = `/openai/deployments/${name}/chat/completions`;
    const response = await gateway.call(path, { messages: MESSAGES });
    assertEquals(response.status, 200, await response.text());
    assertEquals([sent.at(-1)?.host, sent.at(-1)?.model], [host, model]);
  }
  const unknown = await gateway.call("/openai/deployments/none/chat/completions", {
    messages: MESSAGES,
  });
  assertEquals(unknown.status, 404);
  assertStringIncludes(await unknown.text(), "none");
});

Deno.test("deployments: forms", async () => {
  for (const path of ["/audio/transcriptions", "/audio/translations"]) {
    const { gateway, sent } = createWorld();
    const form = new FormData();
    form.set("file", new File(["audio"], "a.mp3"));
    const response = await gateway.app.handle(
      new Request(`http://127.0.0.1/openai/deployments/gpt-x@two${path}`, {
        method: "POST",
        headers: { "api-key": SERVICE_KEY, host: "127.0.0.1" },
        body: form,
      }),
    );
    assertEquals(response.status, 200, await response.text());
    assertEquals([sent[0]?.host, sent[0]?.model], ["two.test", "gpt-x"]);
  }
});

Deno.test("deployments: limits of models, explanations and the api-key header", async () => {
  const key = { name: "k", key: "sk-limited-key-1", models: ["org/model"] };
  const { gateway, sent } = createWorld({ server: { keys: [key] } });
  const ask = (model: string, headers: Record<string, string>) =>
    gateway.app.handle(
      new Request(`http://127.0.0.1/openai/deployments/${model}/chat/completions`, {
        method: "POST",
        headers: {
          ...{ "content-type": "application/json", host: "127.0.0.1", "api-key": key.key },
          ...headers,
        },
        body: JSON.stringify({ model: "org/model", messages: MESSAGES }),
      }),
    );
  assertEquals((await ask("gpt-x", {})).status, 404);
  assertEquals(sent, []);
  const explained = await (await ask("org%2Fmodel", { "x-sluice-explain": "true" })).json();
  assertEquals([explained.targets[0].request.body.model, sent], ["org/model", []]);
  assertEquals((await ask("org%2Fmodel", {})).status, 200);
});

Deno.test("/openai/v1 and /openai/responses are the API under /v1", async () => {
  const { gateway, sent } = createWorld();
  for (
    const [path, body] of [
      ...DEPLOYED,
      ["/responses", { input: "Hi" }],
    ] as const
  ) {
    const response = await gateway.call(`/openai/v1${path}`, { model: "gpt-x", ...body });
    assertEquals(response.status, 200, await response.text());
  }
  assert(sent.every(({ model }) => model === "gpt-x"));
  const versioned = "/openai/responses?api-version=2025-04-01-preview";
  const response = await gateway.call(versioned, { model: "gpt-x", input: "Hi" });
  assertEquals([response.status, (await response.json()).object], [200, "response"]);
  for (const path of ["/openai/v1/models", "/openai/models", "/openai/v1/models/gpt-x"]) {
    assertEquals((await gateway.call(path)).status, 200, path);
  }
});

Deno.test("an unknown path below /openai is a 404 that lists what there is", async () => {
  const { gateway } = createWorld();
  for (const path of ["/openai", "/openai/chat/completions", "/openai/deployments/x/rerank"]) {
    const response = await gateway.call(path, {});
    const text = await response.text();
    assertEquals(response.status, 404, text);
    for (const part of ["/openai/v1", "/openai/deployments/{model}", "audio/translations"]) {
      assertStringIncludes(text, part);
    }
  }
});

Deno.test("/v1beta/interactions is a 404 that names generateContent", async () => {
  const { gateway } = createWorld();
  for (const path of ["/v1beta/interactions", "/v1beta/interactions/i_1"]) {
    const response = await gateway.call(path, {});
    assertEquals(response.status, 404);
    assertStringIncludes(await response.text(), "generateContent");
  }
});

Deno.test("the description of the API has these paths, with the schemas of the others", async () => {
  const { gateway } = createWorld();
  const { paths } = await (await gateway.call("/openapi.json")).json();
  const schemaOf = (path: string) =>
    paths[path].post.requestBody.content["application/json"].schema;
  for (const [path] of DEPLOYED) {
    const wanted = schemaOf(`/v1${path}`);
    assertEquals(schemaOf(`/openai/v1${path}`), wanted);
    assertEquals(schemaOf(`/openai/deployments/{model}${path}`), wanted);
  }
});
