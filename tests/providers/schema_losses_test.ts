/**
 * Nothing is removed from a schema in silence: every keyword of a caller's schema reaches the
 * vendor, in the schema or in words, or the receipt says that the schema was changed.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";
import { serviceAccount, TOKEN_URI } from "../support/service_account.ts";
import { CHAT_KINDS } from "../support/chat_kinds.ts";

/** A member of every schema below, by which what is sent is found again. */
const MARK = "m4rk3r";

/** A value for each keyword of JSON Schema, and for some that only generators of schemas write. */
const KEYWORDS: Readonly<Record<string, unknown>> = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://a.test/schema",
  $anchor: "here",
  $comment: "a comment",
  title: "Title",
  description: "Described.",
  default: "a",
  deprecated: true,
  readOnly: true,
  writeOnly: false,
  example: "a",
  examples: ["a", "b"],
  enum: ["a", "b"],
  const: "a",
  format: "regex",
  pattern: "^a",
  minLength: 1,
  maxLength: 9,
  minimum: 1,
  maximum: 9,
  exclusiveMinimum: 0,
  exclusiveMaximum: 10,
  multipleOf: 2,
  items: { type: "string" },
  prefixItems: [{ type: "string" }],
  contains: { type: "string" },
  minContains: 1,
  maxContains: 2,
  minItems: 2,
  maxItems: 9,
  uniqueItems: true,
  unevaluatedItems: false,
  minProperties: 1,
  maxProperties: 9,
  patternProperties: { "^a": { type: "string" } },
  propertyNames: { pattern: "^a" },
  additionalProperties: false,
  unevaluatedProperties: false,
  dependentRequired: { a: ["b"] },
  dependentSchemas: { a: { required: ["b"] } },
  anyOf: [{ type: "string" }, { type: "null" }],
  oneOf: [{ type: "string" }, { type: "null" }],
  allOf: [{ minLength: 1 }, { maxLength: 9 }],
  not: { type: "null" },
  if: { type: "string" },
  then: { minLength: 1 },
  else: { minimum: 1 },
  $ref: "https://a.test/nowhere",
  nullable: true,
  "x-order": 1,
  "x-origin": { file: "a.ts" },
};

/** What a vendor may be sent instead, which says the same. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  const: ["enum"],
};

/** Models by kind, where one kind has several ways with schemas. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["claude-opus-5", "claude-sonnet-4-20250514"],
  bedrock: ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "us.amazon.nova-lite-v1:0"],
  cohere: ["command-a-03-2025"],
  gemini: ["gemini-3.5-flash", "gemini-2.5-flash"],
  moonshot: ["kimi-k2.6"],
  ollama: ["qwen3:8b"],
  openai: ["gpt-4.1", "gpt-5.5-pro"],
  vertex: ["gemini-3.5-flash", "claude-opus-5"],
  xai: ["grok-4.5"],
};

/** How a request has a schema. */
const PLACES: Readonly<Record<string, (schema: JsonObject) => JsonObject>> = {
  "a tool": (parameters) => ({ tools: [toTool({ name: "look", parameters })] }),
  "a strict tool": (parameters) => ({
    tools: [toTool({ name: "look", strict: true, parameters })],
  }),
  "a format": (schema) => ({
    response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
  }),
};

/** Entries of a receipt that tell of a changed schema, or of one that was left out. */
const TOLD = /^(?:tools\.parameters|response_format\.json_schema|tools)$/;

for (const kind of CHAT_KINDS) {
  if (kind === "mock") continue;
  for (const model of MODELS[kind] ?? ["some-model"]) {
    Deno.test(`${kind}: no keyword of a schema is dropped silently for ${model}`, async () => {
      const lost: string[] = [];
      const send = senderTo(kind, model);
      for (const [place, toMembers] of Object.entries(PLACES)) {
        for (const keyword of Object.keys(KEYWORDS)) {
          for (const [where, schema] of schemasWith(keyword)) {
            const sent = await send(toMembers(schema));
            if (sent !== undefined && isLost(keyword, schema, sent)) {
              lost.push(`${keyword} ${where} of ${place}`);
            }
          }
        }
      }
      assertEquals(lost, []);
    });
  }
}

Deno.test("a silently dropped keyword is detected", () => {
  const [[, schema] = ["", {}]] = schemasWith("default");
  const reported = (parameters: unknown, notes: string[] = []) =>
    isLost("default", schema, { body: { tools: [{ parameters }] }, notes });
  assertEquals(reported(schema), false);
  assertEquals(reported({ properties: { [MARK]: {} } }), true);
  assertEquals(reported({ properties: { [MARK]: {} } }, ["tools.parameters"]), false);
  assertEquals(reported({ properties: { [MARK]: { description: "(default: a)" } } }), true);
  assertEquals(isLost("default", schema, { body: {}, notes: [] }), true);
  assertEquals(
    isLost("default", schema, { body: { system: JSON.stringify(schema) }, notes: [] }),
    false,
  );
});

