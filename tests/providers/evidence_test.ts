/**
 * A verdict is a promise: for each kind of provider, and each of its APIs, every
 * verdict on what callers lean on most has a case below tests/fixtures whose
 * request uses it. Beside that stand the cases that every kind has.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject } from "../../src/chat/chat.ts";
import { readChatRequest } from "../../src/chat/read_request.ts";
import { check } from "../../src/routing/prepare_request.ts";
import type { Adapter } from "../../src/providers/contract/adapter.ts";
import { adapters } from "../../src/providers/registry.ts";
import { type ContentKind, type Parameter, Receipt } from "../../src/providers/contract/support.ts";
import { configOf, type Fixture, readFixtures } from "../support/fixtures.ts";
import { countedIds, loadTestConfig } from "../support/gateway.ts";

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

/** Kinds with a format of their own, or with OpenAI's models behind them. */
const NATIVE = new Set([
  ...["openai", "azure", "anthropic", "gemini", "vertex", "bedrock"],
  ...["mistral", "cohere", "ollama"],
]);
const EVERYWHERE = ["text", "text_stream", "error_auth"];
const OF_NATIVE = [
  ...["tool_call", "parallel_tool_calls_stream", "tool_result_turn"],
  ...["image", "json_schema", "length", "content_filter", "reasoning_stream"],
  ...["error_rate_limit", "error_context_length", "error_in_stream", "truncated_stream"],
];

const fixtures = Map.groupBy(readFixtures(), ({ vendor }) => vendor);

Deno.test("every folder of fixtures is of a kind in the registry", () => {
  assertEquals([...fixtures.keys()].filter((kind) => !adapters.has(kind)), []);
});

Deno.test("every kind that is exempt from evidence is in the registry", () => {
  assertEquals([...EXEMPT.keys()].filter((kind) => !adapters.has(kind)), []);
});

for (const adapter of adapters.values()) {
  if (EXEMPT.has(adapter.kind)) continue;

  const cases = fixtures.get(adapter.kind) ?? [];

  Deno.test(
    `${adapter.kind}: it has the cases that ${
      NATIVE.has(adapter.kind) ? "every format" : "every dialect"
    } has`,
    () => {
      const names = new Set(cases.map(({ name }) => name));
      assertEquals(casesOf(adapter).filter((name) => !names.has(name)), []);
    },
  );

  Deno.test(`${adapter.kind}: every verdict of each of its APIs has a case that uses it`, () => {
    const reached = cases.filter(({ about }) => about.sent !== false);
    const apis = Map.groupBy(reached, servedBy);
    assert(apis.size > 0, `nothing below tests/fixtures/${adapter.kind} is sent`);
    const missing = [...apis].flatMap(([api, served]) =>
      verdictsOf(api).filter((name) => !served.some((one) => uses(one, name)))
        .map((name) => `${name}, where ${served[0]?.name} is served`)
    );
    assertEquals(missing, []);
  });
}

function casesOf({ kind, supports }: Adapter): readonly string[] {
  const calls = isPromise(supports.parameters.tools.verdict) ? ["tool_call_stream"] : [];
  return [...EVERYWHERE, ...calls, ...NATIVE.has(kind) ? OF_NATIVE : []];
}

/** The adapter that a case's request is routed to. */
function servedBy(fixture: Fixture): Adapter {
  const request = readChatRequest(structuredClone(fixture.request));
  const [link] = loadTestConfig(configOf(fixture)).resolve(request.model) ?? [];
  if (link === undefined) throw new TypeError(`${fixture.directory} names no configured model`);
  return check(link.target, request, new Receipt(), countedIds()).adapter;
}

/** What the adapter takes, or makes something of. */
function verdictsOf({ supports }: Adapter): (Parameter | ContentKind)[] {
  return [
    ...PARAMETERS.filter((name) => isPromise(supports.parameters[name].verdict)),
    ...CONTENT.filter((name) => isPromise(supports.content[name].verdict)),
  ];
}

function isPromise(verdict: string): boolean {
  return verdict !== "ignored" && verdict !== "refused";
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
