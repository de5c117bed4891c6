import { UNIT_NAMES } from "../../src/core/units.ts";
import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { LogLevel } from "../../src/core/log_level.ts";
import { createAccessLog, toLossLine } from "../../src/telemetry/access_log.ts";
import type { AttemptState } from "../../src/gateway/attempt_state.ts";
import { attemptState } from "../support/attempt_state.ts";
import { RequestRecord } from "../../src/gateway/request_record.ts";
import { RequestChanges } from "../../src/contract/request_changes.ts";
import { readTraceId } from "../../src/http/caller_labels.ts";
import {
  createTestGateway,
  SERVICE_KEY,
  type TestGateway,
  VENDOR_KEY,
} from "../support/gateway.ts";
import { CHUNKS, failing, sayHello, ScriptedVendor } from "../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];

const CONFIG = {
  providers: {
    openai: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-5.4-mini", "unpriced"] },
    claude: {
      kind: "anthropic",
      api_key: VENDOR_KEY,
      models: [{
        id: "cached",
        upstream: "claude-haiku-4-5",
        prices: { input: 1, cached_input: 0.1, output: 5 },
      }],
    },
  },
  aliases: { fast: "gpt-5.4-mini" },
};

/** A gateway whose vendor takes 120 ms for every answer. */
function gatewayOver(vendor: ScriptedVendor): TestGateway {
  const gateway = createTestGateway({
    config: CONFIG,
    fetch: (url, init) => {
      gateway.clock.advance(120);
      return vendor.fetch(url, init);
    },
  });
  return gateway;
}

async function lineOf(gateway: TestGateway, members: Record<string, unknown>) {
  const answer = await gateway.call(CHAT, { messages: MESSAGES, ...members }, {
    "x-request-id": "req_own",
  });
  await answer.text();
  assertEquals(gateway.lines.length, 1);
  const { time, ...line } = gateway.lines[0] ?? {};
  assertMatch(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return line;
}

Deno.test("a line describes an answer completely", async () => {
  const vendor = new ScriptedVendor((sent) => {
    const answer = sayHello(sent);
    answer.headers.set("x-request-id", "req_vendor");
    return answer;
  });
  const request = { model: "fast", max_tokens: 5, reasoning_effort: "none", functions: [] };
  assertEquals(await lineOf(gatewayOver(vendor), { ...request, verbosity: "low" }), {
    level: "info",
    id: "req_own",
    method: "POST",
    path: CHAT,
    route: CHAT,
    key: "test",
    model: "fast",
    provider: "openai",
    upstream_model: "gpt-5.4-mini",
    status: 200,
    outcome: "done",
    attempts: 1,
    ms: 120,
    prompt_tokens: 30,
    completion_tokens: 4,
    // 30 tokens at 0.75 USD and 4 at 4.50 USD, each per million.
    cost_usd: 0.0000405,
    upstream_request_id: "req_vendor",
    converted: ["max_tokens->max_completion_tokens"],
  });
});

Deno.test("a stream's line is written at its end, with the time to the first token", async () => {
  const { close, response } = slowStream();
  const gateway = gatewayOver(new ScriptedVendor(() => response));
  const answer = await gateway.call(CHAT, { model: "unpriced", messages: MESSAGES, stream: true });
  assertEquals(gateway.lines, []);
  gateway.clock.advance(880);
  close();
  await answer.text();
  const { time: _, id: __, ...line } = gateway.lines[0] ?? {};
  assertEquals(line, {
    level: "info",
    method: "POST",
    path: CHAT,
    route: CHAT,
    key: "test",
    model: "unpriced",
    provider: "openai",
    upstream_model: "unpriced",
    stream: true,
    status: 200,
    outcome: "done",
    attempts: 1,
    ms: 1000,
    first_token_ms: 120,
    prompt_tokens: 30,
    completion_tokens: 4,
  });
  assertEquals(gateway.lines.length, 1);
});

/** A stream whose first token arrives at once, and the rest at `close`, or never. */
function slowStream() {
  const texts = [...CHUNKS.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
    .map((data) => new TextEncoder().encode(`data: ${data}\n\n`));
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(own) {
      controller = own;
      for (const text of texts.slice(0, 2)) own.enqueue(text);
    },
    cancel() {
      cancelled = true;
    },
  });
  return {
    response: new Response(body, { headers: { "content-type": "text/event-stream" } }),
    close() {
      for (const text of texts.slice(2)) controller?.enqueue(text);
      controller?.close();
    },
    cut: () => controller?.close(),
    cancelled: () => cancelled,
  };
}

