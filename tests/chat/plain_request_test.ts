import { assert, assertEquals } from "@std/assert";
import { type ChatRequest, chatRequestSchema, type JsonObject } from "../../src/chat/chat.ts";
import { toPlainRequest } from "../../src/chat/plain_request.ts";
import { Random } from "../support/random.ts";

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
  ...["metadata", "unknown"],
];

function toMessage(random: Random): unknown {
  if (random.chance(0.02)) return random.pick(VALUES);
  const message: JsonObject = { role: random.chance(0.9) ? "user" : random.pick(ROLES) };
  if (random.chance(0.95)) message.content = "Hello";
  if (random.chance(0.2)) message[random.pick(MESSAGE_MEMBERS)] = random.pick(VALUES);
  return message;
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
    plain++;
    assert(result.success, JSON.stringify(request));
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
  };
  assertEquals(toPlainRequest(request), request as ChatRequest);
  for (
    const other of [{ ...request, tools: [] }, { ...request, ["__proto__"]: {} }, { model: "m" }]
  ) {
    assertEquals(toPlainRequest(other), undefined);
  }
});
