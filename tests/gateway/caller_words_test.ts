/**
 * What a caller wrote, and a vendor quotes in its error, changes nothing for other callers:
 * no key is suspended, no breaker opens, and no parameter is left out of their requests.
 */

import { assert, assertEquals } from "@std/assert";
import { createTestGateway } from "../support/gateway.ts";
import { sayHello, type Sent } from "../support/scripted_vendor.ts";
import { CHAT_KINDS } from "../support/chat_kinds.ts";

const CHAT = "/v1/chat/completions";
const KINDS = CHAT_KINDS.filter((kind) => kind !== "mock");
/** Kinds with separate code. The others are rows of the OpenAI dialect. */
const OWN_CODE: ReadonlySet<string> = new Set(
  "openai azure anthropic gemini vertex bedrock mistral cohere ollama".split(" "),
);
const IS_LONG = Deno.env.get("SLUICE_LONG_TESTS") === "1";
/** Each kind gets one text in this many, and its neighbors get the others. */
const SHARE = IS_LONG ? 1 : 2;
/** The same for rows of the dialect. */
const DIALECT_SHARE = IS_LONG ? 1 : 6;

/** Text that any caller may send, and that is evidence only if the vendor wrote it. */
const WORDS = [
  "invalid_api_key",
  "Incorrect API key provided: sk-1",
  "invalid api key",
  "API key not valid. Please pass a valid API key.",
  "API_KEY_INVALID",
  "UnrecognizedClientException",
  "account_deactivated",
  "authentication_error",
  "organization_on_hold",
  "insufficient_quota",
  "Insufficient balance",
  "Your credit balance is too low to access the API.",
  "exceeded your current quota",
  "tokens per day",
  "limit: 0",
  "billing",
  "model_not_found",
  "User location is not supported for the API use.",
  "stream_options",
  "max_completion_tokens",
  "unsupported_parameter",
  "temperature` is deprecated",
  "Logprobs is not enabled for this model",
  "Penalty is not enabled for this model",
  "Multiple candidates is not enabled for this model",
  "thinking_level is not supported",
  'Unknown name "id" at \'contents',
  "does not support thinking",
  "reasoning effort",
  "unknown field: parameter 'temperature' is not a valid field",
  "rate_limit_exceeded",
  "rate_limit_error",
  "overloaded_error",
];

/** The texts for a kind. */
function wordsFor(kind: string): readonly string[] {
  const share = OWN_CODE.has(kind) ? SHARE : DIALECT_SHARE;
  return WORDS.filter((_, at) => at % share === KINDS.indexOf(kind) % share);
}

/** An error in which every text of every vendor's format is the caller's own. */
function echo(words: string): Record<string, unknown> {
  const flat = {
    ...{ message: words, type: words, param: words, code: words, status: words, reason: words },
    details: [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: words, domain: words },
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: words, description: words }],
      },
    ],
    metadata: { raw: words, error_type: words, provider_name: words },
    innererror: { code: words },
  };
  return { ...flat, error: flat, detail: words, __type: words };
}

/** The same with the vendor's own type and code: only the sentence quotes the caller. */
function quote(words: string): Record<string, unknown> {
  const flat = { message: words, type: "invalid_request_error", param: "service_tier", code: null };
  return { type: "error", error: { ...flat, status: "INVALID_ARGUMENT" }, message: words };
}

/** Bodies of errors that consist of a caller's text, or quote it in a sentence. */
function errorsWith(words: string): string[] {
  const sentence = `Invalid value: '${words}'. Supported values are: 'auto' and 'default'.`;
  return [echo(words), echo(sentence), quote(words), quote(sentence)]
    .map((body) => JSON.stringify(body));
}

/** A request that uses what could be learned away, with this text wherever callers may write. */
function requestWith(words: string, stream: boolean): Record<string, unknown> {
  return {
    model: "m",
    messages: [{ role: "user", content: words }],
    user: words,
    metadata: { note: words },
    service_tier: words,
    ...{ temperature: 0.5, top_p: 0.5, seed: 1, n: 1, max_tokens: 50, reasoning_effort: "low" },
    ...{ logprobs: true, top_logprobs: 2, frequency_penalty: 0.5, presence_penalty: 0.5 },
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  };
}

const POOL = ["sk-pool-key-1", "sk-pool-key-2", "sk-pool-key-3"];

