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

Deno.test("a rejected field is left out of this request, and of others once that has succeeded", async () => {
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

Deno.test("stream_options, which usage accounting needs, is left out only of the refused request", async () => {
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