Deno.test("cached tokens have a separate price", async () => {
  const vendor = new ScriptedVendor(() =>
    Response.json({
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 100, cache_read_input_tokens: 1000, output_tokens: 10 },
    })
  );
  const line = await lineOf(gatewayOver(vendor), { model: "cached", seed: 1, temperature: 1.5 });
  assertEquals(line.cost_usd, (100 * 1 + 1000 * 0.1 + 10 * 5) / 1e6);
  assertEquals([line.prompt_tokens, line.completion_tokens], [1100, 10]);
  assertEquals([line.ignored, line.converted], [["seed"], ["temperature 1.5->1"]]);
});

Deno.test("a refused request has its error in its line", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const chat = { model: "fast", messages: MESSAGES };
  const answers = [
    await gateway.call("/nowhere"),
    await gateway.call("/v1/models", undefined, { authorization: "Bearer wrong" }),
    await gateway.call(CHAT, { ...chat, temperature: 3 }),
    await gateway.call(CHAT, { ...chat, model: "nothing" }),
    await gateway.call(CHAT, chat),
    await gateway.call("/v1/models"),
  ];
  for (const answer of answers) await answer.text();
  const reported = gateway.lines.map((
    { status, route, key, model, outcome, error, error_code },
  ) => [
    ...[status, route, key, model],
    ...[outcome, error, error_code],
  ]);
  assertEquals(reported, [
    [404, "unknown", undefined, undefined, "failed", "route_not_found", undefined],
    [401, "/v1/models", undefined, undefined, "failed", "unauthenticated", "invalid_api_key"],
    [400, CHAT, "test", "fast", "failed", "invalid_value", "invalid_value"],
    [404, CHAT, "test", "nothing", "failed", "model_not_found", "model_not_found"],
    [503, CHAT, "test", "fast", "failed", "upstream_unavailable", "upstream_unavailable"],
    [200, "/v1/models", "test", undefined, "done", undefined, undefined],
  ]);
});

Deno.test("a failure of a vendor is logged with its code and request ID", async () => {
  const vendor = failing(429, {}, { "x-request-id": "req_vendor" });
  const line = await lineOf(gatewayOver(vendor), { model: "fast" });
  const { outcome, status, error_code, attempts, upstream_request_id } = line;
  assertEquals([outcome, status, error_code], ["failed", 429, "rate_limit_exceeded"]);
  assertEquals([attempts, upstream_request_id], [1, "req_vendor"]);
});

Deno.test("refused credentials are logged with the vendor's words, which the caller does not get", async () => {
  const message = `Signature expired: 20261126T000000Z; the key ${VENDOR_KEY} is fine`;
  const vendor = failing(401, { error: { message, code: "invalid_signature" } });
  const gateway = gatewayOver(vendor);
  const answer = await gateway.call(CHAT, { model: "fast", messages: MESSAGES });
  assert(!(await answer.text()).includes("Signature"));
  const { error, cause } = gateway.lines[0] ?? {};
  const words = "Signature expired: 20261126T000000Z; the key [redacted] is fine";
  assertEquals([error, cause], ["upstream_auth", `status 401, invalid_signature: ${words}`]);
});