/** Schemas that have a keyword on a member, and at their root. */
function schemasWith(keyword: string): readonly (readonly [where: string, schema: JsonObject])[] {
  const value = KEYWORDS[keyword];
  const root = { type: "object", required: [MARK], additionalProperties: false };
  const typed = keyword === "$ref" ? {} : { type: typeFor(keyword) };
  const member = { ...root, properties: { [MARK]: { ...typed, [keyword]: value } } };
  const atRoot = { ...root, properties: { [MARK]: { type: "string" } }, [keyword]: value };
  return [
    ["on a member", member],
    ...(AT_ROOT.has(keyword) ? [["at the root", atRoot] as const] : []),
  ];
}

const AT_ROOT = new Set([
  ...["$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated"],
  ...["minProperties", "maxProperties", "patternProperties", "propertyNames", "dependentRequired"],
  ...["dependentSchemas", "anyOf", "oneOf", "allOf", "not", "if", "x-order", "x-origin"],
]);

function typeFor(keyword: string): string {
  if (/item|contains/i.test(keyword)) return "array";
  if (/propert|dependent/i.test(keyword)) return "object";
  return /minimum|maximum|multiple/i.test(keyword) ? "integer" : "string";
}

interface Sent {
  readonly body: unknown;
  /** The receipt's entries, by the parameter that each is about. */
  readonly notes: readonly string[];
}

/** Whether a keyword of the schema was dropped without a report. */
function isLost(keyword: string, schema: JsonObject, { body, notes }: Sent): boolean {
  if (notes.some((note) => TOLD.test(note))) return false;
  const whole = JSON.stringify(schema);
  const [found] = schemasIn(body);
  if (found === undefined) return !textsIn(body).some((text) => text.includes(whole));
  const kept = [keyword, ...(SAME[keyword] ?? [])];
  const given = count(schema, [keyword]);
  return count(found, kept) < given;
}

function count(value: unknown, names: readonly string[]): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + count(one, names), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + (names.includes(name) ? 1 : 0) + count(inner, names),
    0,
  );
}

/** The schemas in a body that have the mark; a schema may be the text of JSON. */
function schemasIn(value: unknown): JsonObject[] {
  if (typeof value === "string" && value.startsWith("{")) return schemasIn(JSON.parse(value));
  if (Array.isArray(value)) return value.flatMap(schemasIn);
  if (!isObject(value)) return [];
  if (isObject(value.properties) && MARK in value.properties) return [value];
  return Object.values(value).flatMap(schemasIn);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Gives what a vendor gets for a request; undefined where the request is refused. */
function senderTo(kind: string, model: string) {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({
    config: { providers: { v: { ...providerOf(kind), models: [model] } } },
    fetch: (url, init) =>
      url === TOKEN_URI
        ? Promise.resolve(Response.json({ access_token: VENDOR_KEY }))
        : vendor.fetch(url, init),
  });
  return async (members: JsonObject): Promise<Sent | undefined> => {
    vendor.sent.length = 0;
    const messages = [{ role: "user", content: "Hi" }];
    const response = await gateway.call("/v1/chat/completions", { model, messages, ...members });
    const text = await response.text();
    assertEquals(gateway.bugs, []);
    if (response.status !== 200) {
      assert(response.status === 400 && vendor.sent.length === 0, text);
      return undefined;
    }
    const notes = ["x-sluice-converted", "x-sluice-ignored"].flatMap((name) =>
      (response.headers.get(name) ?? "").split(", ").map((note) => note.split(/->| /, 1)[0] ?? "")
    );
    // That the format has another name says nothing of its schema.
    return { body: vendor.body, notes: notes.filter((note) => note !== "response_format") };
  };
}

function providerOf(kind: string): JsonObject {
  switch (kind) {
    case "bedrock":
      return { kind, api_key: VENDOR_KEY, region: "us-east-1" };
    case "vertex":
      return { kind, credentials: serviceAccount().json };
    case "openai":
      return { kind, api_key: VENDOR_KEY };
    default:
      return { kind, api_key: VENDOR_KEY, base_url: "http://vendor.test/v1" };
  }
}

function toTool(made: JsonObject): JsonObject {
  return { type: "function", function: made };
}
