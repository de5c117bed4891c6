/** Every way in which a vendor at the end of a wire can fail, for streams and plain answers. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { elapse, turns } from "../support/elapse.ts";
import {
  answered,
  bytesOf,
  closedPort,
  COMPLETION,
  cut,
  DONE,
  ERROR_EVENT,
  EVENTS,
  type Fault,
  FaultyVendor,
  FINISH,
  reset,
  ROLE,
  SAID,
  silent,
  streamed,
  TOKENS,
  WELL,
  whenStalled,
  wholeAnswer,
  type Wire,
} from "../support/faulty_vendor.ts";
import { type ServedGateway, serveGateway } from "../support/server.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";

const FIRST_TOKEN = 20_000;
const IDLE = 30_000;
const TOTAL = 40_000;

function gatewayFor(url: string, retries = 2): ServedGateway {
  const timeout = { first_token: "20s", idle: "30s", total: "40s" };
  const provider = {
    kind: "openai_compatible",
    api_key: VENDOR_KEY,
    base_url: `${url}/v1`,
    timeout,
  };
  return serveGateway({
    config: { providers: { v: { ...provider, retries, models: ["m"] } } },
    // Back-off comes to nothing, so that hardly any time has to pass.
    random: () => 0,
  });
}

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask({ gateway }: ServedGateway, stream: boolean): Promise<Told> {
  const body = { model: "m", messages: [{ role: "user", content: "Hi" }], stream };
  const answer = await elapse(gateway.clock, gateway.call("/v1/chat/completions", body));
  const text = await elapse(gateway.clock, answer.text());
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.lines.filter(({ attempt }) => attempt === undefined).length, 1);
  return { status: answer.status, headers: answer.headers, text };
}

/** The text that a stream's events hold, and the error that ended it. */
function read(text: string): { said: string; error: Record<string, unknown> | undefined } {
  const events = text.split("\n\n").slice(0, -1);
  let said = "";
  let error: Record<string, unknown> | undefined;
  for (const [index, event] of events.entries()) {
    if (event === "data: [DONE]") {
      assertEquals(index, events.length - 1, "something comes after [DONE]");
      continue;
    }
    const data = JSON.parse(event.slice("data: ".length));
    said += data.choices?.[0]?.delta.content ?? "";
    if (data.error === undefined) continue;
    assertEquals(index, events.length - 1, "something comes after the error");
    error = data.error;
  }
  assertEquals(error === undefined, events.at(-1) === "data: [DONE]", "one end, and only one");
  return { said, error };
}

interface Row {
  readonly what: string;
  readonly fault: Fault;
  readonly status: number;
  readonly code: string;
  readonly message: RegExp;
  /** Both unless given. */
  readonly stream?: boolean;
  /** Not worth a retry. */
  readonly once?: boolean;
}

const CLOSED = /^The connection to provider 'v' was closed before an answer arrived$/;
const BROKEN = /connection to the provider was lost|was closed before an answer arrived/;
const WORDS = JSON.stringify({ error: { message: "Words", type: "x", code: null } });

const statusRow = (status: number, response: number, code: string, once = false): Row => ({
  what: `status ${status}`,
  fault: answered(status, WORDS),
  status: response,
  code,
  message: status === 401
    ? /rejected the gateway's credentials/
    : status === 403
    ? /^The provider 'v' rejected the request: Words$/
    : /^Words$/,
  once,
});

