/**
 * Google's fixtures, those of Vertex too, through the caller format and chat, and back to Google's
 * API: nothing is lost that chat completions hold.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { textOf } from "../../support/sent_body.ts";

const FIXTURES = new URL("../../fixtures/", import.meta.url);

function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(new URL(path, FIXTURES));
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

function read(path: string): JsonObject | undefined {
  const text = readText(path);
  return text === undefined ? undefined : JSON.parse(text);
}

/** The folders of the fixtures; Claude on Vertex has another API. */
const NAMES = ["gemini", "vertex"].flatMap((vendor) =>
  [...Deno.readDirSync(new URL(`${vendor}/`, FIXTURES))]
    .filter(({ isDirectory, name }) => isDirectory && !name.startsWith("claude_"))
    .map(({ name }) => `${vendor}/${name}`).sort()
);

interface Exchange {
  readonly sent: JsonObject;
  readonly answer: JsonObject;
  readonly text: string;
}

/** Sends a body to the vendor of a fixture by way of chat, since a feature must see the content. */
async function exchange(
  name: string,
  model: string,
  body: unknown,
  upstream: () => Response,
  method = "generateContent",
): Promise<Exchange> {
  let sent: JsonObject = {};
  const gateway = createTestGateway({
    config: {
      providers: {
        google: { kind: name.split("/")[0], api_key: VENDOR_KEY, models: [model], retries: 0 },
      },
    },
    fetch: async (_, init) => {
      sent = JSON.parse(await textOf(init.body));
      return upstream();
    },
    features: [{ name: "reader", plan: () => ({ start: () => ({ seesContent: true }) }) }],
  });
  const response = await gateway.call(`/v1beta/models/${model}:${method}`, body);
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  return { sent, text, answer: text.startsWith("{") ? JSON.parse(text) : {} };
}

const REFUSAL = () => Response.json({ error: { code: 500, message: "No" } }, { status: 500 });

