/**
 * The requests of the compliance suite of Open Responses (src/lib/compliance-tests.ts of
 * https://github.com/openresponses/openresponses, 2026-11-22), against the mock and a converted
 * target. The suite itself is in no package; its demands are written down here.
 */

import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { anthropic } from "../../support/loops/claude.ts";
import { readEvents } from "../../support/responses/events.ts";
import { sayHello, ScriptedVendor } from "../../support/scripted_vendor.ts";

const int = z.int();
const textPart = z.looseObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()),
});
const item = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("message"),
    id: z.string(),
    status: z.enum(["in_progress", "completed", "incomplete"]),
    role: z.literal("assistant"),
    content: z.array(textPart),
  }),
  z.looseObject({
    type: z.literal("function_call"),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    status: z.enum(["in_progress", "completed", "incomplete"]),
  }),
  z.looseObject({ type: z.literal("reasoning"), id: z.string(), summary: z.array(z.unknown()) }),
]);
const tool = z.looseObject({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullable(),
});

/** The members that `ResponseResource` requires. */
const resource = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: int,
  completed_at: int.nullable(),
  status: z.string(),
  incomplete_details: z.looseObject({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(item),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(tool),
  tool_choice: z.union([z.enum(["none", "auto", "required"]), z.looseObject({})]),
  truncation: z.enum(["auto", "disabled"]),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: int,
  temperature: z.number(),
  reasoning: z.looseObject({}).nullable(),
  usage: z.looseObject({
    input_tokens: int,
    output_tokens: int,
    total_tokens: int,
    input_tokens_details: z.looseObject({ cached_tokens: int }),
    output_tokens_details: z.looseObject({ reasoning_tokens: int }),
  }).nullable(),
  max_output_tokens: int.nullable(),
  max_tool_calls: int.nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.unknown(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

const message = (role: string, content: unknown) => ({ type: "message", role, content });
const PIXEL = "data:image/png;base64," +
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
const WEATHER = {
  type: "function",
  name: "get_weather",
  description: "Get the current weather for a location",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
  },
};

interface Demand {
  readonly name: string;
  readonly request: JsonObject;
  readonly calls?: boolean;
}

const DEMANDS: readonly Demand[] = [
  { name: "basic response", request: { input: [message("user", "Say hello.")] } },
  {
    name: "system prompt",
    request: { input: [message("system", "Be a pirate."), message("user", "Say hello.")] },
  },
  {
    name: "tool calling",
    request: { input: [message("user", "The weather in Oslo, by get_weather?")], tools: [WEATHER] },
    calls: true,
  },
  {
    name: "image input",
    request: {
      input: [
        message("user", [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: PIXEL },
        ]),
      ],
    },
  },
  {
    name: "several turns",
    request: {
      input: [
        message("user", "My name is Alice."),
        message("assistant", "Hello Alice!"),
        message("user", "What is my name?"),
      ],
    },
  },
];

const TARGETS: Readonly<Record<string, JsonObject>> = {
  mock: { kind: "mock", models: ["m"] },
  "a converted target": { kind: "anthropic", api_key: VENDOR_KEY, models: ["m"] },
};

/** Says hello, or calls the tool where there is one. */
const vendor = () =>
  new ScriptedVendor((sent) => {
    if (sent.body.tools === undefined) return sayHello(sent);
    const calls = anthropic.calls.slice(0, 1);
    return sent.body.stream === true
      ? anthropic.stream(calls)
      : Response.json(anthropic.answer(calls));
  });

for (const [target, provider] of Object.entries(TARGETS)) {
  for (const { name, request, calls = false } of DEMANDS) {
    for (const stream of [false, true]) {
      Deno.test(`Open Responses, ${target}: ${name}${stream ? ", streamed" : ""}`, async () => {
        const gateway = createTestGateway({
          config: { providers: { p: provider } },
          fetch: vendor().fetch,
        });
        const answer = await gateway.call("/v1/responses", { model: "m", ...request, stream });
        const text = await answer.text();
        assertEquals(answer.status, 200, text);
        const response = stream ? expectEvents(text, calls) : JSON.parse(text);
        const { status, output } = resource.parse(response);
        assertEquals(status, "completed");
        assert(output.length > 0);
        if (calls) assert(output.some(({ type }) => type === "function_call"), text);
      });
    }
  }
}

/** Checks the events of a stream. Returns the response of the last one. */
function expectEvents(text: string, calls: boolean): unknown {
  const events = readEvents(text) as readonly JsonObject[];
  assertEquals(events.map((event) => event.sequence_number), events.map((_, at) => at));
  const types = new Set(events.map(({ type }) => type));
  for (const { response } of events) if (response !== undefined) resource.parse(response);
  if (calls) {
    for (const type of ["delta", "done"]) {
      assert(types.has(`response.function_call_arguments.${type}`), [...types].join());
    }
    for (const type of ["added", "done"]) {
      const found = events.some((event) =>
        event.type === `response.output_item.${type}` &&
        (event.item as JsonObject).type === "function_call"
      );
      assert(found, type);
    }
  }
  const last = events.at(-1);
  assertEquals(last?.type, "response.completed");
  return last?.response;
}
