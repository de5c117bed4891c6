/**
 * A native body passes unchanged: it teaches no rejections, and learned rejections do not change
 * it.
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
    model: { id: "m", upstream: "claude-haiku-4-5" },
  },
];

for (const { kind, path, native, refusal, model } of FORMATS) {
  const create = () => {
    const vendor = new ScriptedVendor((sent) =>
      "temperature" in sent.body ? Response.json(refusal, { status: 400 }) : sayHello(sent)
    );
    const gateway = createTestGateway({
      config: { providers: { p: { kind, api_key: VENDOR_KEY, models: [model] } } },
      fetch: vendor.fetch,
    });
    const ask = async (route: string, members: Record<string, unknown>) => {
      vendor.sent.length = 0;
      const answer = await gateway.call(route, { model: "m", ...members });
      return { status: answer.status, text: await answer.text(), sent: vendor.sent };
    };
    const learned = async () =>
      (await (await gateway.call("/v1/providers")).json()).data[0].learned_rejections;
    return { ask, learned };
  };

  Deno.test(`${path}: a field that the vendor refuses is the caller's to change`, async () => {
    const { ask, learned } = create();
    const { status, text, sent } = await ask(path, { ...native, temperature: 0.5 });
    assertEquals(status, 400);
    assertEquals(JSON.parse(text).error.message, refusal.error.message);
    assertEquals(sent.length, 1);
    assertEquals(await learned(), []);
  });

  Deno.test(`${path}: what converted requests have taught leaves a native body unchanged`, async () => {
    const { ask, learned } = create();
    await ask("/v1/chat/completions", { messages: HELLO, temperature: 0.5 });
    assertEquals((await learned()).length, 1);
    const { status, sent } = await ask(path, { ...native, temperature: 0.5 });
    assertEquals([status, sent.length, sent[0]?.body.temperature], [400, 1, 0.5]);
  });
}