function gatewayOf(kind: string) {
  let failure: (() => Response) | undefined;
  const sent: Sent[] = [];
  const base = kind === "ollama" ? "http://vendor.test/api" : "http://vendor.test/v1";
  const provider = {
    kind,
    api_key: POOL,
    base_url: base,
    ...(kind === "bedrock" && { region: "us-east-1" }),
    models: ["m"],
  };
  const gateway = createTestGateway({
    config: { providers: { p: provider } },
    fetch: (url, { headers, body }) => {
      const one = { url, headers: new Headers(headers), body: JSON.parse(String(body)) };
      sent.push(one);
      return Promise.resolve(failure?.() ?? sayHello(one));
    },
  });
  return {
    clock: gateway.clock,
    /** Sends a request; the vendor answers with this failure, or well. */
    async ask(request: Record<string, unknown>, answer?: () => Response) {
      failure = answer;
      const response = await gateway.call(CHAT, request);
      await response.text();
      return response.status;
    },
    /** What the vendor was sent last, but for the ids that count up. */
    last() {
      const { url, headers, body } = sent.at(-1) ?? { url: "", headers: new Headers(), body: {} };
      return { url, key: keyOf(headers), body };
    },
    async state() {
      const { data: [provider] } = await (await gateway.call("/v1/providers")).json();
      const { keys, breakers, learned_rejections } = provider;
      return { keys, breakers, learned_rejections };
    },
  };
}

function keyOf(headers: Headers): string | undefined {
  return POOL.find((key) => [...headers.values()].some((value) => value.includes(key)));
}

for (const kind of KINDS) {
  Deno.test(`${kind}: a 400 or a 403 that quotes the caller changes nothing for others`, async () => {
    const gateway = gatewayOf(kind);
    const other = requestWith("Hello?", true);
    assertEquals(await gateway.ask(other), 200);
    const [before, calm] = [gateway.last(), await gateway.state()];
    assertEquals(before.key, POOL[0], "the pool is used from its first key on");
    for (const status of [400, 403]) {
      for (const words of wordsFor(kind)) {
        for (const body of errorsWith(words)) {
          const headers = { "content-type": "application/json" };
          const answer = () => new Response(body, { status, headers });
          const reported = await gateway.ask(requestWith(words, true), answer);
          assert(reported >= 400 && reported !== 500, `${reported}`);
        }
        assertEquals(await gateway.ask(other), 200, `${status} ${words}`);
        assertEquals(gateway.last(), before, `${status} ${words}`);
        // The answer that shows it is long, so it is looked at less often.
        assertEquals(await gateway.state(), calm, `${status} ${words}`);
      }
    }
  });

  Deno.test(`${kind}: a 429 that quotes the caller does no more than one without words`, async () => {
    const gateway = gatewayOf(kind);
    const limited = async (words: string, body: string) => {
      gateway.clock.advance(3_600_000);
      await gateway.ask(requestWith(words, false), () => new Response(body, { status: 429 }));
      const { keys, learned_rejections } = await gateway.state();
      assertEquals(await gateway.ask(requestWith("Hello?", false)), 200, body);
      return { keys, learned_rejections, key: gateway.last().key };
    };
    const bare = await limited("Hello?", "{}");
    assertEquals(bare.key, POOL[2], "the last key that can be used stays in use");
    for (const words of wordsFor(kind)) {
      assertEquals(await limited(words, JSON.stringify(echo(words))), bare, words);
    }
  });
}

for (const kind of KINDS) {
  Deno.test(`${kind}: a failure in a 200, as an event or as JSON, that quotes the caller changes nothing`, async () => {
    const gateway = gatewayOf(kind);
    const other = requestWith("Hello?", false);
    await gateway.ask(other);
    const before = gateway.last();
    const { keys, learned_rejections } = await gateway.state();
    for (const words of wordsFor(kind)) {
      for (const stream of [false, true]) {
        const { error } = echo(words);
        const text = JSON.stringify({ type: "error", error });
        const [type, body] = stream
          ? ["text/event-stream", `event: error\ndata: ${text}\n\n`]
          : ["application/json", text];
        const answer = () => new Response(body, { headers: { "content-type": type } });
        assert(await gateway.ask(requestWith(words, stream), answer) >= 400);
        const now = await gateway.state();
        assertEquals([now.keys, now.learned_rejections], [keys, learned_rejections], words);
        assertEquals(await gateway.ask(other), 200);
        assertEquals(gateway.last(), before, words);
      }
    }
  });
}
