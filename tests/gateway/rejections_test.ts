/** Fields that vendors reject: what one request learns, and what others lose by it. */

import { assertEquals } from "@std/assert";
import { createTestGateway } from "../support/gateway.ts";
import { sayHello, ScriptedVendor, type Sent } from "../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const HOUR = 3_600_000;

/** A vendor of the dialect that answers by this script, or well. */
function over(script: (sent: Sent) => Response | undefined) {
  const vendor = new ScriptedVendor((sent) => script(sent) ?? sayHello(sent));
  const kind = "openai_compatible";
  const provider = { kind, base_url: "http://p", api_key: "sk-vendor-key", models: ["m"] };
  const gateway = createTestGateway({
    config: { providers: { p: provider } },
    fetch: vendor.fetch,
  });
  return {
    clock: gateway.clock,
    /** The status, what the receipt says is ignored, and the bodies that were sent. */
    async ask(members: Record<string, unknown>) {
      vendor.sent.length = 0;
      const messages = [{ role: "user", content: "Hi" }];
      const answer = await gateway.call(CHAT, { model: "m", messages, ...members });
      const text = await answer.text();
      const sent = vendor.sent.map(({ body }) => body);
      const ignored = answer.headers.get("x-sluice-ignored");
      return { status: answer.status, ignored, sent, text };
    },
    async learned(): Promise<string[]> {
      const { data: [{ learned_rejections }] } = await (await gateway.call("/v1/providers")).json();
      return learned_rejections.map(({ parameter }: { parameter: string }) => parameter);
    },
  };
}

const refusal = (param: string | null, message = "No", code: string | null = "unknown_parameter") =>
  Response.json({ error: { message, type: "invalid_request_error", param, code } }, {
    status: 400,
  });

Deno.test("a rejected field is omitted from this request, and from others once that has succeeded", async () => {
  const p = over(({ body }) => "seed" in body ? refusal("seed") : undefined);
  const first = await p.ask({ seed: 1 });
  assertEquals([first.status, first.ignored, first.sent.length], [200, "seed", 2]);
  assertEquals(await p.learned(), ["seed"]);
  const next = await p.ask({ seed: 2, top_p: 0.5 });
  assertEquals([next.status, next.ignored, next.sent.length], [200, "seed", 1]);
  assertEquals([next.sent[0]?.seed, next.sent[0]?.top_p], [undefined, 0.5]);
  p.clock.advance(HOUR);
  assertEquals((await p.ask({ seed: 3 })).sent.length, 2, "after an hour it is asked anew");
});

Deno.test("nothing is learned from a request that fails without the field as well", async () => {
  for (const status of [400, 500, 503]) {
    const p = over(({ body }) =>
      "seed" in body ? refusal("seed") : Response.json({ error: {} }, { status })
    );
    assertEquals((await p.ask({ seed: 1 })).sent.length, 2);
    assertEquals(await p.learned(), [], `${status}`);
  }
  const empty = over(({ body }) => "seed" in body ? refusal("seed") : new Response(""));
  await empty.ask({ seed: 1 });
  assertEquals(await empty.learned(), [], "nor from a 200 that holds no answer");
});

Deno.test("of several fields that one request omits, only the last is learned", async () => {
  const p = over(({ body }) =>
    "seed" in body ? refusal("seed") : "user" in body ? refusal("user") : undefined
  );
  const both = { seed: 1, user: "u" };
  assertEquals((await p.ask(both)).sent.length, 3);
  assertEquals(await p.learned(), ["user"]);
  assertEquals((await p.ask(both)).sent.length, 2);
  assertEquals((await p.ask(both)).sent.length, 1);
});

Deno.test("rejections of one field after the other do not cause endless attempts", async () => {
  const fields = ["seed", "user", "top_p", "temperature", "n", "stop", "logprobs", "top_logprobs"];
  const others = ["metadata", "store", "max_tokens"];
  const members = {
    ...Object.fromEntries([...fields, ...others].map((name) => [name, 1])),
    ...{ user: "u", stop: "x", logprobs: true, metadata: {}, store: true },
  };
  const p = over(({ body }) => {
    const rejected = [...fields, ...others].find((name) => name in body);
    return rejected === undefined ? undefined : refusal(rejected);
  });
  const reported = await p.ask(members);
  assertEquals([reported.status, reported.sent.length], [400, 9]);
});

Deno.test("stream_options, which usage accounting needs, is omitted only from the refused request", async () => {
  const words = "Unrecognized request argument supplied: stream_options";
  for (const answer of [() => refusal(null, words, null), () => refusal("stream_options")]) {
    const p = over(({ body }) => "stream_options" in body ? answer() : undefined);
    for (let round = 0; round < 2; round++) {
      const reported = await p.ask({ stream: true });
      assertEquals([reported.status, reported.sent.length], [200, 2]);
    }
    assertEquals(await p.learned(), []);
  }
});

