import { MemoryStore } from "../../src/memory/store.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { refuseKeyCall } from "../../src/governance/keys/key_store.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import { createObserver } from "../../src/telemetry/observers.ts";
import { createAccessLog } from "../../src/telemetry/access_log.ts";
import { Plans } from "../../src/gateway/plan.ts";
import { createApp } from "../../src/http/app.ts";
import type { Clock } from "../../src/core/clock.ts";
import { Credentials } from "../../src/upstream/credentials/credentials.ts";
import { Shutdown } from "../../src/core/stop_signal.ts";
import { OPERATIONS } from "../../src/gateway/execute/list.ts";
import { State } from "../../src/gateway/state.ts";
import {
  createCarrier,
  createTestGateway,
  createTestMetrics,
  loadTestConfig,
  SERVICE_KEY,
  VENDOR_KEY,
} from "../support/gateway.ts";
import { failing, ScriptedVendor, toEventStream } from "../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];
const BASE_URL = "http://vendor.internal:8123/base/v1";

function configOf(kind: string): Record<string, unknown> {
  // A pool of keys would be tried in turn: the second secret is in a header.
  const headers = { "x-second": "sk-test-second-key" };
  const provider = { kind, api_key: VENDOR_KEY, base_url: BASE_URL, headers };
  return { providers: { v: { ...provider, models: ["m"] } } };
}

async function ask(kind: string, vendor: Pick<ScriptedVendor, "fetch">, stream: boolean) {
  const gateway = createTestGateway({ config: configOf(kind), fetch: vendor.fetch });
  const response = await gateway.call(CHAT, { model: "m", messages: MESSAGES, stream });
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
  // Only the log names the address, with the cause of a failure to reach it.
  const lines = gateway.lines.map(({ cause: _, ...line }) => line);
  assertClean(text + JSON.stringify([...response.headers]) + JSON.stringify(lines));
  return { response, text, gateway };
}