Deno.test("a failure with a status from 400 to 499 is a warning, any other an error", () => {
  for (const [status, level] of [[200, "error"], [400, "warn"], [499, "warn"], [500, "error"]]) {
    const error = { kind: "internal", code: null, cause: undefined, message: "" } as const;
    const record = exchangeOf({ outcome: "failed", status: Number(status), error });
    const [line = "{}"] = written(record, false);
    assertEquals(JSON.parse(line).level, level, `${status}`);
  }
});

Deno.test("the level decides which lines are written, and debug adds attempts and messages", () => {
  const failed = { outcome: "upstream_error", began: 1999, ms: 1 };
  const record = exchangeOf({
    outcome: "failed",
    status: 502,
    error: { kind: "upstream_error", code: null, cause: undefined, message: "It is down" },
    endedAttempts: [attemptState(failed)],
  });
  const levels = (one: RequestRecord, level: LogLevel) =>
    written(one, false, level).map((line) => JSON.parse(line).level);
  assertEquals(levels(record, "debug"), ["warn", "error"]);
  assertEquals(levels(record, "info"), ["error"]);
  assertEquals(levels(exchangeOf({}), "warn"), []);
  for (const route of ["/healthz", "/readyz"]) {
    const probe = exchangeOf({ route, path: route });
    assertEquals([levels(probe, "debug"), levels(probe, "info")], [["debug"], []]);
    const broken = exchangeOf({ route, path: route, outcome: "failed", status: 503 });
    assertEquals(levels(broken, "info"), ["error"]);
  }
  const [, line = ""] = written(record, false, "debug");
  assertEquals(JSON.parse(line).error_message, "It is down");
  assertEquals(JSON.parse(written(record, false)[0] ?? "").error_message, undefined);
  assertMatch(written(record, true, "debug")[1] ?? "", /message="It is down"/);
});

Deno.test("a stream that is cut has failed, although its status was 200", async () => {
  const { cut, response } = slowStream();
  const gateway = gatewayOver(new ScriptedVendor(() => response));
  cut();
  const line = await lineOf(gateway, { model: "fast", stream: true });
  assertEquals([line.outcome, line.status, line.error_code], ["failed", 200, "upstream_error"]);
});

Deno.test("a client disconnect during a stream is logged, and the vendor's stream is closed", async () => {
  const { cancelled, response } = slowStream();
  const gateway = gatewayOver(new ScriptedVendor(() => response));
  const answer = await gateway.call(CHAT, { model: "fast", messages: MESSAGES, stream: true });
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  assertEquals(gateway.lines.map(({ outcome, status }) => [outcome, status]), [[
    "client_gone",
    200,
  ]]);
  assertEquals([cancelled(), gateway.clock.pending], [true, 0]);
});

