/** The pass-through with several keys, and with tokens that expire. */

import { assert, assertEquals } from "@std/assert";
import { SystemClock } from "../../src/core/clock.ts";
import type { Fetch } from "../../src/upstream/transport.ts";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";
import { serveGatewayOn, serveVendor } from "../support/server.ts";
import { serviceAccount } from "../support/service_account.ts";

const MINUTE = 60_000;

/** A vendor with three keys, which answers by this script. */
function world(
  script: (key: string) => Response | undefined,
  keys = ["sk-one", "sk-two", "sk-three"],
) {
  const sent: { key: string; body: string }[] = [];
  const fetch: Fetch = async (_url, { headers, body }) => {
    const key = (headers.authorization ?? "").replace("Bearer ", "");
    sent.push({ key, body: await textOf(body) });
    return script(key) ?? Response.json({ by: key });
  };
  const vendor = { kind: "openai", api_key: keys, models: ["m"], passthrough: true };
  const gateway = createTestGateway({ config: { providers: { vendor } }, fetch });
  const ask = async (init: RequestInit = {}) => {
    sent.length = 0;
    const response = await gateway.app.handle(
      new Request("http://gateway.test/v1/providers/vendor/proxy/files", {
        ...init,
        headers: { authorization: `Bearer ${SERVICE_KEY}`, ...init.headers },
      }),
    );
    const { status, headers } = response;
    const text = await response.text();
    assertEquals(gateway.bugs, []);
    assertEquals(gateway.clock.pending, 0);
    return {
      status,
      headers,
      text,
      keys: sent.map(({ key }) => key),
      bodies: sent.map(({ body }) => body),
    };
  };
  return { ask, gateway, sent };
}

async function textOf(body: Parameters<Fetch>[1]["body"]): Promise<string> {
  if (body === undefined || typeof body === "string") return body ?? "";
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let text = "";
  for await (const packet of body) text += new TextDecoder().decode(packet);
  return text;
}

const refuse =
  (refused: string, status: number, headers: Record<string, string> = {}) => (key: string) =>
    key === refused ? Response.json({ no: true }, { status, headers }) : undefined;

const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-length": String(new TextEncoder().encode(body).length), ...headers },
});

for (const status of [401, 402, 429]) {
  Deno.test(`after a ${status} the request is sent with another key, which later ones use`, async () => {
    const { ask, gateway } = world(refuse("sk-one", status));
    const first = await ask(post('{"a":1}'));
    assertEquals([first.status, first.keys], [200, ["sk-one", "sk-two"]]);
    assertEquals(first.bodies, ['{"a":1}', '{"a":1}']);
    assertEquals(first.headers.get("x-sluice-attempts"), "2");
    assertEquals((await ask()).keys, ["sk-two"]);
    gateway.clock.advance(6 * MINUTE);
    assertEquals((await ask()).keys, ["sk-one", "sk-two"], "the suspension has ended");
  });
}

Deno.test("a rate-limited key is suspended for as long as the vendor asks", async () => {
  const { ask, gateway } = world(refuse("sk-one", 429, { "retry-after": "90" }));
  await ask();
  gateway.clock.advance(89_000);
  assertEquals((await ask()).keys, ["sk-two"]);
  gateway.clock.advance(2000);
  assertEquals((await ask()).keys, ["sk-one", "sk-two"]);
});

Deno.test("the caller gets the vendor's own refusal when every key is refused", async () => {
  const { ask } = world((key) =>
    new Response(`limit of ${key.slice(3)}`, { status: 429, headers: { "retry-after": "7" } })
  );
  const { status, headers, text, keys } = await ask();
  assertEquals([status, headers.get("retry-after")], [429, "7"]);
  assertEquals(keys, ["sk-one", "sk-two", "sk-three"]);
  assertEquals(text, "limit of three");
});

Deno.test("other refusals and failures come back at once", async () => {
  for (const status of [400, 403, 404, 409, 500, 503]) {
    const { ask } = world(() => new Response("no", { status }));
    const reported = await ask();
    assertEquals([reported.status, reported.keys], [status, ["sk-one"]], `${status}`);
  }
});

Deno.test("a single key is neither suspended nor tried twice", async () => {
  const { ask } = world(() => new Response("no", { status: 401 }), ["sk-one"]);
  assertEquals((await ask()).keys, ["sk-one"]);
  assertEquals((await ask()).keys, ["sk-one"]);
});

