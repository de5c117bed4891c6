import { assert, assertEquals } from "@std/assert";
import {
  type ChatRequest,
  chatRequestSchema,
  isObject,
  type JsonObject,
} from "../../../src/contract/chat.ts";
import { toPlainRequest } from "../../../src/apis/chat/read_request.ts";
import { checkMemberNames } from "../../../src/gateway/execute/member_names.ts";
import { Random } from "../../support/random.ts";

/** Values of which some are valid for some members. */
const VALUES: readonly unknown[] = [
  ...["", "m", "user", "\u0000", null, true, false, [], {}, ["x"], { a: 1 }],
  ...[-3, -2, -0.5, 0, 0.5, 1, 2, 2.5, 128, 1e21, 2 ** 53, Number.MAX_SAFE_INTEGER],
];
const ROLES = ["system", "developer", "user", "assistant", "tool", "function", "other", 1, null];
const MESSAGE_MEMBERS = [
  ...["content", "content", "content", "name", "tool_calls", "refusal", "function_call"],
  ...["tool_call_id", "unknown"],
];
const MEMBERS = [
  ...["stream", "stream_options", "temperature", "top_p", "n", "max_tokens", "stop", "tools"],
  ...["max_completion_tokens", "frequency_penalty", "presence_penalty", "user", "models", "seed"],
  ...["metadata", "parallel_tool_calls", "tool_choice", "unknown"],
];

function toMessage(random: Random): unknown {
  if (random.chance(0.02)) return random.pick(VALUES);
  if (random.chance(0.3)) return toCallTurn(random);
  const message: JsonObject = { role: random.chance(0.9) ? "user" : random.pick(ROLES) };
  if (random.chance(0.95)) message.content = "Hello";
  if (random.chance(0.1)) message.content = [{ type: "text", text: "Hello" }];
  if (random.chance(0.2)) message[random.pick(MESSAGE_MEMBERS)] = random.pick(VALUES);
  return message;
}

/** A value with, now and then, a member exchanged, added or taken away at some level. */
function mutated(random: Random, value: JsonObject): JsonObject {
  if (random.chance(0.8)) return value;
  const copy: JsonObject = { ...value };
  const name = random.pick([...Object.keys(copy), "unknown", "name", "content"]);
  const member = copy[name];
  if (random.chance(0.2)) delete copy[name];
  else if (isObject(member) && random.chance(0.7)) copy[name] = mutated(random, member);
  else if (Array.isArray(member) && member.length > 0 && random.chance(0.7)) {
    copy[name] = [mutated(random, member[0])];
  } else copy[name] = random.pick(VALUES);
  return copy;
}

/** A turn with calls, or a result. */
function toCallTurn(random: Random): JsonObject {
  const called = { name: "weather", arguments: "{}" };
  const calls = [{ id: "call_1", type: "function", function: called }];
  const result = { role: "tool", tool_call_id: "call_1", content: "Sun" };
  const turn = random.chance(0.5)
    ? result
    : { role: "assistant", content: random.pick(["Hi", null]), tool_calls: calls };
  return mutated(random, JSON.parse(JSON.stringify(turn)));
}

function toTool(random: Random): JsonObject {
  const parameters = { type: "object", properties: {} };
  return mutated(random, {
    type: "function",
    function: { name: "weather", description: "The weather", parameters, strict: true },
  });
}

function toRequest(random: Random): JsonObject {
  const request: JsonObject = {
    model: random.chance(0.95) ? "m" : random.pick(VALUES),
    messages: random.chance(0.95)
      ? Array.from({ length: random.below(4) }, () => toMessage(random))
      : random.pick(VALUES),
  };
  for (let count = random.below(4); count > 0; count--) {
    request[random.pick(MEMBERS)] = random.pick(VALUES);
  }
  if (random.chance(0.3)) request.tools = [toTool(random)];
  if (random.chance(0.1)) request.tool_choice = random.pick(["auto", "any", "none", "required"]);
  if (random.chance(0.2)) request.stream_options = { include_usage: random.pick(VALUES) };
  if (random.chance(0.02)) delete request.model;
  return request;
}

const RUNS = Deno.env.get("SLUICE_LONG_TESTS") === "1" ? 80_000 : 20_000;

Deno.test("every plain request is read as the schema reads it", () => {
  const random = new Random(11);
  let plain = 0;
  let refused = 0;
  for (let run = 0; run < RUNS; run++) {
    const request = toRequest(random);
    const result = chatRequestSchema.safeParse(request);
    if (!result.success) refused++;
    const read = toPlainRequest(request);
    if (read === undefined) continue;
    if (read.max_tokens === undefined || read.max_completion_tokens === undefined) {
      checkMemberNames(request, "chat_completions");
    }
    plain++;
    assert(result.success, JSON.stringify(request));
    if (result.data?.stream !== true) delete result.data?.stream_options;
    assertEquals(read, result.data);
    assertEquals(Object.keys(read), Object.keys(result.data ?? {}));
  }
  assert(plain > RUNS / 20 && refused > RUNS / 20, `${plain} plain, ${refused} refused`);
});

Deno.test("requests of usual clients are plain; those with other members are not", () => {
  const request = {
    model: "m",
    messages: [{ role: "system", content: "Be brief." }, { role: "user", content: "Hello" }],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.7,
    max_completion_tokens: 100,
    tools: [{ type: "function", function: { name: "weather", parameters: {} } }],
    tool_choice: "auto",
  };
  assertEquals(toPlainRequest(request), request as ChatRequest);
  const { stream: _, stream_options: __, ...unary } = request;
  assertEquals(
    toPlainRequest({ ...unary, stream_options: request.stream_options }),
    unary as ChatRequest,
  );
  for (
    const other of [{ ...request, tools: [] }, { ...request, ["__proto__"]: {} }, { model: "m" }]
  ) {
    assertEquals(toPlainRequest(other), undefined);
  }
});