/** A request without what chat completions write in another way. */
function comparable({ contents, generationConfig, ...others }: JsonObject): JsonObject {
  const { thinkingConfig: _, ...config } = isObject(generationConfig) ? generationConfig : {};
  return {
    ...others,
    contents: (contents as JsonObject[]).map(({ role, parts }) => ({
      role,
      parts: role === "model" ? joined(parts as JsonObject[]) : parts,
    })),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
}

/** The text of a model's turn is one text in chat completions. */
function joined(parts: readonly JsonObject[]): JsonObject[] {
  const text = parts.map((part) => part.text ?? "").join("");
  return [...(text === "" ? [] : [{ text }]), ...parts.filter((part) => part.text === undefined)];
}

/** Requests that cannot be conveyed or change, and why. */
const OTHER_REQUESTS: ReadonlyMap<string, string> = new Map([
  ["gemini/json_schema", "references are inlined once more"],
  ["vertex/files_typed", "other vendors cannot read files of Google's storage"],
  ["vertex/metadata_and_tier", "labels are Vertex's own"],
  ["gemini/parameters_fitted", "cached content is Google's own"],
]);

for (const name of NAMES) {
  const sent = read(`${name}/sent.json`);
  const { body, url } = sent ?? {};
  if (!isObject(body) || !Array.isArray(body.contents) || OTHER_REQUESTS.has(name)) continue;
  const [, model = ""] = /\/(?:models\/)?((?:tunedModels\/)?[^/:]+):/.exec(String(url)) ?? [];
  Deno.test(`gemini to chat to gemini: the request of ${name}`, async () => {
    const again = await exchange(name, model, body, REFUSAL);
    assert(again.sent.contents !== undefined, JSON.stringify(again.answer));
    assertEquals(comparable(again.sent), comparable(body));
  });
}

/** An answer without what chat completions do not hold. */
function summaryOf({ candidates, usageMetadata }: JsonObject): JsonObject {
  const usage = isObject(usageMetadata) ? usageMetadata : {};
  return {
    candidates: (candidates as JsonObject[]).map(({ content, finishReason }) => {
      const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
      return {
        text: parts.filter(({ thought }) => !thought).map(({ text }) => text ?? "").join(""),
        thoughts: parts.filter(({ thought }) => thought).map(({ text }) => text ?? "").join(""),
        calls: parts.flatMap(({ functionCall: call, thoughtSignature }) =>
          call ? [{ name: call.name, args: call.args ?? {}, thoughtSignature }] : []
        ),
        images: parts.flatMap(({ inlineData }) => inlineData ?? []),
        finishReason,
      };
    }),
    prompt: usage.promptTokenCount,
    total: usage.totalTokenCount,
    thoughts: usage.thoughtsTokenCount ?? 0,
    cached: usage.cachedContentTokenCount ?? 0,
  };
}

/** Answers that chat completions hold in another way, and why. */
const OTHER_ANSWERS: ReadonlyMap<string, string> = new Map([
  ["gemini/malformed_function_call", "a failure in chat completions"],
  ["gemini/other_without_content", "a failure in chat completions"],
  ["gemini/no_finish_reason", "an end in chat completions"],
  ["gemini/other_with_content", "an end in chat completions"],
  ["vertex/content_filter", "one kind of filter in chat completions"],
  ["gemini/usage_of_tools_and_thoughts_within", "prompts of tools are a part of the prompt"],
]);

for (const name of NAMES) {
  const upstream = read(`${name}/upstream.json`);
  const { body, status } = upstream ?? {};
  if (status !== 200 || !isObject(body) || !Array.isArray(body.candidates)) continue;
  if (OTHER_ANSWERS.has(name)) continue;
  Deno.test(`gemini to chat to gemini: the answer of ${name}`, async () => {
    const ask = {
      contents: [{ parts: [{ text: "Hi" }] }],
      generationConfig: { candidateCount: 2, thinkingConfig: { includeThoughts: true } },
    };
    const { answer } = await exchange(name, "gemini-3.5-flash", ask, () => Response.json(body));
    assert(answer.error === undefined, JSON.stringify(answer));
    assertEquals(summaryOf(answer), summaryOf(body));
  });
}

/** The bodies of the events of a stream. */
function bodiesOf(text: string): JsonObject[] {
  return text.split("\n").filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

/** A stream as one answer: the parts of its candidates, the last reason and the last usage. */
function joinedEvents(bodies: readonly JsonObject[]): JsonObject {
  const candidates = new Map<number, { parts: JsonObject[]; finishReason: unknown }>();
  for (const body of bodies) {
    for (const candidate of (body.candidates ?? []) as JsonObject[]) {
      const index = Number(candidate.index ?? 0);
      const known = candidates.get(index) ?? { parts: [], finishReason: undefined };
      candidates.set(index, known);
      const parts = isObject(candidate.content) ? candidate.content.parts : undefined;
      if (Array.isArray(parts)) known.parts.push(...parts);
      known.finishReason = candidate.finishReason ?? known.finishReason;
    }
  }
  return {
    candidates: [...candidates].sort(([one], [other]) => one - other)
      .map(([, { parts, finishReason }]) => ({ content: { parts }, finishReason })),
    usageMetadata: bodies.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata,
  };
}

/** Streams that chat completions hold in another way, and why. */
const OTHER_STREAMS: ReadonlyMap<string, string> = new Map([
  ["gemini/content_filter_stream", "one kind of filter in chat completions"],
  ["gemini/malformed_function_call_stream", "a failure in chat completions"],
  ["gemini/prompt_blocked_stream", "a failure in chat completions"],
  ["vertex/partial_arguments_broken_stream", "a failure in chat completions"],
  ["vertex/partial_arguments_stream", "the arguments are one text in chat completions"],
]);

/** Streams of failures. */
const FAILING = /error|truncated|malformed_stream/;

let streams = 0;
for (const name of NAMES) {
  const upstream = readText(`${name}/upstream.sse`);
  if (upstream === undefined || OTHER_STREAMS.has(name) || FAILING.test(name)) continue;
  streams++;
  Deno.test(`gemini to chat to gemini: the stream of ${name}`, async () => {
    const ask = {
      contents: [{ parts: [{ text: "Hi" }] }],
      generationConfig: { candidateCount: 2, thinkingConfig: { includeThoughts: true } },
    };
    const headers = { "content-type": "text/event-stream" };
    const { text } = await exchange(
      name,
      "gemini-3.5-flash",
      ask,
      () => new Response(upstream, { headers }),
      "streamGenerateContent?alt=sse",
    );
    assertEquals(
      summaryOf(joinedEvents(bodiesOf(text))),
      summaryOf(joinedEvents(bodiesOf(upstream))),
    );
  });
}

Deno.test("gemini to chat to gemini: there are many streams", () => {
  assert(streams > 10, `${streams} streams`);
});
