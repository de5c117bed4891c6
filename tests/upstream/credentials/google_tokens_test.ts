import { assert, assertEquals, assertRejects } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import { importSPKI, jwtVerify } from "jose";
import { GatewayError } from "../../../src/core/errors.ts";
import { fetchGoogleCredentials } from "../../../src/upstream/credentials/google/ambient.ts";
import type { GoogleToken } from "../../../src/upstream/credentials/google/token.ts";
import { LiveCredentials } from "../../../src/upstream/credentials/live_credentials.ts";
import type { Fetch } from "../../../src/upstream/transport.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { serviceAccount, TOKEN_URI } from "../../support/service_account.ts";

const { json, publicKey } = serviceAccount();
const MINUTE = 60_000;

/** A token service that gives out t1, t2, … as soon as it is let to. */
function createService() {
  const asked: { url: string; form: URLSearchParams }[] = [];
  let gate: Promise<void> = Promise.resolve();
  const fetch: Fetch = async (url, init) => {
    asked.push({ url, form: new URLSearchParams(String(init.body)) });
    const access_token = `t${asked.length}`;
    await gate;
    return Response.json({ access_token, expires_in: 3600, token_type: "Bearer" });
  };
  return {
    asked,
    fetch,
    /** Holds answers back until the function it gives is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

function setUp(readFile: (path: string) => string = () => json) {
  const clock = new ManualClock();
  const service = createService();
  const tokens = new LiveCredentials<GoogleToken>();
  const { signal } = new AbortController();
  const get = async (credentials = json, deps = {}) => {
    const { fetch } = service;
    const all = { clock, fetch, direct: fetch, readFile, signal, ...deps };
    const obtain = () => fetchGoogleCredentials(credentials, () => undefined, all);
    return (await tokens.get(credentials, obtain, all)).text;
  };
  const forget = (credentials: string, refused: string) =>
    tokens.forget(credentials, ({ text }) => text === refused);
  return { clock, service, forget, get };
}

/** Waits until the statement is signed and the promises that depend on it are settled. */
async function settle(done: () => boolean): Promise<void> {
  while (!done()) await setImmediate();
}

async function kindOf(failing: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => failing, GatewayError)).kind;
}

