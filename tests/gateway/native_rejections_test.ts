/**
 * What a vendor refuses in a native body is left out as in converted requests, and learned for
 * other native bodies.
 */

import { assertEquals } from "@std/assert";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { sayHello, ScriptedVendor } from "../support/scripted_vendor.ts";

const MESSAGE = "Unsupported parameter: 'temperature' is not supported with this model.";
const HELLO = [{ role: "user", content: "Hi" }];

const FORMATS = [
  {
    kind: "openai",
    path: "/v1/responses",
    native: { input: "Hi" },
    refusal: {
      error: {
        message: MESSAGE,
        type: "invalid_request_error",
        param: "temperature",
        code: "unsupported_parameter",
      },
    },
    unknown: {
      error: { message: "Unknown", param: "my_field", code: "unknown_parameter" },
    },
    // Chat completions of this provider use the other API.
    model: { id: "m", upstream: "gpt-4.1" },
  },
  {
    kind: "anthropic",
    path: "/v1/messages",
    native: { messages: HELLO, max_tokens: 10 },
    refusal: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "`temperature` is deprecated for this model.",
      },
    },
    unknown: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "my_field: Extra inputs are not permitted",
      },
    },
    model: { id: "m", upstream: "claude-haiku-4-5" },
  },
];

for (const { kind, path, native, refusal, unknown, model } of FORMATS) {
  const create = () => {
    const vendor = new ScriptedVendor((sent) => {
      if ("my_field" in sent.body) return Response.json(unknown, { status: 400 });
      return "temperature" in sent.body ? Response.json(refusal, { status: 400 }) : sayHello(sent);
    });
    const gateway = createTestGateway({
      config: { providers: { p: { kind, api_key: VENDOR_KEY, models: [model] } } },
      fetch: vendor.fetch,
    });
    const ask = async (
      route: string,
      members: Record<string, unknown>,
      headers: Record<string, string> = {},
    ) => {
      vendor.sent.length = 0;
      const answer = await gateway.call(route, { model: "m", ...members }, headers);
      const ignored = answer.headers.get("x-sluice-ignored");
      return { status: answer.status, text: await answer.text(), sent: [...vendor.sent], ignored };
    };
    const learned = async () =>
      (await (await gateway.call("/v1/providers")).json()).data[0].learned_rejections;
    return { ask, learned };
  };

  Deno.test(`${path}: a field that the vendor refuses is left out, and learned`, async () => {
    const { ask, learned } = create();
    const first = await ask(path, { ...native, temperature: 0.5 });
    assertEquals([first.status, first.sent.length, first.ignored], [200, 2, "temperature"]);
    assertEquals((await learned()).length, 1);
    const later = await ask(path, { ...native, temperature: 0.5, top_p: 0.5 });
    assertEquals([later.status, later.sent.length, later.ignored], [200, 1, "temperature"]);
    assertEquals(later.sent[0]?.body.top_p, 0.5);
    const explained = await ask(path, { ...native, temperature: 0.5 }, {
      "x-sluice-explain": "true",
    });
    assertEquals(explained.sent.length, 0);
    assertEquals("temperature" in JSON.parse(explained.text).targets[0].request.body, false);
  });

  Deno.test(`${path}: strict mode gets the refusal, and what is learned is refused at once`, async () => {
    const { ask } = create();
    const strict = { "x-sluice-strict": "true" };
    const first = await ask(path, { ...native, temperature: 0.5 }, strict);
    assertEquals([first.status, first.sent.length], [400, 1]);
    assertEquals(JSON.parse(first.text).error.message, refusal.error.message);
    await ask(path, { ...native, temperature: 0.5 });
    const later = await ask(path, { ...native, temperature: 0.5 }, strict);
    assertEquals([later.status, later.sent.length], [400, 0]);
  });

  Deno.test(`${path}: converted requests teach nothing about native bodies`, async () => {
    const { ask, learned } = create();
    await ask("/v1/chat/completions", { messages: HELLO, temperature: 0.5 });
    assertEquals((await learned()).length, 1);
    const { status, sent } = await ask(path, { ...native, temperature: 0.5 });
    assertEquals([status, sent.length, sent[0]?.body.temperature], [200, 2, 0.5]);
  });

  Deno.test(`${path}: a member that a caller invented is left out once, and never learned`, async () => {
    const { ask, learned } = create();
    for (let round = 0; round < 2; round++) {
      const { status, sent, ignored } = await ask(path, { ...native, my_field: 1 });
      assertEquals([status, sent.length, ignored], [200, 2, "my_field"]);
    }
    assertEquals(await learned(), []);
  });
}

