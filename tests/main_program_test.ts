import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { PIXEL } from "./support/gateway.ts";
import { addressOf, type Running, SOURCES, startSluice } from "./support/process.ts";
import { readRoot } from "./support/read_root.ts";
import { CHUNKS, sayHello } from "./support/scripted_vendor.ts";
import { Gate, serveVendor } from "./support/server.ts";

const CONFIG = readRoot("config.yaml");
const MESSAGES = [{ role: "user", content: "Hello" }];

/** A client with its own connections. */
class Caller implements Disposable {
  readonly #client = Deno.createHttpClient({});

  fetch(url: string, init: RequestInit = {}): Promise<Response> {
    return fetch(url, { ...init, client: this.#client });
  }

  /** Posts a chat request. */
  chat(base: string, key: string, members: Record<string, unknown>): Promise<Response> {
    return this.fetch(`${base}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ messages: MESSAGES, ...members }),
    });
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/** The curl command of the banner, split into arguments by a shell. */
async function wordsOfCurl(banner: string, env: Record<string, string>): Promise<string[]> {
  const [, command] = /^( *curl [^]*?)^$/m.exec(`${banner}\n`) ?? [];
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`],
    env,
  }).output();
  return new TextDecoder().decode(stdout).split("\0").slice(0, -1);
}

/** Sends the request that curl would send for these arguments. */
function asCurl(caller: Caller, words: readonly string[], members = {}): Promise<Response> {
  const [url = "", headerFlag, header = "", dataFlag, data = "", ...others] = words;
  assertEquals([headerFlag, dataFlag, others], ["-H", "-d", []]);
  const [name = "", value = ""] = header.split(": ");
  return caller.fetch(url, {
    method: "POST",
    headers: { [name]: value, "content-type": "application/x-www-form-urlencoded" },
    body: JSON.stringify({ ...JSON.parse(data), ...members }),
  });
}

async function bannerOf(running: Running): Promise<string> {
  await running.logged("\n    -d ");
  return running.stderr();
}

/** The end of the banner. */
const NEXT_STEPS = new RegExp(
  "\n\nNext steps:\n\n  export SLUICE_API_KEY=\\S+ .*\n" +
    "  add a vendor's key to \\.env, such as OPENAI_API_KEY=…, and restart\n$",
);

/** Runs with a generated service key and with a configured one. */
const KEYS: readonly (readonly [string, Record<string, string>])[] = [
  ["a generated key", {}],
  ["SLUICE_API_KEY set", { SLUICE_API_KEY: "sk-set-in-the-shell" }],
];

for (const [what, env] of KEYS) {
  Deno.test(`the shipped config.yaml starts with ${what}, and the banner's curl works as pasted`, async () => {
    using caller = new Caller();
    await using running = startSluice(["--port", "0"], { files: { "config.yaml": CONFIG }, env });
    const banner = await bannerOf(running);
    assertMatch(banner, /^Sluice listens on http:\/\/127\.0\.0\.1:\d+$/m);
    assertMatch(banner, /mock-echo +mock +mock-echo\n/);
    assertMatch(
      banner,
      /^ {2}Disabled: openai, azure, .*novita \('sluice check' prints the reasons\)$/m,
    );
    assertMatch(banner, NEXT_STEPS);
    assertEquals(/\bsk-sluice-\S{24}/.test(banner), env.SLUICE_API_KEY === undefined);
    assert(env.SLUICE_API_KEY === undefined || !banner.includes(env.SLUICE_API_KEY));

    const words = await wordsOfCurl(banner, env);
    const answer = await (await asCurl(caller, words)).json();
    assertEquals(answer.choices[0].message.content, "You said: Hello");
    assertEquals(
      answer.usage.total_tokens,
      answer.usage.prompt_tokens + answer.usage.completion_tokens,
    );
    const stream = await asCurl(caller, words, { stream: true });
    assertEquals(stream.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const text = await stream.text();
    assertStringIncludes(text, '"delta":{"content":"said: "}');
    assert(text.endsWith("data: [DONE]\n\n"));

    running.signal("SIGINT");
    const { code, stdout } = await running.finished;
    assertEquals(code, 0);
    const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.map(({ model, outcome, stream }) => [model, outcome, stream]), [
      ["mock-echo", "done", undefined],
      ["mock-echo", "done", true],
    ]);
    assert(!/sk-|Hello/.test(stdout));
  });
}

for (const [host, isShown] of [["127.0.0.1", true], ["0.0.0.0", false]] as const) {
  Deno.test(`on ${host} the banner ${isShown ? "shows" : "does not show"} the console's address`, async () => {
    using caller = new Caller();
    const args = ["--host", host, "--port", "0"];
    await using running = startSluice(args, {
      files: { "config.yaml": CONFIG },
      env: { SLUICE_API_KEY: "sk-own" },
    });
    const banner = await bannerOf(running);
    const [, address] = /^ {2}console {3}(http:\S+\/)$/m.exec(banner) ?? [];
    assertEquals(address !== undefined, isShown);
    const base = (await addressOf(running)).replace("0.0.0.0", "127.0.0.1");
    const answer = await caller.fetch(address ?? `${base}/`, { headers: { accept: "text/html" } });
    assertEquals(answer.headers.get("content-type")?.startsWith("text/html"), isShown);
    await answer.body?.cancel();
  });
}

for (const workers of [1, 2]) {
  Deno.test(`a gateway with ${workers} workers keeps responding after its log's reader has exited`, async () => {
    using caller = new Caller();
    const folder = Deno.makeTempDirSync({ prefix: "sluice-" });
    const config = { server: { workers }, providers: { x: { kind: "mock", models: ["m"] } } };
    Deno.writeTextFileSync(`${folder}/config.yaml`, JSON.stringify(config));
    const child = new Deno.Command(SOURCES.path, {
      args: [...SOURCES.args, "--port", "0", "--config", `${folder}/config.yaml`],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const banner = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    // The banner may arrive in pieces, and a gateway that cannot print it does not start.
    while (!text.includes("\n    -d ")) {
      const { value, done } = await banner.read();
      assert(!done, text);
      text += value;
    }
    const [, base = ""] = /^Sluice listens on (http:\S+)$/m.exec(text) ?? [];
    const [, key = ""] = /key +(\S+)/.exec(text) ?? [];
    await Promise.all([banner.cancel(), child.stdout.cancel()]);
    const ask = async () => (await caller.chat(base, key, { model: "m" })).json();
    for (const said of ["first request", "second request"]) {
      assertEquals((await ask()).choices?.[0].message.content, "You said: Hello", said);
      // The log is written after the responses.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    child.kill("SIGHUP");
    assertEquals((await ask()).choices?.[0].message.content, "You said: Hello");
    child.kill("SIGTERM");
    assertEquals((await child.status).code, 0);
    Deno.removeSync(folder, { recursive: true });
  });
}

/** A configuration with one provider at this URL. */
function configFor(url: string, drain = "30s"): string {
  return JSON.stringify({
    server: { port: 0, drain, max_body: "1kB", keys: [{ name: "own", key: "${SLUICE_API_KEY}" }] },
    providers: {
      v: { kind: "openai", api_key: "${OPENAI_API_KEY}", base_url: url, models: ["m"] },
    },
  });
}

const DOT_ENV = 'SLUICE_API_KEY=sk-own\nOPENAI_API_KEY="sk-vendor" # of .env\n';

/** A vendor whose stream starts immediately and continues when the gate opens. */
function serveSlowVendor(gate: Gate) {
  const encoder = new TextEncoder();
  const events = [...CHUNKS.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
    .map((data) => encoder.encode(`data: ${data}\n\n`));
  return serveVendor((request) => {
    assertEquals(request.headers.get("authorization"), "Bearer sk-vendor");
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async start(controller) {
        for (const event of events.slice(0, 2)) controller.enqueue(event);
        await gate.opened;
        try {
          for (const event of events.slice(2)) controller.enqueue(event);
          controller.close();
        } catch {
          // The gateway has closed the connection.
        }
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
}

Deno.test("after SIGTERM open responses finish, new connections are refused, and the process exits with 0", async () => {
  const gate = new Gate();
  await using vendor = serveSlowVendor(gate);
  using caller = new Caller();
  await using running = startSluice([], {
    files: { "config.yaml": configFor(vendor.url), ".env": DOT_ENV },
  });
  const base = await addressOf(running);
  const ready = await caller.fetch(`${base}/readyz`);
  assertEquals([ready.status, await ready.json()], [200, { status: "ready" }]);
  const large = await caller.chat(base, "sk-own", { model: "m", user: "x".repeat(1000) });
  assertEquals([large.status, (await large.json()).error.code], [413, "request_too_large"]);

  const stream = await caller.chat(base, "sk-own", { model: "m", stream: true });
  assertEquals(stream.status, 200);
  running.signal("SIGTERM");
  await running.logged("draining");

  await assertRejects(() => caller.fetch(`${base}/readyz`), TypeError);

  gate.open();
  const text = await stream.text();
  assertStringIncludes(text, '"delta":{"content":"Hello."}');
  assert(text.endsWith("data: [DONE]\n\n"));
  const { code, stdout } = await running.finished;
  assertEquals(code, 0);
  assert(!/sk-own|sk-vendor/.test(stdout + running.stderr()));
});

for (const [what, drain] of [["a second signal", "30s"], ["the limit of server.drain", "50ms"]]) {
  Deno.test(`${what} ends the process with exit code 0 despite an open response`, async () => {
    const gate = new Gate();
    await using vendor = serveSlowVendor(gate);
    using caller = new Caller();
    await using running = startSluice([], {
      files: { "config.yaml": configFor(vendor.url, drain), ".env": DOT_ENV },
    });
    const base = await addressOf(running);
    const stream = await caller.chat(base, "sk-own", { model: "m", stream: true });
    running.signal("SIGTERM");
    await running.logged("draining");
    if (drain === "30s") running.signal("SIGINT");
    const { code } = await running.finished;
    assertEquals(code, 0);
    await stream.text().catch(() => {});
    gate.open();
  });
}

Deno.test("copies of one Ctrl-C count once: open responses finish until a second Ctrl-C", async () => {
  const gate = new Gate();
  await using vendor = serveSlowVendor(gate);
  using caller = new Caller();
  await using running = startSluice([], {
    files: { "config.yaml": configFor(vendor.url), ".env": DOT_ENV },
  });
  const base = await addressOf(running);
  const stream = await caller.chat(base, "sk-own", { model: "m", stream: true });
  // The terminal sends it to every process of the group, and parent processes forward it.
  for (let copy = 0; copy < 3; copy++) running.signal("SIGINT");
  await running.logged("draining");
  assertStringIncludes(
    running.stderr(),
    "sluice: draining: open responses have 30 s to finish; a second Ctrl-C aborts them\n",
  );
  await assertRejects(() => caller.fetch(`${base}/readyz`), TypeError);
  const reader = stream.body?.getReader();
  const [begun] = await Promise.all([reader?.read(), pauseAfterSignal()]);
  assertEquals(begun?.done, false);
  running.signal("SIGINT");
  const { code } = await running.finished;
  assertEquals(code, 0);
  await reader?.cancel().catch(() => {});
  gate.open();
});

/** Waits longer than the interval in which signals count as copies. */
function pauseAfterSignal(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 600));
}

Deno.test("images are fetched over http and https with the permissions of the process", async () => {
  const sent: string[] = [];
  await using vendor = serveVendor(async (request) => {
    sent.push(await request.text());
    return sayHello({ url: request.url, body: {} });
  });
  await using pictures = serveVendor(() =>
    new Response(PIXEL, { headers: { "content-type": "image/png" } })
  );
  using secure = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using caller = new Caller();
  const config = JSON.stringify({
    server: {
      port: 0,
      keys: [{ name: "own", key: "sk-own" }],
      images: { http: true, allow: ["localhost"] },
    },
    providers: { v: { kind: "lmstudio", base_url: vendor.url, models: ["m"] } },
  });
  await using running = startSluice([], { files: { "config.yaml": config } });
  const base = await addressOf(running);
  const ask = (scheme: string, port: string) => {
    const image = { type: "image_url", image_url: { url: `${scheme}://localhost:${port}/` } };
    return caller.chat(base, "sk-own", {
      model: "m",
      messages: [{ role: "user", content: [image] }],
    });
  };
  const { port } = new URL(pictures.url);
  assertEquals((await (await ask("http", port)).json()).choices[0].message.content, "Hello.");
  assertStringIncludes(sent.join(), `data:image/png;base64,${PIXEL.toBase64()}`);

  const { port: securePort } = secure.addr as Deno.NetAddr;
  const answer = ask("https", String(securePort));
  const connection = await secure.accept();
  const hello = new Uint8Array(4096);
  await connection.read(hello);
  connection.close();
  // A TLS handshake record: the gateway connected.
  assertEquals(hello[0], 0x16);
  const refused = await answer;
  assertEquals(refused.status, 400);
  assertStringIncludes((await refused.json()).error.message, "its host cannot be reached");
});
