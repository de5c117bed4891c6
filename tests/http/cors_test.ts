import { assert, assertEquals } from "@std/assert";
import { LIMIT_KINDS } from "../../src/core/limit_kinds.ts";
import { createTestGateway, SERVICE_KEY, type TestGateway } from "../support/gateway.ts";

const APP = "https://app.example.com";
const REQUEST = { model: "m", messages: [{ role: "user", content: "Hi" }] };

function gatewayWith(cors?: string | string[]): TestGateway {
  return createTestGateway({
    config: {
      providers: { mock: { kind: "mock", models: ["m"] } },
      server: cors === undefined ? {} : { cors },
    },
  });
}

async function headersOf(answer: Promise<Response>): Promise<Headers> {
  const response = await answer;
  await response.body?.cancel();
  return response.headers;
}

function preflight(gateway: TestGateway, origin: string, path = "/v1/chat/completions") {
  return gateway.app.handle(
    new Request(`http://gateway.test${path}`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,x-stainless-os",
      },
    }),
  );
}

Deno.test("CORS is off by default: no header, and a preflight is a 405", async () => {
  const gateway = gatewayWith();
  const headers = await headersOf(gateway.call("/v1/models", undefined, { origin: APP }));
  assertEquals([...headers.keys()].filter((name) => name.startsWith("access-control-")), []);
  const response = await preflight(gateway, APP);
  await response.body?.cancel();
  assertEquals(response.status, 405);
});

for (const cors of ["*", ["*"]]) {
  Deno.test(`CORS with ${JSON.stringify(cors)} allows all origins`, async () => {
    const gateway = gatewayWith(cors);
    const origin = { origin: "https://anyone.example" };
    const answers = [
      gateway.call("/v1/models", undefined, origin),
      gateway.call("/v1/chat/completions", REQUEST, origin),
      gateway.call("/v1/chat/completions", { ...REQUEST, stream: true }, origin),
      gateway.call("/v1/chat/completions", {}, origin),
      gateway.call("/nowhere", undefined, origin),
      gateway.call("/v1/models", undefined, { ...origin, authorization: "Bearer wrong" }),
    ];
    for (const answer of answers) {
      assertEquals((await headersOf(answer)).get("access-control-allow-origin"), "*");
    }
  });
}

Deno.test("CORS with origins allows only these", async () => {
  const gateway = gatewayWith([APP, "http://localhost:3000"]);
  for (const origin of [APP, "http://localhost:3000"]) {
    const headers = await headersOf(gateway.call("/v1/models", undefined, { origin }));
    assertEquals(headers.get("access-control-allow-origin"), origin);
    assertEquals(headers.get("vary"), "Origin");
  }
  for (const origin of ["https://evil.example", `${APP}.evil.example`, "null", undefined]) {
    const asked: Record<string, string> = origin === undefined ? {} : { origin };
    const headers = await headersOf(gateway.call("/v1/models", undefined, asked));
    assertEquals(headers.get("access-control-allow-origin"), null);
    assertEquals(headers.get("vary"), "Origin");
  }
});

Deno.test("a preflight is answered without a key, and allows the requested headers", async () => {
  for (const cors of ["*", APP]) {
    const response = await preflight(gatewayWith(cors), APP);
    assertEquals([response.status, await response.text()], [204, ""]);
    assertEquals(response.headers.get("access-control-allow-origin"), cors);
    assertEquals(response.headers.get("access-control-allow-methods"), "POST, OPTIONS");
    const allowed = response.headers.get("access-control-allow-headers");
    assertEquals(allowed, "authorization,x-stainless-os");
  }
});

Deno.test("a preflight from another origin allows nothing", async () => {
  const response = await preflight(gatewayWith(APP), "https://evil.example");
  await response.body?.cancel();
  assertEquals(response.headers.get("access-control-allow-origin"), null);
});

Deno.test("a preflight of an unknown path is a 404", async () => {
  const response = await preflight(gatewayWith("*"), APP, "/nowhere");
  await response.body?.cancel();
  assertEquals(response.status, 404);
});

Deno.test("every header of the gateway is exposed to scripts", async () => {
  const gateway = createTestGateway({
    config: {
      providers: {
        v: { kind: "anthropic", api_key: "sk-v", models: ["claude-haiku-4-5"] },
      },
      server: { cors: "*" },
    },
    fetch: () =>
      Promise.resolve(Response.json(
        {
          content: [{ type: "text", text: "Hi" }],
          stop_reason: "end_turn",
          usage: { input_tokens: 10, output_tokens: 2 },
        },
        {
          headers: {
            "request-id": "req_vendor",
            "retry-after": "1",
            "anthropic-ratelimit-requests-limit": "50",
            "anthropic-ratelimit-requests-remaining": "49",
            "anthropic-ratelimit-tokens-limit": "5000",
            "anthropic-ratelimit-tokens-remaining": "4900",
          },
        },
      )),
  });
  const request = { ...REQUEST, model: "claude-haiku-4-5", seed: 1, temperature: 2 };
  const headers = await headersOf(
    gateway.call("/v1/chat/completions", request, {
      origin: APP,
      authorization: `Bearer ${SERVICE_KEY}`,
    }),
  );
  const exposed = (headers.get("access-control-expose-headers") ?? "").split(", ");
  const safelisted = ["content-type", "content-length", "cache-control", "vary"];
  const forBrowsers = ["x-content-type-options"];
  const ours = [...headers.keys()].filter((name) =>
    !name.startsWith("access-control-") && ![...safelisted, ...forBrowsers].includes(name)
  );
  for (const name of ["x-sluice-converted", "x-sluice-ignored", "x-sluice-cost-usd"]) {
    assert(ours.includes(name), name);
  }
  assertEquals(exposed.toSorted(), ours.toSorted());
});

