/**
 * Ollama's fixtures through the caller format and chat, and back to Ollama's API: nothing is lost
 * that chat completions hold.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { type Fixture, readFixtures } from "../../support/fixtures.ts";
import { textOf } from "../../support/sent_body.ts";

interface Exchange {
  readonly sent: JsonObject;
  readonly answer: string;
}

/** Sends a body to Ollama by way of chat, since a feature must see the content. */
async function exchange(body: JsonObject, upstream: () => Response): Promise<Exchange> {
  let sent: JsonObject = {};
  const provider = { kind: "ollama", base_url: "http://ollama.test", models: [body.model] };
  const gateway = createTestGateway({
    config: { providers: { local: { ...provider, retries: 0 } } },
    fetch: async (_, init) => {
      sent = JSON.parse(await textOf(init.body));
      return upstream();
    },
    features: [{ name: "reader", plan: () => ({ start: () => ({ seesContent: true }) }) }],
  });
  const response = await gateway.call("/api/chat", body);
  const answer = await response.text();
  assertEquals(gateway.bugs, []);
  return { sent, answer };
}

const REFUSAL = () => Response.json({ error: "No" }, { status: 400 });

/** Requests that change, and why. */
const OTHER_REQUESTS: ReadonlyMap<string, string> = new Map([
  ["parameters", "other options are Ollama's own"],
  ["think_extension", "true is an effort"],
  ["reasoning_gpt_oss", "it always thinks"],
]);

/** What the gateway adds to chats for Ollama, and what only Ollama's own API keeps. */
function comparable({ truncate: _, keep_alive: _kept, ...others }: JsonObject): JsonObject {
  return others;
}

const fixtures = readFixtures().filter(({ vendor }) => vendor === "ollama");

function sentBy({ directory }: Fixture): JsonObject | undefined {
  try {
    const { body } = JSON.parse(Deno.readTextFileSync(`${directory}/sent.json`));
    return isObject(body) && Array.isArray(body.messages) ? body : undefined;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

let requests = 0;
for (const fixture of fixtures) {
  const body = sentBy(fixture);
  if (body === undefined || OTHER_REQUESTS.has(fixture.name)) continue;
  requests++;
  Deno.test(`ollama to chat to ollama: the request of ${fixture.name}`, async () => {
    const { sent, answer } = await exchange(body, REFUSAL);
    assert(sent.messages !== undefined, answer);
    assertEquals(comparable(sent), comparable(body));
  });
}

/** Answers that chat completions hold in another way, and why. */
const OTHER_ANSWERS: ReadonlyMap<string, string> = new Map([
  ["loaded_only", "a stop in chat completions"],
  ["tool_arguments_not_json", "text that is not JSON becomes a member"],
  ["content_filter", "a stop in chat completions"],
]);

/** The content of an answer or of its lines, joined; without what chat completions do not hold. */
function summaryOf(lines: readonly JsonObject[]): JsonObject {
  const messages = lines.map(({ message }) => isObject(message) ? message : {});
  const last = lines.at(-1) ?? {};
  const join = (name: string) => messages.map((message) => message[name] ?? "").join("");
  return {
    content: join("content"),
    thinking: join("thinking"),
    calls: messages.flatMap(({ tool_calls: calls }) => Array.isArray(calls) ? calls : [])
      .map(({ function: { name, arguments: input } }) => ({ name, input })),
    logprobs: lines.flatMap(({ logprobs }) => Array.isArray(logprobs) ? logprobs : []),
    done: last.done,
    length: last.done_reason === "length",
    usage: [last.prompt_eval_count ?? 0, last.eval_count ?? 0],
    model: last.model,
  };
}

const toLines = (text: string): JsonObject[] =>
  text.split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));

let answers = 0;
for (const { name, upstream } of fixtures) {
  if (OTHER_ANSWERS.has(name) || /error|truncated|refused/.test(name)) continue;
  const stream = upstream.type === "stream";
  if (!stream && (upstream.status !== 200 || !isObject(upstream.body))) continue;
  const text = stream ? new TextDecoder().decode(upstream.bytes) : JSON.stringify(upstream.body);
  answers++;
  Deno.test(`ollama to chat to ollama: the answer of ${name}`, async () => {
    const ask = { model: "qwen3:8b", messages: [{ role: "user", content: "Hi" }], stream };
    const { answer } = await exchange(ask, () =>
      new Response(text, {
        headers: { "content-type": stream ? "application/x-ndjson" : "application/json" },
      }));
    assertEquals(summaryOf(toLines(answer)), summaryOf(toLines(text)));
  });
}

Deno.test("ollama to chat to ollama: there are many requests and answers", () => {
  assert(requests > 25, `${requests} requests`);
  assert(answers > 20, `${answers} answers`);
});

/** A stream of OpenAI's dialect: text, a call in pieces, and usage. */
const EVENTS = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "Hü" } }] },
  {
    choices: [{
      index: 0,
      delta: {
        tool_calls: [{
          index: 0,
          id: "c",
          type: "function",
          function: { name: "f", arguments: "" },
        }],
      },
    }],
  },
  {
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] } }],
  },
  {
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] } }],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n";

Deno.test("ollama: any cut of another vendor's events gives the same lines", async () => {
  const bytes = new TextEncoder().encode(EVENTS);
  let pieces: readonly Uint8Array[] = [bytes];
  const vendor = { kind: "openai_compatible", base_url: "http://v.test/v1", models: ["m"] };
  const gateway = createTestGateway({
    config: { providers: { vendor: { ...vendor, retries: 0 } } },
    fetch: () =>
      Promise.resolve(
        new Response(ReadableStream.from(pieces), {
          headers: { "content-type": "text/event-stream" },
        }),
      ),
  });
  const ask = { model: "m", messages: [{ role: "user", content: "Hi" }] };
  const lines = async () => await (await gateway.call("/api/chat", ask)).text();
  const whole = await lines();
  assertEquals(toLines(whole).map(({ done }) => done), [false, false, true]);
  for (let at = 1; at < bytes.length; at++) {
    pieces = [bytes.subarray(0, at), bytes.subarray(at)];
    const cut = await lines();
    if (cut !== whole) assertEquals(cut, whole, `cut at ${at}`);
  }
});