/** What each vendor of the Responses API says about a member that it does not know. */
const RESPONSES_REFUSALS: readonly (readonly [kind: string, body: unknown])[] = [
  ["xai", { code: "400", error: "Argument not supported: include" }],
  ["groq", {
    error: { message: "property 'include' is unsupported", type: "invalid_request_error" },
  }],
  ["fireworks", {
    error: {
      message: "Extra inputs are not permitted, field: 'include', value: []",
      code: "invalid_request_error",
    },
  }],
  ["azure", {
    error: {
      message: "Unknown parameter: 'include'.",
      param: "include",
      code: "unknown_parameter",
    },
  }],
];

for (const [kind, refusal] of RESPONSES_REFUSALS) {
  Deno.test(`${kind}: a member that Codex adds to native Responses is left out, and learned`, async () => {
    const vendor = new ScriptedVendor((sent) =>
      "include" in sent.body ? Response.json(refusal, { status: 400 }) : sayHello(sent)
    );
    const provider = {
      ...{ kind, api_key: VENDOR_KEY, api: "responses", models: ["m"] },
      ...(kind === "azure" && { base_url: "https://r.openai.azure.com" }),
    };
    const gateway = createTestGateway({
      config: { providers: { p: provider } },
      fetch: vendor.fetch,
    });
    const ask = async () => {
      vendor.sent.length = 0;
      const body = {
        model: "m",
        input: "Hi",
        store: false,
        include: ["reasoning.encrypted_content"],
      };
      const answer = await gateway.call("/v1/responses", body);
      const text = await answer.text();
      return [answer.status, vendor.sent.length, answer.headers.get("x-sluice-ignored"), text];
    };
    assertEquals((await ask()).slice(0, 3), [200, 2, "include"]);
    assertEquals((await ask()).slice(0, 3), [200, 1, "include"]);
  });
}

Deno.test("Gemini's and Ollama's native bodies have the vendor's names in receipts", async () => {
  const rows = [
    {
      provider: { kind: "gemini", api_key: VENDOR_KEY, models: ["gemini-2.5-flash"] },
      path: "/v1beta/models/gemini-2.5-flash:generateContent",
      body: {
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
        generationConfig: { temperature: 1, thinkingConfig: { thinkingLevel: "low" } },
      },
      refuses: ({ generationConfig }: Record<string, unknown>) =>
        JSON.stringify(generationConfig).includes("thinkingConfig"),
      refusal: {
        error: {
          code: 400,
          message: "Thinking level is not supported for this model.",
          status: "INVALID_ARGUMENT",
        },
      },
      name: "generationConfig.thinkingConfig",
    },
    {
      provider: { kind: "ollama", models: ["llama"] },
      path: "/api/chat",
      body: { model: "llama", messages: HELLO, think: true, stream: false },
      refuses: (body: Record<string, unknown>) => "think" in body,
      refusal: { error: '"llama" does not support thinking' },
      name: "think",
    },
  ];
  for (const { provider, path, body, refuses, refusal, name } of rows) {
    const vendor = new ScriptedVendor((sent) =>
      refuses(sent.body) ? Response.json(refusal, { status: 400 }) : sayHello(sent)
    );
    const gateway = createTestGateway({
      config: { providers: { p: provider } },
      fetch: vendor.fetch,
    });
    for (const requests of [2, 1]) {
      vendor.sent.length = 0;
      const answer = await gateway.call(path, body);
      assertEquals(answer.status, 200, await answer.text());
      assertEquals([vendor.sent.length, answer.headers.get("x-sluice-ignored")], [requests, name]);
    }
  }
});
