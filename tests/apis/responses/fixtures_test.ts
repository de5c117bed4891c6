/**
 * Every case below tests/fixtures through the Responses API: the vendor gets the same request as
 * for an equivalent chat request, and the answer has the same content as that of the chat request.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { createResponsesFormat } from "../../../src/apis/responses/format.ts";
import { ToolNames } from "../../../src/apis/responses/tools.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { cutsOf } from "../../support/cuts.ts";
import { configOf, type Fixture, pathOf, readFixtures } from "../../support/fixtures.ts";
import { prepared, type PreparedCase } from "../../support/folding.ts";
import { countedIds, createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { readStream, type Said, saidBy } from "../../support/responses/events.ts";
import { fromChat } from "../../support/responses/from_chat.ts";
import { TOKEN_URI } from "../../support/service_account.ts";
import { createFold } from "../../../src/gateway/execute/chat/chat_operation.ts";

/** Cases whose vendor is asked through an API that the converted request does not use. */
const OTHER_API = /^responses(_|$)/;

const cases = readFixtures().filter(({ vendor, name }) =>
  !(vendor === "openai" || vendor === "azure") || !OTHER_API.test(name)
);
testCases(
  "a Responses request is sent and answered as the chat request",
  cases,
  async (fixture) => {
    const { body, lost } = fromChat(fixture.request);
    const { sent, status, type, text } = await run(fixture, body);
    if (lost.length === 0 && fixture.about.sent !== false) {
      assertEquals(sent, readGolden(fixture, "sent.json").body);
    }
    if (lost.length > 0) return;
    const said = saidByChat(fixture);
    if ("error" in said) return expectError(said, status, type, text);
    assertEquals(status, 200, text);
    const response = type.startsWith("text/event-stream") ? readStream(text) : JSON.parse(text);
    const own = saidBy(response);
    // Chat clients ask for the usage of a stream; here it always comes.
    assertEquals(own, said.usage === undefined ? { ...said, usage: own.usage } : said);
  },
);

Deno.test("the cases hold requests, answers, streams and errors", () => {
  const complete = cases.filter(({ request }) => fromChat(request).lost.length === 0);
  const sent = complete.filter(({ about }) => about.sent !== false);
  const failed = complete.filter((fixture) => "error" in saidByChat(fixture));
  const answered = complete.filter((fixture) => !failed.includes(fixture));
  const streamed = answered.filter(({ request }) => request.stream === true);
  assert(sent.length > 200, `${sent.length} requests`);
  assert(answered.length - streamed.length > 60, `${answered.length} answers`);
  assert(streamed.length > 60, `${streamed.length} streams`);
  assert(failed.length > 60, `${failed.length} errors`);
  assert(NATIVE_KINDS.size > 5, `${NATIVE_KINDS.size} kinds`);
});

const CUT_VENDORS = new Set(["openai", "anthropic", "gemini", "bedrock", "mistral", "groq"]);

testCases(
  "the events are the same wherever the stream is cut",
  cases.filter(({ vendor }) => CUT_VENDORS.has(vendor)),
  (fixture) => {
    if (fixture.upstream.type !== "stream") return;
    const { bytes } = fixture.upstream;
    const one = prepared(fixture);
    const whole = toEvents(one, [bytes]);
    for (const at of cutsOf(bytes.length)) {
      const events = toEvents(one, [bytes.subarray(0, at), bytes.subarray(at)]);
      if (events !== whole) assertEquals(events, whole, `cut at ${at}`);
    }
    assertEquals(toEvents(one, Array.from(bytes, (byte) => Uint8Array.of(byte))), whole);
  },
);

/** Registers one test for each vendor. A failure names its case. */
function testCases(
  title: string,
  cases: readonly Fixture[],
  check: (fixture: Fixture) => void | Promise<void>,
): void {
  for (const [vendor, own] of Map.groupBy(cases, ({ vendor }) => vendor)) {
    Deno.test(`${vendor}: ${title}`, async () => {
      for (const fixture of own) {
        try {
          await check(fixture);
        } catch (thrown) {
          throw new Error(`${vendor}/${fixture.name}: ${thrown}`, { cause: thrown });
        }
      }
    });
  }
}

function toEvents(
  { adapter, call, target }: PreparedCase,
  pieces: readonly Uint8Array[],
): string {
  const own = { ...call, newId: countedIds() };
  const context = {
    request: { model: "m" },
    names: new ToolNames(),
    wallTime: () => 0,
    onAnswer() {},
  };
  const format = createResponsesFormat(context);
  const stamp = { id: "resp_test", created: 1_700_000_000, model: target.model.upstream };
  const fold = createFold({ adapter, call: own, format, stamp, target });
  let text = "";
  for (const piece of pieces) text += fold.push(piece);
  if (!fold.ended) text += fold.end();
  if (fold.failure !== undefined) {
    text += new TextDecoder().decode(format.writeStreamError(fold.failure, "req_test"));
  }
  return text;
}