Deno.test("a body that is not buffered is sent once, and later requests use another key", async () => {
  const { ask } = world(refuse("sk-one", 429));
  const large = await ask(post("x".repeat(100_000)));
  assertEquals([large.status, large.keys], [429, ["sk-one"]]);
  const body = new Blob(["of unknown length"]).stream();
  const next = world(refuse("sk-one", 429));
  assertEquals((await next.ask({ method: "POST", body })).status, 429);
  const later = await next.ask({ method: "POST", body: new Blob(["again"]).stream() });
  assertEquals([later.status, later.keys, later.bodies], [200, ["sk-two"], ["again"]]);
});

Deno.test("a failure of the pass-through suspends a key only for the pass-through", async () => {
  const { ask, gateway, sent } = world(refuse("sk-one", 401));
  await ask();
  sent.length = 0;
  const chat = { model: "m", messages: [{ role: "user", content: "Hi" }] };
  await (await gateway.call("/v1/chat/completions", chat)).text();
  assertEquals(sent[0]?.key, "sk-one");
});

Deno.test("the log names the refusal, and that another key followed", async () => {
  const { ask, gateway } = world(refuse("sk-one", 429));
  await ask();
  const line = gateway.lines.find(({ attempts }) => attempts !== undefined);
  assertEquals(line?.attempts, 2, JSON.stringify(gateway.lines));
  assert(JSON.stringify(gateway.lines).includes("rate_limited"), JSON.stringify(gateway.lines));
});

/** Google refuses the first token of an account, as it does when a token expires early. */
function google() {
  let issued = 0;
  const sent: string[] = [];
  const fetch: Fetch = async (url, { headers, body }) => {
    if (url.includes("oauth2")) return Response.json({ access_token: `ya29.${++issued}` });
    await textOf(body);
    sent.push(headers.authorization ?? "");
    const isOld = headers.authorization === "Bearer ya29.1";
    return Response.json({ ok: !isOld }, { status: isOld ? 401 : 200 });
  };
  const vendor = {
    kind: "vertex",
    credentials: serviceAccount().json,
    project: "p",
    location: "us-central1",
    models: ["m"],
    passthrough: true,
  };
  const gateway = createTestGateway({ config: { providers: { vendor } }, fetch });
  const ask = async (init: RequestInit) => {
    const response = await gateway.app.handle(
      new Request("http://gateway.test/v1/providers/vendor/proxy/projects/p/x", {
        ...init,
        headers: { authorization: `Bearer ${SERVICE_KEY}`, ...init.headers },
      }),
    );
    await response.body?.cancel();
    return response.status;
  };
  return { sent, ask };
}

Deno.test("after a 401 of Google the request is sent again with a new token", async () => {
  for (const init of [{}, post("{}")]) {
    const { ask, sent } = google();
    assertEquals(await ask(init), 200);
    assertEquals(sent, ["Bearer ya29.1", "Bearer ya29.2"]);
  }
});

Deno.test("a 401 of Google renews the token also where the body cannot be sent again", async () => {
  const { ask, sent } = google();
  assertEquals(await ask({ method: "POST", body: new Blob(["{}"]).stream() }), 401);
  assertEquals(await ask({ method: "POST", body: new Blob(["{}"]).stream() }), 200);
  assertEquals(sent, ["Bearer ya29.1", "Bearer ya29.2"]);
});

Deno.test("another key is tried over real ports", async () => {
  const bodies: string[] = [];
  await using vendor = serveVendor(async (request) => {
    bodies.push(await request.text());
    const isFirst = request.headers.get("authorization") === "Bearer sk-one";
    return new Response(isFirst ? "limited" : "made", { status: isFirst ? 429 : 201 });
  });
  const clock = new SystemClock();
  const openai = {
    kind: "openai",
    api_key: ["sk-one", "sk-two"],
    base_url: `${vendor.url}/v1`,
    models: ["m"],
    passthrough: true,
  };
  await using served = serveGatewayOn(clock, { config: { providers: { openai } } });
  const response = await served.fetch(`${served.url}/v1/providers/openai/proxy/images`, {
    method: "POST",
    headers: { authorization: `Bearer ${SERVICE_KEY}` },
    body: '{"prompt":"a cat"}',
  });
  assertEquals([response.status, await response.text()], [201, "made"]);
  assertEquals(bodies, ['{"prompt":"a cat"}', '{"prompt":"a cat"}']);
  clock.close();
});
