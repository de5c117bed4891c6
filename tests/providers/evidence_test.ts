/**
 * A support level is a promise. For each kind of provider, and each of its APIs, the parameters
 * that callers use most have a case below tests/fixtures whose request uses them, and what is sent
 * depends on them. The cases that every kind has come to the answers that their names say.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject, type Parameter } from "../../src/contract/chat.ts";
import type { Adapter } from "../../src/contract/adapter.ts";
import { adapters } from "../../src/providers/registry.ts";
import type { ContentKind } from "../../src/contract/support.ts";
import { RequestChanges } from "../../src/contract/request_changes.ts";
import { readChatRequest } from "../../src/apis/chat/read_request.ts";
import { check } from "../../src/gateway/execute/chat/prepare_request.ts";
import { configOf, type Fixture, readFixtures } from "../support/fixtures.ts";
import { prepared } from "../support/folding.ts";
import { countedIds, loadTestConfig } from "../support/gateway.ts";
import { type CaseRun, runCase } from "../support/run_case.ts";

/** Kinds that need no evidence of a vendor's bytes, and why. */
const EXEMPT: ReadonlyMap<string, string> = new Map([
  ["mock", "it answers in the process: there are no bytes of a vendor's"],
]);

const PARAMETERS = [
  "stream",
  "tools",
  "tool_choice",
  "response_format",
] as const satisfies readonly Parameter[];
const CONTENT = ["image_url", "image_data"] as const satisfies readonly ContentKind[];