Deno.test("a caller's value that names a field causes no repair", async () => {
  const quoting = ({ body }: Sent) =>
    typeof body.service_tier === "string"
      ? refusal("service_tier", `Unsupported value: '${body.service_tier}'`, "invalid_value")
      : undefined;
  const p = over(quoting);
  const stream = { stream: true, stream_options: { include_usage: true } };
  const hostile = await p.ask({ ...stream, service_tier: "stream_options" });
  assertEquals([hostile.status, hostile.sent.length], [400, 1]);
  const other = await p.ask(stream);
  assertEquals(other.sent[0]?.stream_options, { include_usage: true });
  assertEquals(other.text.includes('"prompt_tokens":30'), true);
});

Deno.test("a rejection during reasoning does not apply to requests without reasoning", async () => {
  const p = over(({ body }) =>
    body.reasoning_effort === "high" && "temperature" in body ? refusal("temperature") : undefined
  );
  const high = { temperature: 0.5, reasoning_effort: "high" };
  assertEquals((await p.ask(high)).sent.length, 2);
  assertEquals((await p.ask(high)).sent.length, 1);
  const plain = await p.ask({ temperature: 0.5 });
  assertEquals([plain.ignored, plain.sent[0]?.temperature], [null, 0.5]);
});

Deno.test("a name of max_tokens in the message is ignored if the caller may have written it", async () => {
  const message = "Use 'max_completion_tokens' instead.";
  const p = over(({ body }) =>
    "max_tokens" in body ? refusal("max_tokens", message, null) : undefined
  );
  const quoted = await p.ask({ max_tokens: 5, user: "max_completion_tokens" });
  assertEquals([quoted.status, quoted.sent.length], [400, 1]);
  const reported = await p.ask({ max_tokens: 5 });
  assertEquals([reported.status, reported.sent[1]?.max_completion_tokens], [200, 5]);
});

Deno.test("a refused member that another format has is omitted, and learned; an invented one only once", async () => {
  const refused = ["top_k", "my_field"];
  const p = over(({ body }) => {
    const name = refused.find((name) => name in body);
    return name === undefined ? undefined : refusal(name);
  });
  for (const [name, again] of [["top_k", 1], ["my_field", 2]] as const) {
    const first = await p.ask({ [name]: 5 });
    assertEquals([first.status, first.ignored, first.sent.length], [200, name, 2]);
    assertEquals((await p.ask({ [name]: 5 })).sent.length, again, name);
  }
  assertEquals(await p.learned(), ["top_k"]);
});

Deno.test("servers without codes name the refused member in words of a known form", async () => {
  const forms: readonly (readonly [words: string, body: (words: string) => unknown])[] = [
    ["Unrecognized request argument supplied: top_k", (message) => ({ error: { message } })],
    ["property 'top_k' is unsupported, did you mean 'top_p'?", (message) => ({
      error: { message, type: "invalid_request_error" },
    })],
    ["Unsupported parameter: top_k", (detail) => ({ detail })],
    ["Argument not supported on this model: topK", (error) => ({
      code: "Client specified an invalid argument",
      error,
    })],
    ["Extra inputs are not permitted, field: 'top_k', value: 5", (message) => ({
      error: { message, code: "invalid_request_error" },
    })],
    ["Extra inputs are not permitted", (msg) => ({
      detail: [{ type: "extra_forbidden", loc: ["body", "top_k"], msg }],
    })],
  ];
  for (const [words, write] of forms) {
    const p = over(({ body }) =>
      "top_k" in body ? Response.json(write(words), { status: 400 }) : undefined
    );
    const first = await p.ask({ top_k: 5 });
    assertEquals([first.status, first.ignored, first.sent.length], [200, "top_k", 2], words);
    assertEquals(await p.learned(), ["top_k"]);
    const quoted = over(({ body }) =>
      "top_k" in body
        ? Response.json({ error: { message: body.user } }, { status: 400 })
        : undefined
    );
    assertEquals((await quoted.ask({ top_k: 5, user: words })).status, 400, "words of the caller");
  }
});

Deno.test("the question itself is never omitted", async () => {
  for (const name of ["messages", "model", "stream"]) {
    const p = over(() => refusal(name));
    const { status, sent } = await p.ask({ stream: true });
    assertEquals([status, sent.length], [400, 1], name);
  }
});

Deno.test("top_k of Messages and Gemini callers is omitted where OpenAI's message refuses it", async () => {
  const vendor = new ScriptedVendor((sent) =>
    "top_k" in sent.body ? refusal("top_k", "Unknown parameter: 'top_k'.") : sayHello(sent)
  );
  const provider = { kind: "openai", base_url: "http://p/v1", api_key: "sk-vendor", models: ["m"] };
  const gateway = createTestGateway({
    config: { providers: { p: provider } },
    fetch: vendor.fetch,
  });
  const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
  const messages = [{ role: "user", content: "Hi" }];
  const calls = [
    ["/v1beta/models/m:generateContent", { contents, generationConfig: { topK: 64 } }],
    ["/v1/messages", { model: "m", max_tokens: 10, messages, top_k: 64 }],
  ] as const;
  for (const [at, [path, body]] of calls.entries()) {
    const answer = await gateway.call(path, body);
    assertEquals(answer.status, 200, await answer.text());
    const own = at === 0 ? "generationConfig.topK" : "top_k";
    assertEquals(answer.headers.get("x-sluice-ignored"), own);
  }
  assertEquals(vendor.sent.length, 3, "the second call knows it");
});