/** No key, no address and no stack trace of the gateway. */
function assertClean(text: string): void {
  for (const secret of [VENDOR_KEY, "sk-test-second-key", SERVICE_KEY]) {
    assert(!text.includes(secret), `${secret} is in ${text}`);
  }
  assert(!text.includes("vendor.internal") && !text.includes("8123"), text);
  assert(!/\bat \S+ \(|\.ts:\d+/.test(text), text);
}

const KINDS = ["openai", "openai_compatible", "anthropic"];

interface Row {
  readonly statuses: readonly number[];
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
}

const INVALID = "invalid_request_error";

/** What each status of a vendor becomes when its body says nothing more. */
const ROWS: readonly Row[] = [
  { statuses: [400, 405, 406, 415, 418, 422, 451], status: 400, type: INVALID, code: null },
  { statuses: [401, 403], status: 502, type: "api_error", code: "upstream_auth" },
  { statuses: [402], status: 429, type: "rate_limit_error", code: "insufficient_quota" },
  { statuses: [404, 410], status: 404, type: INVALID, code: "model_not_found" },
  { statuses: [408, 504, 524], status: 504, type: "api_error", code: "upstream_timeout" },
  { statuses: [413], status: 413, type: INVALID, code: "request_too_large" },
  { statuses: [429], status: 429, type: "rate_limit_error", code: "rate_limit_exceeded" },
  { statuses: [498, 503, 529], status: 503, type: "api_error", code: "upstream_unavailable" },
  {
    statuses: [300, 301, 302, 304, 307, 409, 425, 500, 501, 502, 505, 520, 521, 599],
    status: 502,
    type: "api_error",
    code: "upstream_error",
  },
];

/** Bodies that come with failures; the vendor's words are in the first three. */
const BODIES: readonly unknown[] = [
  { error: { message: "Words of the vendor" } },
  { type: "error", error: { message: "Words of the vendor" }, request_id: "req_1" },
  { error: { message: "Words of the vendor", type: null, param: null, code: null } },
  {},
  { error: null },
  { error: { message: 5, code: {}, param: [], type: [] } },
  [],
  "null",
  "5",
  "",
  "<html><body>Bad gateway at http://vendor.internal:8123/base</body></html>",
];

for (const kind of KINDS) {
  for (const { statuses, status, type, code } of ROWS) {
    Deno.test(`${kind}: the vendor's ${statuses.join(", ")} become ${status} ${code}`, async () => {
      for (const reported of statuses) {
        for (const [index, body] of BODIES.entries()) {
          const script = () =>
            new Response(
              reported === 304 ? null : typeof body === "string" ? body : JSON.stringify(body),
              {
                status: reported,
                headers: { "retry-after": "7" },
              },
            );
          const vendor = new ScriptedVendor(script);
          const { response, text, gateway } = await ask(kind, vendor, index % 2 === 1);
          const { error, ...others } = JSON.parse(text);
          const where = `${reported} ${JSON.stringify(body)}`;
          assertEquals(response.status, status, where);
          assertEquals(others, {});
          assertEquals([error.type, error.param, error.code], [type, null, code], where);
          assertMatch(error.message, /^[A-Z]/);
          const worded = index < 3 && reported !== 304 && code !== "upstream_auth";
          assertEquals(error.message === "Words of the vendor", worded, where);
          assertEquals(gateway.lines[0]?.outcome, "failed");
          const kept = code === "upstream_auth" ? null : "7";
          assertEquals(response.headers.get("retry-after"), kept);
          const isFinal = code === "insufficient_quota" || code === "upstream_auth";
          const retry = isFinal ? "false" : null;
          assertEquals(response.headers.get("x-should-retry"), retry);
          assertEquals(response.headers.get("x-sluice-provider"), "v");
        }
      }
    });
  }

  Deno.test(`${kind}: a refused or broken connection is a 503 without the address`, async () => {
    const reasons = [
      [
        new TypeError(`error sending request for url (${BASE_URL}): connection refused`),
        "Cannot connect to provider 'v': connection refused",
      ],
      [
        new TypeError("dns error: failed to lookup address information of vendor.internal"),
        "Cannot connect to provider 'v': DNS lookup failed",
      ],
      [
        new Deno.errors.ConnectionReset(`connection reset by 10.0.0.1:8123`),
        "The connection to provider 'v' was closed before an answer arrived",
      ],
      ["not even an error", "Cannot reach provider 'v'"],
    ] as const;
    for (const [reason, message] of reasons) {
      for (const stream of [false, true]) {
        const { response, text } = await ask(kind, { fetch: () => Promise.reject(reason) }, stream);
        assertEquals(response.status, 503);
        assertEquals(JSON.parse(text).error, {
          message,
          type: "api_error",
          param: null,
          code: "upstream_unavailable",
        });
      }
    }
  });

  Deno.test(`${kind}: a 200 that holds no answer is a 502`, async () => {
    const bodies = [
      "",
      " ",
      "null",
      "5",
      "[]",
      "{}",
      "{",
      '"Hi"',
      "<html></html>",
      '{"choices":[]}',
      '{"error":{"code":{"toString":1},"type":{"toString":1},"message":{"toString":1}}}',
    ];
    for (const body of bodies) {
      for (const stream of [false, true]) {
        for (const type of ["application/json", "text/html"]) {
          const vendor = failing(200, body, { "content-type": type });
          const { response, text } = await ask(kind, vendor, stream);
          assertEquals([response.status, JSON.parse(text).error.code], [502, "upstream_error"]);
        }
      }
    }
  });

  Deno.test(`${kind}: an answer that takes too long is a 504`, async () => {
    for (const stream of [false, true]) {
      const gateway = createTestGateway({
        config: configOf(kind),
        fetch: (_, { signal }) =>
          new Promise((_, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason));
            queueMicrotask(() => gateway.clock.advance(stream ? 5 * 60_000 : 30 * 60_000));
          }),
      });
      const response = await gateway.call(CHAT, { model: "m", messages: MESSAGES, stream });
      const { error } = await response.json();
      assertEquals([response.status, error.code], [504, "upstream_timeout"]);
      assertEquals(gateway.clock.pending, 0);
    }
  });

  Deno.test(`${kind}: a key that the vendor echoes is redacted everywhere`, async () => {
    const message = `No access with '${VENDOR_KEY}' nor ${VENDOR_KEY}, sk-test-second-key`;
    const error = { message, type: "invalid_request_error" };
    const clean = "No access with '[redacted]' nor [redacted], [redacted]";
    const answered = await ask(kind, failing(400, { type: "error", error }), false);
    assertEquals(JSON.parse(answered.text).error.message, clean);
    const early = new ScriptedVendor(() => toEventStream([{ type: "error", error }]));
    const before = await ask(kind, early, true);
    assertEquals([before.response.status, JSON.parse(before.text).error.message], [400, clean]);
  });
}