Deno.test("a client disconnect before the answer is logged", async () => {
  const caller = new AbortController();
  const gateway = gatewayOver(
    new ScriptedVendor((_, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        queueMicrotask(() => caller.abort());
      })
    ),
  );
  const answer = await gateway.app.handle(
    new Request(`http://gateway.test${CHAT}`, {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
      body: JSON.stringify({ model: "fast", messages: MESSAGES }),
      signal: caller.signal,
    }),
  );
  await answer.body?.cancel();
  assertEquals(gateway.lines.map(({ outcome, status }) => [outcome, status]), [[
    "client_gone",
    499,
  ]]);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("no line contains a key or text of a message", async () => {
  const secret = "TOP-SECRET";
  const members = {
    messages: [
      { role: "system", content: secret, name: secret },
      { role: "user", content: [{ type: "text", text: secret }] },
    ],
    user: secret,
    metadata: { a: secret },
    service_tier: secret,
    tools: [{ type: "function", function: { name: secret, description: secret, strict: true } }],
    tool_choice: { type: "function", function: { name: secret } },
    logit_bias: { [secret]: 1 },
    prediction: { type: "content", content: secret },
    own_field: secret,
  };
  const vendors = [new ScriptedVendor(), failing(400, { error: { message: secret } })];
  for (const vendor of vendors) {
    for (const model of ["fast", "cached", "unpriced"]) {
      const gateway = gatewayOver(vendor);
      const text = JSON.stringify(await lineOf(gateway, { model, ...members }));
      for (const word of [secret, SERVICE_KEY, VENDOR_KEY]) assert(!text.includes(word), text);
    }
  }
});

/** The record of a request that ended like this. */
function exchangeOf(members: Partial<RequestRecord>): RequestRecord {
  const record = new RequestRecord(
    "req_1",
    new AbortController().signal,
    1000,
    chatCompletions,
    () => {},
  );
  return Object.assign(record, {
    method: "POST",
    path: CHAT,
    route: CHAT,
    status: 200,
    key: "test",
    ...members,
  });
}

function written(
  record: RequestRecord,
  isReadable: boolean,
  level: LogLevel = "info",
): string[] {
  const writes: string[] = [];
  const settings = { readable: () => isReadable, level: () => level };
  createAccessLog((lines) => writes.push(...lines.match(/.*\n/g) ?? []), settings).record([
    record.close(2500, 2500),
  ]);
  return writes;
}

const RECEIPT = new RequestChanges();
RECEIPT.ignore("seed");
RECEIPT.convert("temperature", 1.5, 1);

/** Makes an attempt the one that answered. */
function answeredBy(members: Partial<AttemptState>): Partial<RequestRecord> {
  const attempt = attemptState({ changes: RECEIPT, outcome: "done", ...members });
  return { attempt, endedAttempts: [attempt] };
}

const USAGE = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

Deno.test("a terminal gets the same as readable text", () => {
  const done = exchangeOf({ model: "m", ...answeredBy({ usage: USAGE, firstTokenAt: 1400 }) });
  assertEquals(written(done, true), [
    `00:00:02 200 POST ${CHAT} m -> up@p 1500 ms (first token 400 ms) 3+4 tokens ` +
    `ignored=seed converted="temperature 1.5->1" req_1\n`,
  ]);
  const failed = exchangeOf({
    status: 503,
    outcome: "failed",
    error: {
      kind: "upstream_unavailable",
      code: "upstream_unavailable",
      cause: undefined,
      message: "",
    },
  });
  assertEquals(written(failed, true), [
    `00:00:02 503 failed POST ${CHAT} 1500 ms error=upstream_unavailable req_1\n`,
  ]);
});

for (const readable of [true, false]) {
  const form = readable ? "words" : "JSON";
  Deno.test(`each line in ${form} is one write, and text from outside cannot break, color or reorder it`, () => {
    // Newlines, C0, C1, DEL, overrides of the writing direction, half a pair, and what is
    // invisible.
    const evil =
      "a\nb\r\u001b[31mc\u2028\u0000\ud800\u007f\u0085\u009b2J\u202e\u2066\u200e\u061c\ufeff";
    const changes = new RequestChanges();
    changes.ignore(evil);
    const [line = "", ...others] = written(
      exchangeOf({
        id: evil,
        method: evil,
        path: evil,
        model: evil,
        error: { kind: "upstream_error", code: evil, cause: evil, message: evil },
        attempt: attemptState({ upstream: evil, changes, upstreamRequestId: evil }),
        endedAttempts: [1, 2].map(() =>
          attemptState({ upstream: evil, outcome: "upstream_error" })
        ),
      }),
      readable,
    );
    assertEquals(others.length, 2);
    for (const one of [line, ...others]) {
      assertEquals(one.indexOf("\n"), one.length - 1);
      assertMatch(one, /^[\x20-\x7e]*\n$/);
    }
    if (!readable) assertEquals(JSON.parse(others[1] ?? "").model, evil);
  });
}

Deno.test("text of any script is unchanged", () => {
  const [line = ""] = written(exchangeOf({ model: "modèle-日本-мир-😀" }), true);
  assertStringIncludes(line, '"modèle-日本-мир-😀"');
});

Deno.test("a line has the method, the path without its query, and the trace of its caller", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const ask = async (path: string, traceparent?: string, body?: unknown) => {
    const answer = await gateway.call(path, body, traceparent === undefined ? {} : { traceparent });
    await answer.text();
    const { level, method, path: logged, route, trace_id, status } = gateway.lines.at(-1) ?? {};
    return [level, method, logged, route, trace_id, status];
  };
  assertEquals(await ask("/v1/models?key=secret", `00-${trace}-b7ad6b7169203331-01`), [
    ...["info", "GET", "/v1/models", "/v1/models", trace, 200],
  ]);
  assertEquals(await ask(`/chat/${"x".repeat(300)}?a=b`, "nonsense", {}), [
    ...["warn", "POST", `/chat/${"x".repeat(194)}…`, "unknown", undefined, 404],
  ]);
  const chat = { model: "fast", messages: MESSAGES };
  assertEquals(await ask(CHAT, undefined, chat), ["error", "POST", CHAT, CHAT, undefined, 503]);
});