/** Kinds with their own format, or with OpenAI's models behind them. */
const NATIVE = new Set([
  ...["openai", "azure", "anthropic", "gemini", "vertex", "bedrock"],
  ...["mistral", "cohere", "ollama"],
]);
/** What the answer of a case is, by the name that the case has at every kind. */
const ANSWERS: Readonly<Record<string, RegExp>> = {
  text: /^200 .*"content":"[^"]/,
  text_stream: /^data: .*"delta":\{[^]*"content":"[^"][^]*\[DONE\]/,
  error_auth: /^502 .*"code":"upstream_auth"/,
  tool_call:
    /^200 .*"tool_calls":\[\{.*"finish_reason":"tool_calls"|^200 .*"finish_reason":"tool_calls".*"tool_calls":\[\{/,
  tool_call_stream: /"tool_calls":\[\{[^]*"finish_reason":"tool_calls"[^]*\[DONE\]/,
  parallel_tool_calls_stream: /"tool_calls":\[\{[^\n]*"index":1,[^]*\[DONE\]/,
  tool_result_turn: /^200 .*"content":"[^"]/,
  image: /^200 .*"content":"[^"]/,
  json_schema: /^200 .*"content":"\{/,
  length: /^200 .*"finish_reason":"length"/,
  content_filter: /^200 .*"finish_reason":"content_filter"|^400 .*"code":"content_filter"/,
  reasoning_stream: /"reasoning_content":"[^"][^]*\[DONE\]/,
  error_rate_limit: /^429 .*"code":"rate_limit_exceeded"/,
  error_context_length: /^400 .*"code":"context_length_exceeded"/,
  error_in_stream: /^data: .*"delta"[^]*data: \{"error":\{(?![^]*\[DONE\])/,
  truncated_stream: /^data: .*"delta"[^]*data: \{"error":\{(?![^]*\[DONE\])/,
};
/** Kinds whose answer to a case of that name is another. */
const OTHER_ANSWERS: ReadonlyMap<string, RegExp> = new Map([
  // Chat completions of OpenAI's models do not show their reasoning.
  ["openai/reasoning_stream", /"content":"[^"][^]*\[DONE\]/],
  ["azure/reasoning_stream", /"content":"[^"][^]*\[DONE\]/],
  // The vendor has no filter: the model declines in its text.
  ["ollama/content_filter", /^200 .*"content":"[^"].*"finish_reason":"stop"/],
]);
const EVERYWHERE = ["text", "text_stream", "error_auth"];
const OF_NATIVE = Object.keys(ANSWERS).filter((name) =>
  !EVERYWHERE.includes(name) && name !== "tool_call_stream"
);

const fixtures = Map.groupBy(readFixtures(), ({ vendor }) => vendor);

Deno.test("every fixture folder belongs to a kind of the registry", () => {
  assertEquals([...fixtures.keys()].filter((kind) => !adapters.has(kind)), []);
});

Deno.test("every kind that is exempt from evidence exists", () => {
  assertEquals([...EXEMPT.keys()].filter((kind) => !adapters.has(kind)), []);
});

for (const adapter of adapters.values()) {
  if (EXEMPT.has(adapter.kind) || adapter.chats === false) continue;

  const cases = fixtures.get(adapter.kind) ?? [];

  const names = new Set(cases.map(({ name }) => name));

  Deno.test(
    `${adapter.kind}: it has the cases that ${
      NATIVE.has(adapter.kind) ? "every format" : "every dialect"
    } has`,
    () => assertEquals(casesOf(adapter).filter((name) => !names.has(name)), []),
  );

  for (const one of cases) {
    const expected = OTHER_ANSWERS.get(`${one.vendor}/${one.name}`) ?? ANSWERS[one.name];
    if (expected === undefined) continue;
    Deno.test(`${adapter.kind}: the case ${one.name} is answered with what its name says`, async () => {
      const text = textOf(await runCase(one));
      assert(expected.test(text), `${expected} is not in ${text}`);
    });
  }

  Deno.test(`${adapter.kind}: what is sent depends on every parameter that each of its APIs takes`, () => {
    const reached = cases.filter(({ about }) => about.sent !== false);
    const apis = Map.groupBy(reached, servedBy);
    assert(apis.size > 0, `nothing below tests/fixtures/${adapter.kind} is sent`);
    const missing = [...apis].flatMap(([api, served]) =>
      promisesOf(api).filter((name) => !served.some((one) => uses(one, name) && matters(one, name)))
        .map((name) => `${name}, where ${served[0]?.name} is served`)
    );
    assertEquals(missing, []);
  });
}

function casesOf({ kind, supports }: Adapter): readonly string[] {
  const calls = isPromise(supports.parameters.tools.level) ? ["tool_call_stream"] : [];
  return [...EVERYWHERE, ...calls, ...NATIVE.has(kind) ? OF_NATIVE : []];
}

/** Status and body of an answer, or the text of a stream. */
function textOf({ answer }: CaseRun): string {
  if (typeof answer === "string") return answer;
  return `${answer.status} ${JSON.stringify(answer.body)}`;
}

/** The adapter that a case's request is routed to. */
function servedBy(fixture: Fixture): Adapter {
  const request = readChatRequest(structuredClone(fixture.request));
  const [link] = loadTestConfig(configOf(fixture)).resolve(request.model) ?? [];
  if (link === undefined) throw new TypeError(`${fixture.directory} names no configured model`);
  return check(link.target, request, new RequestChanges(), countedIds()).adapter;
}

/** Whether the vendor is sent something else for the case's request without this. */
function matters(fixture: Fixture, name: string): boolean {
  // An image is downloaded before a request is converted; the goldens show what becomes of it.
  if (name === "image_url") return true;
  const { url, body } = prepared(fixture).unsigned;
  const { [name]: _, ...request } = fixture.request;
  const without = name.startsWith("image_") ? withoutImages(request) : request;
  const other = prepared({ ...fixture, request: without }).unsigned;
  return JSON.stringify([url, body]) !== JSON.stringify([other.url, other.body]);
}

function withoutImages(request: Fixture["request"]): Fixture["request"] {
  const messages = Array.isArray(request.messages) ? request.messages.filter(isObject) : [];
  const texts = (content: unknown) =>
    Array.isArray(content)
      ? content.filter((part) => !isObject(part) || part.type !== "image_url")
      : content;
  return {
    ...request,
    messages: messages.map((message) => ({ ...message, content: texts(message.content) })),
  };
}

/** What the adapter takes, or makes something of. */
function promisesOf({ supports }: Adapter): (Parameter | ContentKind)[] {
  return [
    ...PARAMETERS.filter((name) => isPromise(supports.parameters[name].level)),
    ...CONTENT.filter((name) => isPromise(supports.content[name].level)),
  ];
}

function isPromise(level: string): boolean {
  return level !== "ignored" && level !== "refused";
}

/** Whether a case's request says this. */
function uses({ request }: Fixture, name: string): boolean {
  switch (name) {
    case "stream":
      return request.stream === true;
    case "image_url":
      return imagesOf(request).some((url) => /^https?:/.test(url));
    case "image_data":
      return imagesOf(request).some((url) => url.startsWith("data:"));
    default:
      return request[name] !== undefined && request[name] !== null;
  }
}

function imagesOf({ messages }: Fixture["request"]): string[] {
  const turns = Array.isArray(messages) ? messages.filter(isObject) : [];
  const parts = turns.flatMap(({ content }) => Array.isArray(content) ? content : []);
  return parts.filter(isObject).map(({ image_url: image }) => isObject(image) ? image.url : "")
    .filter((url) => typeof url === "string" && url !== "").map(String);
}