Deno.test("headers of CORS are only in answers to other origins, and every answer varies", async () => {
  for (const cors of ["*", APP]) {
    const gateway = gatewayWith(cors);
    for (const path of ["/v1/models", "/nowhere", "/v1/chat/completions"]) {
      const body = path === "/v1/chat/completions" ? REQUEST : undefined;
      const without = await headersOf(gateway.call(path, body));
      const names = [...without.keys()].filter((name) => name.startsWith("access-control-"));
      assertEquals([names, without.get("vary")], [[], "Origin"], path);
      const headers = await headersOf(gateway.call(path, body, { origin: APP }));
      assertEquals(headers.get("access-control-allow-origin"), cors, path);
      assertEquals(headers.get("vary"), "Origin");
      const exposed = headers.get("access-control-expose-headers")?.split(", ") ?? [];
      assert(exposed.includes("x-request-id"), path);
      assertEquals(exposed.filter((name) => !headers.has(name)), [], path);
      assertEquals(exposed.length, new Set(exposed).size, path);
    }
  }
});

const USAGE = { input_tokens: 10, output_tokens: 2 };
/** Headers that the worst answer has. */
const OF_WORST = /^x-sluice-(?:budget-usd|ignored)$|^anthropic-|^x-ratelimit-/;
/** The end of a list that was cut. */
const LEFT_OUT = /(?:, and \d+ more|^\d+ entries)$/;

Deno.test("no answer of any route has more than 2 kB of headers", async () => {
  const long = "m".repeat(300);
  const gateway = createTestGateway({
    config: {
      providers: {
        mock: { kind: "mock", models: ["m", long], passthrough: true },
        failing: {
          ...{ kind: "groq", api_key: "sk-v", retries: 0 },
          models: [{ id: "failing", prices: { input: 1, output: 1 } }],
        },
        claude: { kind: "anthropic", api_key: "sk-v", models: ["claude-opus-5"] },
      },
      server: {
        cors: "*",
        admin_keys: [{ name: "admin", key: "sk-admin" }],
        keys: [{
          name: "default",
          key: SERVICE_KEY,
          budget: { usd: 1000.123456789, per: "month" },
          limits: Object.fromEntries(
            LIMIT_KINDS.map(({ name }, index) => [name, 1_000_000_000 + index]),
          ),
        }],
      },
    },
    fetch: (url) =>
      Promise.resolve(
        url.includes("groq")
          ? Response.json({ error: { message: "Down" } }, { status: 503 })
          : Response.json(
            { content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage: USAGE },
            { headers: { "request-id": "r".repeat(5000) } },
          ),
      ),
  });
  const paths: Record<string, Record<string, unknown>> =
    (await (await gateway.call("/openapi.json")).json()).paths;
  const extras = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`unknown_${n}`, n]));
  const text = { messages: REQUEST.messages, input: "Hi", contents: [{ parts: [{ text: "Hi" }] }] };
  const calls: [path: string, body?: { readonly model: string }][] = [];
  for (const [path, methods] of Object.entries(paths)) {
    if ("get" in methods) calls.push([path]);
    if (!("post" in methods)) continue;
    for (const model of ["m", long, "claude-opus-5"]) {
      calls.push([path, { ...text, ...extras, model, max_tokens: 10 } as { model: string }]);
    }
    const models = ["claude-opus-5"];
    calls.push([path, { ...text, ...extras, model: "failing", models, max_tokens: 10 } as {
      model: string;
    }]);
  }
  assert(calls.length > 80, String(calls.length));
  const statuses = new Set<number>();
  const seen = new Set<string>();
  for (const [path, body] of calls) {
    const key = path.startsWith("/v1/admin") ? "sk-admin" : SERVICE_KEY;
    const called = path.replace("{model_id}", body?.model ?? "m").replaceAll(/[{}]/g, "");
    const response = await gateway.call(called, body, {
      origin: APP,
      authorization: `Bearer ${key}`,
      "x-request-id": "i".repeat(128),
    });
    await response.body?.cancel();
    statuses.add(response.status);
    for (const [name, value] of response.headers) {
      if (name === "x-sluice-attempts" ? value !== "1" : OF_WORST.test(name)) {
        seen.add(`${path} ${name}`);
      }
      if (name === "x-sluice-ignored") assert(LEFT_OUT.test(value), `${path}: ${value}`);
    }
    const head = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
    assert(head.length <= 2048, `${path} has ${head.length} characters of headers:\n${head}`);
  }
  assert(statuses.has(200) && statuses.has(404) && statuses.has(400), [...statuses].join());
  for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses"]) {
    for (const name of ["attempts", "budget-usd", "ignored"]) {
      assert(seen.has(`${path} x-sluice-${name}`), [...seen].join("\n"));
    }
  }
  assert(seen.has("/v1/messages anthropic-ratelimit-unified-status"));
  assert(seen.has("/v1/chat/completions x-ratelimit-limit-tokens-day"));
});