interface Run {
  readonly sent: unknown;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function run(fixture: Fixture, body: JsonObject): Promise<Run> {
  let sent: unknown;
  const gateway = createTestGateway({
    config: toChatOnly(configOf(fixture)),
    fetch: (url, init) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: VENDOR_KEY }));
      sent = JSON.parse(String(init.body));
      return Promise.resolve(toVendorResponse(fixture));
    },
  });
  const response = await gateway.call("/v1/responses", body, {
    "x-request-id": "req_test",
    ...fixture.about.headers,
  });
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
  const type = response.headers.get("content-type") ?? "";
  return { sent, status: response.status, type, text };
}

/** Kinds that have the Responses API themselves. */
const NATIVE_KINDS = new Set(
  [...adapters.values()].filter(({ native }) => native !== undefined)
    .filter(({ options }) => options !== undefined && "api" in options.shape)
    .map(({ kind }) => kind),
);

/** The configuration with the Responses API of the provider disabled. */
function toChatOnly({ providers, ...config }: JsonObject): JsonObject {
  const entries = Object.entries(providers as JsonObject).map(([id, members]) => {
    const { kind, ...others } = members as JsonObject;
    const api = NATIVE_KINDS.has(String(kind)) ? { api: "chat" } : {};
    return [id, { kind, ...others, ...api }];
  });
  return { ...config, providers: Object.fromEntries(entries) };
}

function toVendorResponse({ upstream }: Fixture): Response {
  if (upstream.type === "stream") {
    return new Response(upstream.bytes, { headers: { "content-type": upstream.contentType } });
  }
  const { status, headers, body } = upstream;
  return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
}

function readGolden(fixture: Fixture, file: string): JsonObject {
  return JSON.parse(Deno.readTextFileSync(pathOf(fixture, file)));
}

interface FailedChat {
  readonly status: number | undefined;
  readonly error: JsonObject;
}

/** What the golden answer to the chat request says: of its first choice, since there is only one here. */
function saidByChat(fixture: Fixture): Said | FailedChat {
  const sse = Deno.readDirSync(fixture.directory).find(({ name }) => name === "answer.sse");
  if (sse !== undefined) {
    return saidByChunks(Deno.readTextFileSync(`${fixture.directory}/answer.sse`));
  }
  const { status, body } = readGolden(fixture, "answer.json");
  const answer = body as JsonObject;
  if (isObject(answer.error)) return { status: Number(status), error: answer.error };
  const [choice] = answer.choices as JsonObject[];
  const message = choice?.message as JsonObject;
  return toSaid({
    text: String(message.content ?? ""),
    refusal: String(message.refusal ?? ""),
    thoughts: String(message.reasoning_content ?? ""),
    calls: (message.tool_calls as JsonObject[] ?? []).map(toCall),
    usage: answer.usage as JsonObject | null,
    reason: choice?.finish_reason,
  });
}

function saidByChunks(text: string): Said | FailedChat {
  const data = text.split("\n\n").filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice("data: ".length)) as JsonObject);
  const failed = data.find(({ error }) => error !== undefined);
  if (failed !== undefined) return { status: undefined, error: failed.error as JsonObject };
  const said = { text: "", refusal: "", thoughts: "", reason: undefined as unknown };
  const calls: JsonObject[] = [];
  for (const { choices } of data) {
    for (const choice of (choices as JsonObject[]).filter(({ index }) => index === 0)) {
      const delta = choice.delta as JsonObject;
      said.text += delta.content ?? "";
      said.refusal += delta.refusal ?? "";
      said.thoughts += delta.reasoning_content ?? "";
      said.reason ??= choice.finish_reason ?? undefined;
      for (const piece of delta.tool_calls as JsonObject[] ?? []) {
        const at = Number(piece.index);
        const called = (piece.function ?? piece.custom) as JsonObject;
        const call = calls[at] ??= { id: piece.id, function: { name: called.name, arguments: "" } };
        const known = call.function as JsonObject;
        known.arguments = `${known.arguments}${called.arguments ?? called.input ?? ""}`;
      }
    }
  }
  return toSaid({ ...said, calls: calls.map(toCall), usage: undefined });
}

function toCall(call: JsonObject): unknown {
  const { name, arguments: text, input } = (call.function ?? call.custom) as JsonObject;
  return [call.id, name, text ?? input];
}

function toSaid(
  { usage, reason, ...said }:
    & Omit<Said, "usage" | "status">
    & { usage: JsonObject | null | undefined; reason: unknown },
): Said {
  const isCut = reason === "length" || reason === "content_filter" && said.refusal === "";
  return {
    ...said,
    usage: usage && [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens],
    status: isCut ? "incomplete" : "completed",
  };
}

function expectError({ status, error }: FailedChat, got: number, type: string, text: string): void {
  if (status !== undefined) {
    assertEquals(got, status, text);
    const { error: own } = JSON.parse(text);
    assertEquals([own.type, own.code], [error.type, error.code], text);
    return;
  }
  assert(type.startsWith("text/event-stream"), text);
  const response = readStream(text);
  assertEquals(response.status, "failed");
  assertEquals((response.error as JsonObject).message, error.message);
}
