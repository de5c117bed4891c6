/** Simulated outages: each model of the mock fails as its name says, deterministically. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { MOCK_FAULTS } from "../../../src/providers/mock/faults.ts";
import { hurry } from "../../support/elapse.ts";
import { createTestGateway, type TestGateway } from "../../support/gateway.ts";

const NAMES = [...MOCK_FAULTS, "429", "500", "401", "404", "599"];

function gatewayWith(retries: number, more: Record<string, unknown> = {}): TestGateway {
  const models = ["mock-echo", ...NAMES.map((name) => `mock-${name}`)];
  const timeout = { first_token: "5s", idle: "5s", total: "9s" };
  return createTestGateway({
    config: { providers: { mock: { kind: "mock", retries, timeout, models } }, ...more },
  });
}

interface Told {
  readonly status: number;
  readonly attempts: string | null;
  /** The text of the answer, and the code of the error that ended it. */
  readonly said: string;
  readonly code: string | null | undefined;
}

async function ask(gateway: TestGateway, model: string, stream: boolean): Promise<Told> {
  const body = { model, stream, messages: [{ role: "user", content: "Grüße an 世界" }] };
  const answer = await hurry(gateway.clock, gateway.call("/v1/chat/completions", body), 100);
  const text = await hurry(gateway.clock, answer.text(), 100);
  assertEquals([gateway.bugs, gateway.clock.pending], [[], 0]);
  const attempts = answer.headers.get("x-sluice-attempts");
  const reported = { status: answer.status, attempts };
  if (answer.status !== 200) return { ...reported, said: "", code: JSON.parse(text).error.code };
  if (!stream) {
    return { ...reported, said: JSON.parse(text).choices[0].message.content, code: undefined };
  }
  const events = text.split("\n\n").slice(0, -1);
  const isWhole = events.at(-1) === "data: [DONE]";
  const data = (isWhole ? events.slice(0, -1) : events).map((event) => JSON.parse(event.slice(6)));
  const said = data.map(({ choices }) => choices?.[0]?.delta.content ?? "").join("");
  return { ...reported, said, code: isWhole ? undefined : data.at(-1).error.code };
}

const WHOLE = "You said: Grüße an 世界";

/** For each name: the status and code of a plain answer, and those of a stream. */
const ROWS: Readonly<Record<string, readonly [number, string?, number?, string?]>> = {
  "429": [429, "rate_limit_exceeded"],
  "500": [502, "upstream_error"],
  "401": [502, "upstream_auth"],
  "404": [404, "model_not_found"],
  "599": [502, "upstream_error"],
  slow: [200],
  flaky: [503, "upstream_unavailable"],
  picky: [200],
  quota: [429, "insufficient_quota"],
  "too-long": [400, "context_length_exceeded"],
  filtered: [400, "content_filter"],
  refuse: [503, "upstream_unavailable"],
  hang: [504, "upstream_timeout"],
  empty: [502, "upstream_error"],
  garbage: [502, "upstream_error"],
  half: [502, "upstream_error", 200, "upstream_error"],
  cut: [502, "upstream_error", 200, "upstream_error"],
  stall: [504, "upstream_timeout", 200, "upstream_timeout"],
  drip: [200],
  "error-first": [502, "upstream_error"],
  "error-later": [502, "upstream_error", 200, "upstream_error"],
  unfinished: [502, "upstream_error", 200, "upstream_error"],
  huge: [502, "upstream_error", 200, "upstream_error"],
};

Deno.test("every simulated failure is tested here", () => {
  assertEquals(Object.keys(ROWS).sort(), [...NAMES].sort());
});

for (
  const [name, [status, code, streamStatus = status, streamCode = code]] of Object.entries(ROWS)
) {
  Deno.test(`mock-${name}: ${status} ${code ?? "and complete"}, deterministically`, async () => {
    const plain = await ask(gatewayWith(0), `mock-${name}`, false);
    assertEquals([plain.status, plain.code], [status, code]);
    const stream = await ask(gatewayWith(0), `mock-${name}`, true);
    assertEquals([stream.status, stream.code], [streamStatus, streamCode]);
    if (streamStatus === 200 && streamCode !== undefined) {
      assert(stream.said !== "" && WHOLE.startsWith(stream.said), stream.said);
    }
    if (status === 200) assertEquals([plain.said, stream.said], [WHOLE, WHOLE]);
    const again = gatewayWith(0);
    assertEquals(await ask(again, `mock-${name}`, true), stream);
  });
}

Deno.test("mock-flaky fails every second request, so that one retry succeeds", async () => {
  const gateway = gatewayWith(1);
  for (let time = 0; time < 3; time++) {
    const { status, attempts, said } = await ask(gateway, "mock-flaky", false);
    assertEquals([status, attempts, said], [200, "2", WHOLE]);
  }
  const single = gatewayWith(0);
  const statuses = [];
  for (let time = 0; time < 4; time++) {
    statuses.push((await ask(single, "mock-flaky", false)).status);
  }
  assertEquals(statuses, [503, 200, 503, 200]);
});

Deno.test("mock-slow sends the first word after a second, and then a word every 200 ms", async () => {
  const gateway = gatewayWith(0);
  const began = gateway.clock.now();
  await ask(gateway, "mock-slow", true);
  const took = gateway.clock.now() - began;
  assert(took >= 2000 && took < 4000, `${took} ms`);
});

Deno.test("a chain of failing mocks ends at the one that answers", async () => {
  const gateway = gatewayWith(0, {
    aliases: { outage: ["mock-500", "mock-refuse", "mock-quota", "mock-garbage", "mock-echo"] },
  });
  for (const stream of [false, true]) {
    const { status, attempts, said } = await ask(gateway, "outage", stream);
    assertEquals([status, attempts, said], [200, "5", WHOLE]);
  }
});

Deno.test("the upstream name decides whether a mock model fails", async () => {
  const gateway = createTestGateway({
    config: {
      providers: { mock: { kind: "mock", models: [{ id: "gpt", upstream: "mock-429" }] } },
    },
  });
  const answer = await gateway.call("/v1/chat/completions", {
    model: "gpt",
    messages: [{ role: "user", content: "Hi" }],
  });
  assertEquals([answer.status, answer.headers.get("retry-after")], [429, "1"]);
  assertStringIncludes(await answer.text(), "The mock was asked for a 429");
});

Deno.test("a client disconnect ends a mock that is slow, silent or never answers", async () => {
  for (const model of ["mock-slow", "mock-stall", "mock-hang"]) {
    for (const stream of [false, true]) {
      const gateway = gatewayWith(0);
      const caller = new AbortController();
      const body = { model, stream, messages: [{ role: "user", content: "Hi" }] };
      const answering = gateway.call("/v1/chat/completions", body, {}, caller.signal);
      if (stream && model === "mock-stall") {
        await (await answering).body?.cancel();
      } else {
        caller.abort();
        await (await answering).body?.cancel();
      }
      assertEquals(gateway.clock.pending, 0, model);
      assertEquals(gateway.lines.at(-1)?.outcome, "client_gone");
    }
  }
});

Deno.test("the README of the mock lists every failing model of the mock", () => {
  const page = new URL("../../../docs/vendors/mock.md", import.meta.url);
  const table = Deno.readTextFileSync(page);
  for (const name of MOCK_FAULTS) assertStringIncludes(table, `\`mock-${name}\``);
});
