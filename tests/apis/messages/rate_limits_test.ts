/** The rate-limit headers of the Messages API: the key's own limits, else the vendor's. */

import { assertEquals } from "@std/assert";
import { rateLimitHeaders } from "../../../src/apis/messages/rate_limits.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { sayHello, ScriptedVendor } from "../../support/scripted_vendor.ts";

const BODY = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };

/** The rate-limit headers of a response, from a vendor of this kind that sends these headers. */
function start(
  kind: string,
  own: Record<string, string>,
  { limits, path = "/v1/messages", stream = false }: {
    limits?: Record<string, number>;
    path?: string;
    stream?: boolean;
  },
) {
  const vendor = new ScriptedVendor((sent) => {
    const answer = sayHello(sent);
    for (const [name, value] of Object.entries(own)) answer.headers.set(name, value);
    return answer;
  });
  const keys = [{ name: "k", key: "sk-k", ...(limits && { limits }) }];
  const gateway = createTestGateway({
    config: { server: { keys }, providers: { p: { kind, api_key: VENDOR_KEY, models: ["m"] } } },
    fetch: vendor.fetch,
  });
  const call = async () => {
    const headers = { authorization: "Bearer sk-k" };
    const response = await gateway.call(path, { ...BODY, stream }, headers);
    await response.text();
    const limited = [...response.headers].filter(([name]) => name.includes("ratelimit"));
    return { status: response.status, headers: Object.fromEntries(limited), all: response.headers };
  };
  return { call, now: gateway.clock.wallTime() };
}

/** A time as RFC 3339 writes it. */
const timeAfter = (now: number, ms: number) =>
  new Date(Math.ceil((now + ms) / 1000) * 1000).toISOString().replace(".000Z", "Z");

for (const kind of ["anthropic", "groq"]) {
  for (const stream of [false, true]) {
    const what = `${stream ? "a stream" : "an answer"} of ${kind}`;
    Deno.test(`${what} has the key's limits under Anthropic's names`, async () => {
      const vendors = {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-input-tokens-remaining": "7",
        "x-ratelimit-limit-tokens": "9",
      };
      const { call, now } = start(kind, vendors, {
        limits: { requests_per_minute: 3 },
        stream,
      });
      assertEquals((await call()).headers, {
        "anthropic-ratelimit-requests-limit": "3",
        "anthropic-ratelimit-requests-remaining": "2",
        "anthropic-ratelimit-requests-reset": timeAfter(now, 20_000),
      });
    });
  }
}

Deno.test("of the limits of several windows, the one with the least left is shown", async () => {
  const limits = {
    ...{ requests_per_minute: 60, requests_per_hour: 4, requests_per_day: 1000 },
    ...{ tokens_per_minute: 10_000_000, tokens_per_day: 864_000 },
  };
  const { call, now } = start("groq", {}, { limits });
  const { headers } = await call();
  const { "anthropic-ratelimit-tokens-remaining": left, ...others } = headers;
  assertEquals(Number(left) < 864_000, true);
  delete others["anthropic-ratelimit-tokens-reset"];
  assertEquals(others, {
    "anthropic-ratelimit-requests-limit": "4",
    "anthropic-ratelimit-requests-remaining": "3",
    "anthropic-ratelimit-requests-reset": timeAfter(now, 900_000),
    "anthropic-ratelimit-tokens-limit": "864000",
  });
});

Deno.test("of limits with as much left, the one that lasts longest is shown", async () => {
  const { call, now } = start("groq", {}, {
    limits: { requests_per_minute: 1, requests_per_day: 1 },
  });
  const { headers } = await call();
  assertEquals(headers["anthropic-ratelimit-requests-remaining"], "0");
  assertEquals(headers["anthropic-ratelimit-requests-reset"], timeAfter(now, 86_400_000));
});

Deno.test("a refusal by the key's limit has them too, and when to retry", async () => {
  const { call, now } = start("groq", {}, { limits: { requests_per_minute: 1 } });
  await call();
  const { status, headers, all } = await call();
  assertEquals([status, all.get("retry-after")], [429, "60"]);
  assertEquals(headers, {
    "anthropic-ratelimit-requests-limit": "1",
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-requests-reset": timeAfter(now, 60_000),
  });
});

Deno.test("without limits of the key, Anthropic's own headers pass unchanged", async () => {
  const own = {
    "anthropic-ratelimit-requests-limit": "50",
    "anthropic-ratelimit-requests-reset": "2026-11-22T18:00:00Z",
    "anthropic-ratelimit-input-tokens-remaining": "7000",
  };
  const { call } = start("anthropic", own, {});
  assertEquals((await call()).headers, own);
});

Deno.test("a refusal by Anthropic says when its limits reset", async () => {
  const own = {
    "anthropic-ratelimit-requests-remaining": "0",
    "anthropic-ratelimit-requests-reset": "2026-11-22T18:00:00Z",
  };
  const error = { type: "error", error: { type: "rate_limit_error", message: "Too many" } };
  const headers = { ...own, "retry-after": "9" };
  const vendor = new ScriptedVendor(() => Response.json(error, { status: 429, headers }));
  const provider = { kind: "anthropic", api_key: VENDOR_KEY, models: ["m"], retries: 0 };
  const gateway = createTestGateway({ config: { providers: { provider } }, fetch: vendor.fetch });
  const response = await gateway.call("/v1/messages", BODY);
  await response.text();
  assertEquals([response.status, response.headers.get("retry-after")], [429, "9"]);
  for (const [name, value] of Object.entries(own)) assertEquals(response.headers.get(name), value);
});

Deno.test("without limits of the key, another vendor's headers get Anthropic's names", async () => {
  const own = {
    "x-ratelimit-limit-requests": "14400",
    "x-ratelimit-remaining-tokens": "17997",
    "x-ratelimit-reset-requests": "2m59.56s",
    "x-ratelimit-reset-tokens": "soon",
    "x-ratelimit-limit-audio": "1",
  };
  const { call, now } = start("groq", own, {});
  assertEquals((await call()).headers, {
    "anthropic-ratelimit-requests-limit": "14400",
    "anthropic-ratelimit-requests-reset": timeAfter(now, 179_560),
    "anthropic-ratelimit-tokens-remaining": "17997",
  });
});

Deno.test("chat completions have only OpenAI's names", async () => {
  const own = { "anthropic-ratelimit-requests-limit": "50" };
  const { call } = start("anthropic", own, { path: "/v1/chat/completions" });
  assertEquals((await call()).headers, { "x-ratelimit-limit-requests": "50" });
});

Deno.test("durations of all vendors become times", () => {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ["20ms", 20],
    ["1s", 1000],
    ["6m0s", 360_000],
    ["7.66s", 7660],
    ["1h2m3s", 3_723_000],
    ["0s", 0],
    ["", undefined],
    ["12", undefined],
    ["1m1m", undefined],
    ["-1s", undefined],
    ["9".repeat(50) + "s", undefined],
  ];
  for (const [value, ms] of rows) {
    const headers: Record<string, string> = { "x-ratelimit-reset-tokens": value };
    rateLimitHeaders.rename(headers, 1_000_000);
    const expected = ms === undefined ? {} : {
      "anthropic-ratelimit-tokens-reset": timeAfter(1_000_000, ms),
    };
    assertEquals(headers, expected, value);
  }
});
