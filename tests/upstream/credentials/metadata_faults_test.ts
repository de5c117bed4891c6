/**
 * Metadata services that are slow, fail, send garbage, or whose credentials end every second, for
 * each of them.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import { createTestGateway } from "../../support/gateway.ts";

const CHAT = { messages: [{ role: "user", content: "Hi" }] };
const FLAVOR = { "metadata-flavor": "Google" };

/** A service that gives credentials to a provider. */
interface Service {
  readonly provider: Record<string, unknown>;
  readonly env?: Record<string, string>;
  /** Its answer with the nth credentials, which end at this time. */
  readonly answer: (url: string, count: number, ends: Date) => Response;
}

const aws = (env: Record<string, string>, answer: Service["answer"]): Service => ({
  provider: {
    kind: "bedrock",
    region: "eu-west-1",
    base_url: "https://vendor.test",
    models: ["m"],
  },
  env: { HOME: "/nowhere", ...env },
  answer,
});

const awsKeys = (url: string, count: number, ends: Date) => {
  if (url.endsWith("/latest/api/token")) return new Response("session");
  if (url.endsWith("/security-credentials/")) return new Response("role");
  return Response.json({
    ...{ AccessKeyId: `ID${count}X`, SecretAccessKey: "s", Token: "t" },
    Expiration: ends.toISOString(),
  });
};

const token = (_: string, count: number) =>
  Response.json({ access_token: `ID${count}X`, expires_in: 1 }, { headers: FLAVOR });

const azure = (env: Record<string, string>): Service => ({
  provider: { kind: "azure", base_url: "https://vendor.test", models: ["m"] },
  env,
  // Azure sends numbers as texts.
  answer: (_, count, ends) =>
    Response.json({
      ...{ access_token: `ID${count}X`, expires_in: "1" },
      expires_on: String(Math.floor(ends.getTime() / 1000)),
    }),
});

const SERVICES: Readonly<Record<string, Service>> = {
  "the instance metadata of AWS": aws({}, awsKeys),
  "the container credentials of AWS": aws({
    AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://127.0.0.1:1/keys",
  }, awsKeys),
  "the metadata server of Google": {
    provider: { kind: "gemini", base_url: "https://vendor.test", models: ["m"] },
    answer: token,
  },
  "the metadata service of Azure": azure({}),
  "the identity of an Azure app": azure({
    IDENTITY_ENDPOINT: "http://127.0.0.1:1/msi",
    IDENTITY_HEADER: "h",
  }),
};

/** A gateway whose provider uses a service; the service may leave requests without an answer. */
function setUp({ provider, env = {}, answer }: Service) {
  const sent: string[] = [];
  let count = 0;
  let isSlow = false;
  let fault: (() => Response) | undefined;
  let waits = 0;
  let now = () => 0;
  const gateway = createTestGateway({
    config: { providers: { p: provider } },
    env,
    hasMetadata: () => true,
    async fetch(url, { headers, signal }) {
      if (url.startsWith("https://vendor.test")) {
        sent.push(/ID\d+X/.exec(headers.authorization ?? "")?.[0] ?? "none");
        return Response.json({}, { status: 400 });
      }
      if (isSlow) {
        waits++;
        await new Promise((_, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason))
        );
      }
      if (fault !== undefined) return fault();
      const isLast = !/\/latest\/api\/token$|\/security-credentials\/$/.test(url);
      if (isLast) count++;
      return answer(url, count, new Date(now() + 1000));
    },
  });
  now = () => gateway.clock.wallTime();
  const call = async () => {
    const response = await gateway.call("/v1/chat/completions", { model: "m", ...CHAT });
    return { status: response.status, text: await response.text() };
  };
  return {
    ...{ call, clock: gateway.clock, sent },
    stall: () => void (isSlow = true),
    fail: (answer: () => Response) => void (fault = answer),
    recover() {
      isSlow = false;
      fault = undefined;
    },
    waits: () => waits,
  };
}

for (const [name, service] of Object.entries(SERVICES)) {
  Deno.test(`credentials of ${name} that end every second are replaced for later requests`, async () => {
    const { call, clock, sent } = setUp(service);
    for (const time of [0, 1, 2]) {
      assertEquals((await call()).status, 400, `after ${time} s`);
      clock.advance(1000);
    }
    assertEquals(sent, ["ID1X", "ID2X", "ID3X"]);
  });

  Deno.test(`${name} gets three seconds, once for all requests, and is asked again`, async () => {
    const { call, clock, recover, sent, stall, waits } = setUp(service);
    stall();
    const calls = [call(), call(), call()];
    while (waits() < 1) await setImmediate();
    // Until the other requests wait, too: no timer and no network is involved.
    for (let turn = 0; turn < 100; turn++) await setImmediate();
    clock.advance(3000);
    for (const { status, text } of await Promise.all(calls)) {
      assertEquals(status, 504);
      assertMatch(text, /upstream_timeout/);
    }
    assertEquals([waits(), sent], [1, []]);
    recover();
    assertEquals((await call()).status, 400);
    assertEquals(sent, ["ID1X"]);
  });

  Deno.test(`failures and garbage of ${name} are errors without its text, and end with it`, async () => {
    const { call, fail, recover, sent } = setUp(service);
    for (
      const [answer, expected] of [
        [() => new Response("inner words", { status: 500, headers: FLAVOR }), 502],
        [() => new Response("inner words", { status: 503, headers: FLAVOR }), 503],
        [() => new Response("<html>inner words</html>", { headers: FLAVOR }), 502],
        [() => new Response('{"access_token":1,"inner words":[', { headers: FLAVOR }), 502],
      ] as const
    ) {
      fail(answer);
      const { status, text } = await call();
      assertEquals(status, expected);
      assert(!/inner|169\.254|127\.0/.test(text), text);
    }
    recover();
    assertEquals((await call()).status, 400);
    assertEquals(sent, ["ID1X"]);
  });
}