Deno.test("readTraceId() accepts a valid traceparent, also of later versions", () => {
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const parent = "b7ad6b7169203331";
  for (const header of [`00-${trace}-${parent}-01`, `cc-${trace}-${parent}-00-what-comes-later`]) {
    assertEquals(readTraceId(header), trace);
  }
  const wrong = [
    "",
    trace,
    `ff-${trace}-${parent}-01`,
    `00-${trace}-${parent}-01-more`,
    `00-${trace.toUpperCase()}-${parent}-01`,
    `00-${"0".repeat(32)}-${parent}-01`,
    `00-${trace}-${"0".repeat(16)}-01`,
    `00-${trace}-${parent}`,
    `00-${trace}-${parent}-1`,
  ];
  for (const header of wrong) assertEquals(readTraceId(header), undefined, String(header));
});

Deno.test("dropped lines are reported in a line", () => {
  assertEquals(JSON.parse(toLossLine(3, 2500, false)), {
    time: "1970-01-01T00:00:02.500Z",
    level: "warn",
    message: "3 lines were dropped: they could not be written in time",
    dropped: 3,
  });
  assertEquals(
    toLossLine(3, 2500, true),
    "00:00:02 3 lines were dropped: they could not be written in time\n",
  );
});

Deno.test("the table of log members holds every member, and no others", () => {
  const path = new URL("../../docs/reference/log.md", import.meta.url);
  const [, section = ""] = Deno.readTextFileSync(path).split(/^## .*$/m);
  // Whole gateways check the lines of alerts.
  const ofRequests = section.replace(/^### .*\balert$[^]*?(?=^### )/m, "");
  const listed = [...ofRequests.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name = ""]) => name);
  const units: ReadonlySet<string> = new Set(UNIT_NAMES);
  // This request has no units.
  const documented = [...new Set(listed)].filter((name) => !units.has(name));
  const failed = { outcome: "upstream_error", began: 1999, ms: 1, cause: "reset" };
  const attempt = attemptState({
    ...failed,
    changes: RECEIPT,
    facts: { prices: { input: 1, output: 1 } },
    firstTokenAt: 1500,
    isPartial: true,
    usage: USAGE,
    upstreamRequestId: "req_vendor",
  });
  const record = exchangeOf({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    model: "fast",
    stream: true,
    outcome: "failed",
    error: { kind: "upstream_error", code: "upstream_error", cause: "reset", message: "Cut" },
    attempt,
    endedAttempts: [attemptState({ ...failed, next: { type: "next_target" } }), attempt],
    audit: { action: "keys.create" },
    connection: {
      address: "192.0.2.1",
      isMoving: false,
      requestEnded() {},
      closeAfterAnswer() {},
      closeUnread() {},
    },
  });
  const lines = [...written(record, false, "debug"), toLossLine(1, 0, false)];
  const members = new Set(lines.flatMap((line) => Object.keys(JSON.parse(line))));
  assertEquals(documented.toSorted(), [...members].toSorted());
});
