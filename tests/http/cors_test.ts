import { assert, assertEquals } from "@std/assert";
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
  assertEquals(ours.filter((name) => !exposed.includes(name)), []);
});