/** What fails before the caller has been sent anything. */
const ROWS: readonly Row[] = [
  statusRow(408, 504, "upstream_timeout"),
  statusRow(409, 502, "upstream_error"),
  statusRow(425, 502, "upstream_error"),
  statusRow(429, 429, "rate_limit_exceeded"),
  statusRow(500, 502, "upstream_error"),
  statusRow(502, 502, "upstream_error"),
  statusRow(503, 503, "upstream_unavailable"),
  statusRow(504, 504, "upstream_timeout"),
  statusRow(529, 503, "upstream_unavailable"),
  statusRow(400, 400, "null", true),
  statusRow(401, 502, "upstream_auth", true),
  statusRow(402, 429, "insufficient_quota", true),
  statusRow(403, 502, "upstream_auth", true),
  statusRow(404, 404, "model_not_found", true),
  statusRow(413, 413, "request_too_large", true),
  statusRow(422, 400, "null", true),
  {
    what: "a reset before an answer",
    fault: reset(""),
    status: 503,
    code: "upstream_unavailable",
    message: CLOSED,
  },
  {
    what: "a connection that closes before an answer",
    fault: cut(""),
    status: 503,
    code: "upstream_unavailable",
    message: CLOSED,
  },
  {
    what: "a head that breaks off",
    fault: cut(wholeAnswer(200, COMPLETION).slice(0, 30)),
    status: 503,
    code: "upstream_unavailable",
    message: CLOSED,
  },
  {
    what: "an answer that is not HTTP",
    fault: cut("SSH-2.0-OpenSSH_9.6\r\n\r\n"),
    status: 502,
    code: "upstream_error",
    message: /^The answer from provider 'v' is not valid HTTP$/,
  },
  {
    what: "an answer that breaks off after its head",
    fault: cut(wholeAnswer(200, COMPLETION, { "content-type": "x/y" }).slice(0, 80)),
    status: 502,
    code: "upstream_error",
    message: BROKEN,
  },
  {
    what: "an answer that is cut in half",
    fault: cut(wholeAnswer(200, COMPLETION).slice(0, -COMPLETION.length / 2)),
    status: 502,
    code: "upstream_error",
    message: BROKEN,
  },
  {
    what: "an HTML page as a 200",
    fault: answered(200, "<html>Sign in</html>", { "content-type": "text/html" }),
    status: 502,
    code: "upstream_error",
    message: /not JSON|contained no answer/,
  },
  {
    what: "an empty 200",
    fault: answered(200, ""),
    status: 502,
    code: "upstream_error",
    message: /is empty|contained no answer/,
  },
  {
    what: "half of the JSON as a 200",
    fault: answered(200, COMPLETION.slice(0, COMPLETION.length / 2)),
    status: 502,
    code: "upstream_error",
    message: /not JSON/,
  },
  {
    what: "an error event that comes first",
    fault: streamed([ERROR_EVENT]),
    status: 503,
    code: "upstream_unavailable",
    message: /^Overloaded$/,
    stream: true,
  },
  {
    what: "an error event behind the role",
    fault: streamed([ROLE, ERROR_EVENT]),
    status: 503,
    code: "upstream_unavailable",
    message: /^Overloaded$/,
    stream: true,
  },
  {
    what: "a stream that breaks off behind the role",
    fault: streamed([ROLE], () => {}),
    status: 502,
    code: "upstream_error",
    message: /was lost/,
    stream: true,
  },
  {
    what: "a stream that ends behind the role",
    fault: streamed([ROLE]),
    status: 502,
    code: "upstream_error",
    message: /before the answer was complete|contained no answer/,
    stream: true,
  },
  {
    what: "an event of 20 MiB that comes first",
    fault: streamed(["data: " + "x".repeat(20 * 1024 * 1024)], () => {}),
    status: 502,
    code: "upstream_error",
    message: /over 8 MiB/,
    stream: true,
    once: true,
  },
];

for (const { what, fault, status, code, message, stream: only, once = false } of ROWS) {
  for (const stream of only === undefined ? [false, true] : [only]) {
    const form = stream ? "a stream" : "a plain answer";
    Deno.test(`${form}: ${what} is ${status} ${code}, ${once ? "once" : "after retries"}`, async () => {
      await using vendor = new FaultyVendor(() => fault);
      const huge = what.includes("20 MiB");
      await using served = gatewayFor(vendor.url, huge ? 0 : 2);
      const response = await ask(served, stream);
      const { error } = JSON.parse(response.text);
      assertEquals([response.status, String(error.code)], [status, code]);
      assertMatch(error.message, message);
      assertEquals(vendor.requests, once ? 1 : 3);
      assertEquals(response.headers.get("x-sluice-attempts"), String(vendor.requests));
      const isFinal = vendor.requests > 1 ||
        ["insufficient_quota", "upstream_auth"].includes(code);
      assertEquals(response.headers.get("x-should-retry"), isFinal ? "false" : null);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    });

    if (once) continue;
    Deno.test(`${form}: ${what}, and the second try answers`, async () => {
      await using vendor = new FaultyVendor((request) => request === 0 ? fault : WELL);
      await using served = gatewayFor(vendor.url);
      const response = await ask(served, stream);
      assertEquals([response.status, response.headers.get("x-sluice-attempts")], [200, "2"]);
      if (stream) assertEquals(read(response.text), { said: SAID, error: undefined });
      else assertEquals(JSON.parse(response.text).choices[0].message.content, SAID);
      const outcomes = served.gateway.lines.map(({ attempt, outcome }) => [attempt, outcome]);
      assertEquals(outcomes.slice(1), [[2, "done"], [undefined, "done"]]);
    });
  }
}

