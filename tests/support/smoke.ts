/** The smoke tests of the executable in an empty folder. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { addressOf, type Program, runSluice, startSluice } from "./process.ts";
import { readRoot } from "./read_root.ts";

/** An environment without a home folder, so without cached downloads. */
export interface Emptiness extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

/** An empty cache folder, which must contain no code afterwards. */
export function createEmptiness(): Emptiness {
  const folder = Deno.makeTempDirSync({ prefix: "sluice-empty-" });
  return {
    env: { HOME: folder, DENO_DIR: `${folder}/deno`, XDG_CACHE_HOME: folder, NO_COLOR: "1" },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Starts the program in an empty folder, sends one request of each kind, and stops it. */
export async function smokeServer(program: Program, env: Emptiness["env"]): Promise<void> {
  await using running = startSluice(["--port", "0"], { env, program });
  const base = await addressOf(running);
  const banner = running.stderr();
  assertMatch(banner, /^Sluice listens on http:/, "it does not start");
  const [, key = ""] = /^ +key +(sk-sluice-\S+)/m.exec(banner) ?? [];
  assertMatch(banner, /^ +config +built-in {2}\(no config\.yaml found; .*\)$/m);
  using client = Deno.createHttpClient({});
  const ask = (path: string, body?: unknown) =>
    fetch(`${base}${path}`, {
      client,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });

  const healthy = await ask("/healthz");
  assertEquals([healthy.status, await healthy.json()], [200, { status: "ok" }]);
  const { data } = await (await ask("/v1/models")).json();
  assert(data.some(({ id }: { id: string }) => id === "mock-echo"));
  const chat = { model: "fast", messages: [{ role: "user", content: "Hello" }] };
  const answer = await (await ask("/v1/chat/completions", chat)).json();
  assertEquals(answer.choices[0].message.content, "You said: Hello");
  const stream = await ask("/v1/chat/completions", { ...chat, stream: true });
  const text = await stream.text();
  assertStringIncludes(text, '"delta":{"content":"said: "}');
  assert(text.endsWith("data: [DONE]\n\n"));

  const page = await fetch(base, { client, headers: { accept: "text/html" } });
  const links = [...(await page.text()).matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)];
  assert(links.length > 5, "the page of the console has no files");
  for (const [, link = ""] of links) {
    const file = await fetch(`${base}${link}`, { client });
    assertEquals(file.status, 200, link);
    assert((await file.text()).length > 20, link);
  }
  assertMatch(banner, /^ +console +http:\S+\/$/m);

  const port = new URL(base).port;
  const health = await runSluice(["health", "--port", port], { env, program });
  assertEquals(health, { code: 0, stdout: "ok\n", stderr: "" });
  running.signal("SIGTERM");
  const { code, stdout } = await running.finished;
  assertEquals(code, 0);
  // Probes are logged at another level.
  assertEquals(stdout.match(/"outcome":"done"/g)?.length, 4 + links.length, stdout);
  assert(!stdout.includes(key));
}

/** Starts the program with two workers and stops it. */
export async function smokeWorkers(program: Program, env: Emptiness["env"]): Promise<void> {
  const config = JSON.stringify({
    server: { port: 0, workers: 2, keys: [{ name: "own", key: "sk-own" }] },
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  });
  await using running = startSluice([], { env, program, files: { "config.yaml": config } });
  const base = await addressOf(running);
  const headers = { authorization: "Bearer sk-own" };
  const body = JSON.stringify({ model: "mock-echo", messages: [{ role: "user", content: "Hi" }] });
  const asked = 20;
  for (let request = 0; request < asked; request++) {
    // With separate connections, both workers receive some requests.
    using client = Deno.createHttpClient({});
    const answer = await fetch(`${base}/v1/chat/completions`, {
      ...{ client, headers, body, method: "POST" },
    });
    assertEquals((await answer.json()).choices[0].message.content, "You said: Hi");
  }
  using client = Deno.createHttpClient({});
  const metrics = await (await fetch(`${base}/metrics`, { client, headers })).text();
  assertMatch(metrics, /^sluice_workers 2$/m);
  assertMatch(metrics, new RegExp(`^sluice_requests_total\\{.*"200".*\\} ${asked}$`, "m"));
  running.signal("SIGTERM");
  const { code, stdout } = await running.finished;
  assertEquals(code, 0);
  assertEquals(stdout.match(/"outcome":"done"/g)?.length, asked + 1, stdout);
}

/** Runs the commands that exit. */
export async function smokeCommands(program: Program, env: Emptiness["env"]): Promise<void> {
  const [bare, init, local, named] = await Promise.all([
    runSluice(["check"], { env, program }),
    runSluice(["init"], { env, program }),
    runSluice(["check"], {
      env,
      program,
      files: { "config.yaml": readRoot("config.yaml"), ".env": "OPENAI_API_KEY=sk-of-dot-env\n" },
    }),
    runSluice(["check", "--config", "other.yaml"], {
      env,
      program,
      files: { "other.yaml": "providers: { x: { kind: mock, models: [m] } }" },
    }),
  ]);
  assertMatch(bare.stdout, /^built-in is valid\n.*mock-echo +mock +mock-echo\n/s);
  const [, ...lines] = readRoot("config.yaml").split("\n");
  assertStringIncludes(init.stdout, lines.join("\n"));
  assertMatch(local.stdout, /^\.\/config\.yaml is valid\n.*gpt-5\.4 +openai +gpt-5\.4\n/s);
  assertMatch(named.stdout, /^other\.yaml is valid\n.*m +x +m\n/s);
  assertEquals([bare, init, local, named].map(({ code, stderr }) => [code, stderr]), [
    [0, ""],
    [0, ""],
    [0, ""],
    [0, ""],
  ]);
}