Deno.test("a key is redacted in a vendor's code, param and request ID too", async () => {
  const error = { message: "No", code: `bad ${VENDOR_KEY}`, param: VENDOR_KEY };
  const vendor = failing(400, { error }, { "x-request-id": `${VENDOR_KEY}/1` });
  const { response, text } = await ask("openai_compatible", vendor, false);
  const reported = JSON.parse(text).error;
  assertEquals([reported.code, reported.param], ["bad [redacted]", "[redacted]"]);
  assertEquals(response.headers.get("x-sluice-upstream-request-id"), "[redacted]/1");
});

Deno.test("a 429 about balance or quota is not retried", async () => {
  const bodies = [
    { error: { message: "You exceeded your current quota", code: "insufficient_quota" } },
    { error: { message: "You exceeded your current quota, please check your plan", code: null } },
    { error: { message: "Insufficient balance", type: "error" } },
  ];
  for (const body of bodies) {
    const { response, text } = await ask("openai_compatible", failing(429, body), false);
    assertEquals([response.status, JSON.parse(text).error.code], [429, "insufficient_quota"]);
    assertEquals(response.headers.get("x-should-retry"), "false");
  }
});

/** A vendor's 400, and the code and param that the caller sees. */
const REFUSALS: readonly (readonly [string, unknown, string | null, string | null])[] = [
  [
    "openai",
    { error: { message: "No", type: INVALID, param: "tools[0].name", code: "invalid_value" } },
    "invalid_value",
    "tools[0].name",
  ],
  [
    "openai",
    {
      error: {
        message: "This model's maximum context length is 5",
        code: "context_length_exceeded",
      },
    },
    "context_length_exceeded",
    null,
  ],
  ["openai", { error: { message: "Filtered", code: "content_filter" } }, "content_filter", null],
  [
    "anthropic",
    { error: { type: INVALID, message: "prompt is too long: 5 tokens > 4 maximum" } },
    "context_length_exceeded",
    null,
  ],
];

for (const [kind, body, code, param] of REFUSALS) {
  Deno.test(`${kind}: a 400 keeps the vendor's message: ${code}`, async () => {
    const { response, text } = await ask(kind, failing(400, body), false);
    const { error } = JSON.parse(text);
    assertEquals([response.status, error.code, error.param], [400, code, param]);
    assertEquals(error.message, (body as { error: { message: string } }).error.message);
  });
}

Deno.test("a long message of a vendor is shortened", async () => {
  const vendor = failing(400, { error: { message: "x".repeat(100_000) } });
  const { text } = await ask("openai", vendor, false);
  assert(text.length < 10_000);
});

Deno.test("an internal error is a 500 without details, and is reported", async () => {
  const bug = new RangeError("secret detail at gateway.ts:1");
  const bugs: unknown[] = [];
  const lines: string[] = [];
  const config = loadTestConfig(configOf("openai"));
  const clock: Clock = {
    ...{ now: () => 0, wallTime: () => 0, after: () => () => {} },
    limit: () => ({ cancel() {} }),
  };
  const app = createApp({
    config: () => config,
    usage: new MemoryUsageStore(),
    runKeyCall: refuseKeyCall,
    printMetrics: () => Promise.resolve({ contentType: "text/plain", text: "" }),
    deps: {
      fetch: new ScriptedVendor().fetch,
      download: () => Promise.reject(bug),
      clock,
      newId: (prefix) => {
        if (prefix.startsWith("req_")) return "req_1";
        throw bug;
      },
      random: () => 0,
      state: new State(),
      credentials: new Credentials({ readFile: () => "" }),
      plans: new Plans([]),
      operations: OPERATIONS,
      reasoning: createCarrier(clock),
      answers: new MemoryStore(() => config.server.responses_memory, () => clock.now()),
      unsettled: new MemoryStore(() => config.server.responses_memory, () => clock.now()),
      shutdown: new Shutdown(),
      limiter: new Limiter(new LocalCounters(), clock),
      observer: createObserver({
        metrics: createTestMetrics(),
        log: createAccessLog((line) => lines.push(line)),
        clock,
      }),
    },
    onBug: (thrown, id) => bugs.push(thrown, id),
  });
  const response = await app.handle(
    new Request(`http://gateway.test${CHAT}`, {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
      body: JSON.stringify({ model: "m", messages: MESSAGES }),
    }),
  );
  assertEquals(response.status, 500);
  assertEquals(await response.json(), {
    error: {
      message: "The gateway failed to handle this request",
      type: "api_error",
      param: null,
      code: "internal_error",
    },
  });
  assertEquals(bugs, [bug, "req_1"]);
  assertClean(lines.join(""));
});