for (const stream of [false, true]) {
  const form = stream ? "a stream" : "a plain answer";
  Deno.test(`${form}: a closed port is a 503`, async () => {
    await using served = gatewayFor(closedPort());
    const response = await ask(served, stream);
    const { error } = JSON.parse(response.text);
    assertEquals([response.status, error.code], [503, "upstream_unavailable"]);
    assertEquals(response.headers.get("x-sluice-attempts"), "3");
  });

  /** How a vendor falls silent before there is anything to show, and which limit ends it. */
  const silences: readonly (readonly [string, Fault])[] = [
    ["never answers", silent()],
    ["stops within the head", silent("HTTP/1.1 200 OK\r\ncontent-")],
    [
      "stops behind the head",
      stream
        ? streamed([ROLE], (wire: Wire) => wire.stall())
        : silent(wholeAnswer(200, COMPLETION).slice(0, -10)),
    ],
    ["never ends the body of a failure", silent(wholeAnswer(500, WORDS).slice(0, -5))],
  ];
  for (const [what, fault] of silences) {
    Deno.test(`${form}: a vendor that ${what} is a 504 after its limit, each time`, async () => {
      await using vendor = new FaultyVendor(() => fault);
      await using served = gatewayFor(vendor.url, 1);
      const { clock } = served.gateway;
      const limit = stream ? FIRST_TOKEN : TOTAL;
      const began = clock.now();
      // What was said is read before the limit is reached.
      vendor.onStall = () => void turns(5).then(() => clock.advance(limit));
      const response = await ask(served, stream);
      const { error } = JSON.parse(response.text);
      assertEquals([response.status, error.code], [504, "upstream_timeout"]);
      const word = stream ? "begin" : "finish";
      assertEquals(
        error.message,
        `Provider 'v' did not ${word} its answer within ${limit / 1000} s`,
      );
      assertEquals(vendor.requests, 2);
      assert(clock.now() - began < 2 * limit + 5000);
      assertEquals(clock.pending, 0);
    });
  }

  Deno.test(`${form}: complete although it arrives byte by byte`, async () => {
    const text = stream ? EVENTS.join("") : COMPLETION;
    await using vendor = new FaultyVendor(() => ({
      async play(wire: Wire) {
        await wire.begin(stream ? "text/event-stream" : "application/json");
        // Every byte is a separate chunk, but for speed a packet has many chunks.
        for (const byte of bytesOf(text)) await wire.send(byte);
        await wire.end();
      },
    }));
    await using served = gatewayFor(vendor.url);
    const response = await ask(served, stream);
    assertEquals([response.status, vendor.requests], [200, 1]);
    const said = stream
      ? read(response.text).said
      : JSON.parse(response.text).choices[0].message.content;
    assertEquals(said, SAID);
  });
}

interface LateRow {
  readonly what: string;
  readonly after: (wire: Wire) => Promise<void> | void;
  readonly code: string;
  readonly message: RegExp;
}

const FIRST = [ROLE, ...TOKENS.slice(0, 2)];

/** What fails once the caller has been sent something: never retried, never a second answer. */
const LATE: readonly LateRow[] = [
  {
    what: "an error event",
    after: async (wire) => {
      await wire.send(ERROR_EVENT + TOKENS.join("") + FINISH + DONE);
      await wire.end();
    },
    code: "upstream_unavailable",
    message: /^Overloaded$/,
  },
  {
    what: "a connection that breaks off",
    after: () => {},
    code: "upstream_error",
    message: /was lost/,
  },
  {
    what: "an end without a finish reason",
    after: (wire) => wire.end(),
    code: "upstream_error",
    message: /before the answer was complete/,
  },
  {
    what: "[DONE] without a finish reason",
    after: async (wire) => {
      await wire.send(DONE);
      await wire.end();
    },
    code: "upstream_error",
    message: /before the answer was complete/,
  },
  {
    what: "half of an event",
    after: async (wire) => {
      await wire.send(TOKENS[0]?.slice(0, 40) ?? "");
      await wire.end();
    },
    code: "upstream_error",
    message: /before the answer was complete/,
  },
  {
    what: "an event that is not JSON",
    after: async (wire) => {
      await wire.send("data: <html>\n\n");
      await wire.end();
    },
    code: "upstream_error",
    message: /not JSON/,
  },
  {
    what: "an event of 20 MiB",
    after: (wire) => wire.send("data: " + "x".repeat(20 * 1024 * 1024)),
    code: "upstream_error",
    message: /over 8 MiB/,
  },
];