Deno.test("get() exchanges an assertion that the account has signed", async () => {
  const { clock, service, get } = setUp();
  assertEquals(await get(), "t1");
  const [asked] = service.asked;
  assertEquals(asked?.url, TOKEN_URI);
  assertEquals(asked?.form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  const key = await importSPKI(publicKey, "RS256");
  const { payload, protectedHeader } = await jwtVerify(asked?.form.get("assertion") ?? "", key, {
    currentDate: new Date(clock.now()),
  });
  const now = clock.now() / 1000 - 10;
  assertEquals(protectedHeader, { alg: "RS256", typ: "JWT", kid: "test-key" });
  assertEquals(payload, {
    iss: "sluice@test-project.iam.gserviceaccount.com",
    aud: TOKEN_URI,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    iat: now,
    exp: now + 3600,
  });
  assertEquals(clock.pending, 0);
});

Deno.test("get() caches a token, and requests it once for concurrent callers", async () => {
  const { clock, service, get } = setUp();
  assertEquals(await Promise.all([get(), get(), get()]), ["t1", "t1", "t1"]);
  clock.advance(54 * MINUTE);
  assertEquals(await get(), "t1");
  assertEquals(service.asked.length, 1);
});

Deno.test("get() returns a token that expires soon while it fetches the next one", async () => {
  const { clock, service, get } = setUp();
  await get();
  clock.advance(56 * MINUTE);
  const release = service.hold();
  assertEquals(await Promise.all([get(), get()]), ["t1", "t1"]);
  await settle(() => service.asked.length === 2);
  release();
  await settle(() => clock.pending === 0);
  assertEquals(await get(), "t2");
  assertEquals(service.asked.length, 2);
});

Deno.test("get() waits for a new token when the old one has expired", async () => {
  const { clock, get } = setUp();
  await get();
  clock.advance(60 * MINUTE);
  assertEquals(await get(), "t2");
});

Deno.test("forget() removes only the rejected token", async () => {
  const { service, forget, get } = setUp();
  forget(json, await get());
  assertEquals(await get(), "t2");
  forget(json, "t1");
  assertEquals(await get(), "t2");
  assertEquals(service.asked.length, 2);
});

Deno.test("get() does not cache failures", async () => {
  const { get } = setUp();
  const failures: (() => Promise<Response>)[] = [
    () => Promise.resolve(Response.json({ error: "invalid_grant" }, { status: 400 })),
    () => Promise.resolve(new Response("oops", { status: 503 })),
    () => Promise.resolve(Response.json({ access_token: "" })),
    () => Promise.resolve(new Response("<html>")),
    () => Promise.reject(new TypeError("refused")),
  ];
  const kinds: string[] = [];
  for (const fetch of failures) kinds.push(await kindOf(get(json, { fetch })));
  assertEquals(kinds, [
    "upstream_auth",
    "upstream_unavailable",
    "upstream_error",
    "upstream_error",
    "upstream_unavailable",
  ]);
  assertEquals(await get(), "t1");
});

Deno.test("a failure keeps the old token until it ends", async () => {
  const { clock, service, get } = setUp();
  await get();
  const fetch = () => Promise.reject(new TypeError("refused"));
  for (const minutes of [56, 3]) {
    clock.advance(minutes * MINUTE);
    assertEquals(await get(json, { fetch }), "t1");
    await settle(() => clock.pending === 0);
  }
  clock.advance(MINUTE - 1);
  assertEquals(await get(json, { fetch }), "t1", "to the last millisecond");
  clock.advance(1);
  assertEquals(await kindOf(get(json, { fetch })), "upstream_unavailable");
  assertEquals(service.asked.length, 1);
});

Deno.test("a token that ends at once is replaced first, unless that fails or takes long", async () => {
  const { clock, service, get } = setUp();
  const end = (seconds: number) => clock.advance(60 * MINUTE - seconds * 1000);
  await get();
  end(8);
  assertEquals(await get(), "t2");
  end(8);
  const refused = () => Promise.reject(new TypeError("refused"));
  assertEquals(await get(json, { fetch: refused }), "t2");
  const release = service.hold();
  clock.advance(8000);
  const waiting = get();
  release();
  assertEquals(await waiting, "t3");
  // A token service that hangs costs a request half of what is left.
  end(8);
  const hanging = service.hold();
  const late = get();
  await settle(() => service.asked.length === 4);
  clock.advance(4000);
  assertEquals(await late, "t3");
  hanging();
  await settle(() => clock.pending === 0);
  assertEquals(await get(), "t4");
});

Deno.test("get() times out when the token service does not answer", async () => {
  const { clock, get } = setUp();
  const fetch: Fetch = (_, { signal }) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  const waiting = get(json, { fetch });
  const kind = kindOf(waiting);
  await settle(() => clock.pending === 1);
  clock.advance(15_000);
  assertEquals(await kind, "upstream_timeout");
});

Deno.test("get() continues the exchange for other callers when one aborts", async () => {
  const { clock, service, get } = setUp();
  const release = service.hold();
  const leaving = new AbortController();
  const left = assertRejects(() => get(json, { signal: leaving.signal }), Error, "left");
  const staying = get();
  await settle(() => service.asked.length === 1);
  leaving.abort(new Error("left"));
  await left;
  release();
  assertEquals(await staying, "t1");
  assertEquals([service.asked.length, clock.pending], [1, 0]);
});

Deno.test("get() reads the key file again for each token", async () => {
  const paths: string[] = [];
  const { forget, get } = setUp((path) => {
    paths.push(path);
    return json;
  });
  forget("/secrets/key.json", await get("/secrets/key.json"));
  await get("/secrets/key.json");
  assertEquals(paths, ["/secrets/key.json", "/secrets/key.json"]);
});

Deno.test("get() reports what is wrong with a key, without its content", async () => {
  const { get } = setUp(() => {
    throw new Deno.errors.NotFound("/secrets/key.json");
  });
  const account = JSON.parse(json);
  const pkcs1 = account.private_key.replaceAll("PRIVATE KEY", "RSA PRIVATE KEY");
  const bad = [
    "/secrets/key.json",
    "{ not json",
    JSON.stringify({ ...account, type: "authorized_user" }),
    JSON.stringify({ ...account, type: "gdch_service_account" }),
    JSON.stringify({ ...account, client_email: undefined }),
    JSON.stringify({ ...account, private_key: pkcs1 }),
  ];
  for (const credentials of bad) {
    const error = await assertRejects(() => get(credentials), GatewayError);
    assertEquals(error.kind, "upstream_auth");
    assert(!/BEGIN RSA|MII|secrets/.test(error.message), error.message);
  }
});

Deno.test("get() accepts a key with escaped line ends, and no foreign token URL", async () => {
  const { service, get } = setUp();
  const account = JSON.parse(json);
  const private_key = account.private_key.replaceAll("\n", "\\n");
  for (const token_uri of ["http://169.254.169.254/", "https://evil.test/.googleapis.com"]) {
    await get(JSON.stringify({ ...account, private_key, token_uri }));
  }
  assertEquals(service.asked.map(({ url }) => url), [TOKEN_URI, TOKEN_URI]);
});
