/** What requests of the pass-through count: rows of the ledger, limits, models and usage. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway } from "../support/gateway.ts";

const USAGE = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };

function world(answer: () => Response, config: Record<string, unknown> = {}) {
  let sent = 0;
  const vendor = {
    kind: "openai",
    api_key: "sk-vendor-key",
    models: ["m", "n"],
    passthrough: true,
  };
  const keys = [
    { name: "all", key: "sk-all" },
    { name: "some", key: "sk-some", models: ["m"] },
    { name: "small", key: "sk-small", limits: { tokens_per_minute: 2000 } },
  ];
  const gateway = createTestGateway({
    config: { providers: { vendor }, server: { keys }, ...config },
    fetch: async (_, { body }) => {
      sent++;
      if (body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array)) {
        for await (const _ of body);
      }
      return answer();
    },
  });
  const ask = async (path: string, body: unknown, key = "sk-all") => {
    const response = await gateway.app.handle(
      new Request(`http://gateway.test/v1/providers/vendor/proxy/${path}`, {
        headers: { authorization: `Bearer ${key}` },
        ...(body !== undefined &&
          { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    assertEquals(gateway.bugs, []);
    return { status: response.status, text };
  };
  const read = async (path: string) => {
    gateway.flush();
    const headers = { authorization: "Bearer sk-all" };
    return (await gateway.call(`/v1/requests${path}`, undefined, headers)).json();
  };
  const rows = async () => (await read("")).data;
  return { ask, rows, read, sent: () => sent };
}

Deno.test("a passed request has a row with its bytes, its status and the vendor's usage", async () => {
  const { ask, rows, read } = world(() => Response.json({ text: "Hi", usage: USAGE }));
  const { text } = await ask("chat/completions", { model: "m" });
  const [row] = await rows();
  assertEquals([row.model, row.format, row.status], ["m", "passthrough", 200]);
  assertEquals([row.input_tokens, row.output_tokens], [1000, 500]);
  const [attempt] = (await read(`/${row.id}`)).attempts;
  assertEquals([attempt.sent_bytes, attempt.received_bytes], [13, text.length]);
});

Deno.test("a passed request that breaks off is billed, unless it was refused or names no model", async () => {
  const reset = Object.assign(new Error("connection reset"), { code: "ECONNRESET" });
  const breaking = world(() => {
    throw reset;
  });
  const refusing = world(() => Response.json({ error: {} }, { status: 500 }));
  const body = { model: "m", input: "x".repeat(400) };
  for (
    const [{ ask, rows, read }, sent, tokens, source] of [
      [breaking, body, 106, "estimated"],
      [breaking, { input: body.input }, 0, "none"],
      [refusing, body, 0, "none"],
    ] as const
  ) {
    await ask("chat/completions", sent);
    const [row] = await rows();
    assertEquals([row.input_tokens, row.output_tokens, row.usage_source], [tokens, 0, source]);
    const [attempt] = (await read(`/${row.id}`)).attempts;
    assertEquals([attempt.input_tokens, attempt.usage_source], [tokens, source]);
  }
});

Deno.test("the end of a long answer and the events of a stream report the usage, cut anywhere", async () => {
  const events = `data: {"type":"message_start","message":{"usage":{"input_tokens":7}}}\n\n` +
    `data: {"delta":{"text":"Hello"}}\n\n` +
    `data: {"type":"message_delta","usage":{"output_tokens":9}}\n\n`;
  const long = JSON.stringify({ data: "x".repeat(900_000), usage: USAGE });
  for (
    const [text, type, input, output] of [
      [events, "text/event-stream", 7, 9],
      [long, "application/json", 1000, 500],
    ] as const
  ) {
    for (const size of [7, 70_000].filter((size) => text.length / size < 1000)) {
      const bytes = new TextEncoder().encode(text);
      const packets: Uint8Array<ArrayBuffer>[] = [];
      for (let at = 0; at < bytes.length; at += size) packets.push(bytes.slice(at, at + size));
      const body = () => ReadableStream.from(packets);
      const { ask, rows } = world(() =>
        new Response(body(), { headers: { "content-type": type } })
      );
      assertEquals((await ask("messages", { model: "m" })).text, text);
      const [row] = await rows();
      assertEquals([row.input_tokens, row.output_tokens], [input, output], `${type} ${size}`);
    }
  }
});

Deno.test("text that a vendor repeats is not taken for its usage", async () => {
  const content = 'x "usage": {"prompt_tokens": 1} y';
  const { ask, rows } = world(() => Response.json({ usage: USAGE, content }));
  await ask("chat/completions", { model: "m" });
  assertEquals((await rows())[0].input_tokens, 1000);
});

Deno.test("an answer without usage is estimated for a model, and a file is not charged", async () => {
  const { ask, rows } = world(() => Response.json({ content: "four".repeat(100) }));
  await ask("chat/completions", { model: "m", prompt: "x".repeat(4000) });
  await ask("files", "y".repeat(4000));
  const [file, chat] = await rows();
  assert(chat.input_tokens > 1000 && chat.output_tokens === 100, JSON.stringify(chat));
  assertEquals([file.input_tokens, file.output_tokens], [0, 0]);
});

Deno.test("the usage counts for the key's tokens, and the request for its model", async () => {
  const small = world(() => Response.json({ usage: USAGE }));
  for (const status of [200, 200, 429]) {
    assertEquals((await small.ask("completions", {}, "sk-small")).status, status);
  }
  const limits = { models: { m: { requests_per_minute: 1 } } };
  const limited = world(() => Response.json({}), { limits });
  assertEquals((await limited.ask("chat/completions", { model: "m" })).status, 200);
  assertEquals((await limited.ask("chat/completions", { model: "m" })).status, 429);
  assertEquals((await limited.ask("models/m:generate", {})).status, 429);
  assertEquals((await limited.ask("chat/completions", { model: "n" })).status, 200);
});

Deno.test("a key that is limited to models reaches only those", async () => {
  const { ask, sent } = world(() => Response.json({}));
  assertEquals((await ask("chat/completions", { model: "m" }, "sk-some")).status, 200);
  for (
    const [path, body] of [
      ["chat/completions", { model: "n" }],
      ["chat/completions", { model: "m", models: ["n"] }],
      ["chat/completions", '{"model":"m","model":"n"}'],
      ["chat/completions", '{"Model":"n","model":"m"}'],
      ["chat/completions", '{"mod\\u0065l":"n","model":"m"}'],
      ["chat/completions", { messages: [{ model: "m" }] }],
      ["models/n:generate", { model: "m" }],
      ["files", undefined],
      ["files", "--form"],
    ] as const
  ) {
    const { status, text } = await ask(path, body, "sk-some");
    assertEquals(status, 404, JSON.stringify(body));
    assertStringIncludes(text, "model");
  }
  assertEquals(sent(), 1);
});