for (const { what, after, code, message } of LATE) {
  Deno.test(`a stream that has begun: ${what} is one error event, and nothing is tried again`, async () => {
    await using vendor = new FaultyVendor(() => streamed(FIRST, after));
    await using served = gatewayFor(vendor.url);
    const response = await ask(served, true);
    assertEquals(response.status, 200);
    const { said, error } = read(response.text);
    assert(said.length > 0 && SAID.startsWith(said), said);
    assertEquals([error?.code, vendor.requests], [code, 1]);
    assertMatch(String(error?.message), message);
    assertEquals(served.gateway.lines.map(({ outcome, status }) => [outcome, status]), [
      ["failed", 200],
    ]);
    assertEquals(served.gateway.clock.pending, 0);
  });
}

Deno.test("a stream that has begun and stalls is ended by its idle limit with an error event", async () => {
  await using vendor = new FaultyVendor(() => streamed(FIRST, (wire) => wire.stall()));
  await using served = gatewayFor(vendor.url);
  const { clock } = served.gateway;
  const stalled = whenStalled(vendor);
  const answer = await fetchStream(served);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("世界")) text += (await reader?.read())?.value ?? "";
  await stalled;
  clock.advance(IDLE);
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    text += piece.value;
  }
  const { error } = read(text);
  assertEquals([error?.code, error?.message], [
    "upstream_timeout",
    "Provider 'v' sent nothing for 30 s",
  ]);
});

Deno.test("a stream that drips, never silent for long, lasts until its total limit", async () => {
  let drip = () => {};
  await using vendor = new FaultyVendor(() =>
    streamed(FIRST, async (wire) => {
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>();
        drip = resolve;
        await promise;
        await wire.send(TOKENS[0] ?? "");
      }
    })
  );
  await using served = gatewayFor(vendor.url);
  const { clock } = served.gateway;
  const answer = await fetchStream(served);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let passed = 0; passed < TOTAL; passed += 10_000) {
    clock.advance(10_000);
    drip();
    text += (await reader?.read())?.value ?? "";
  }
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    text += piece.value;
  }
  const { error } = read(text);
  assertEquals(error?.message, "Provider 'v' did not finish its answer within 40 s");
  drip();
});

for (const pieces of [1, 2, 3, 7]) {
  Deno.test(`a stream: characters that are split every ${pieces} bytes are decoded correctly`, async () => {
    const bytes = new TextEncoder().encode(EVENTS.join(""));
    const cuts = Array.from(
      { length: Math.ceil(bytes.length / pieces) },
      (_, at) => bytes.slice(at * pieces, (at + 1) * pieces),
    );
    await using vendor = new FaultyVendor(() => streamed(cuts));
    await using served = gatewayFor(vendor.url);
    assertEquals(read((await ask(served, true)).text), { said: SAID, error: undefined });
  });
}

Deno.test("a stream that is reset at any byte has one well-formed end", async () => {
  const whole = EVENTS.join("");
  for (let at = 0; at < whole.length; at += 23) {
    await using vendor = new FaultyVendor(() =>
      streamed([whole.slice(0, at) || ":\n\n"], () => {})
    );
    await using served = gatewayFor(vendor.url, 0);
    const response = await ask(served, true);
    if (response.status === 200) {
      const { said, error } = read(response.text);
      assert(SAID.startsWith(said));
      assert(error !== undefined || said === SAID);
    } else {
      assertStringIncludes(response.text, "upstream_error");
    }
  }
});

function fetchStream(served: ServedGateway): Promise<Response> {
  return served.fetch(`${served.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${SERVICE_KEY}` },
    body: JSON.stringify({
      model: "m",
      stream: true,
      messages: [{ role: "user", content: "Hi" }],
    }),
  });
}
