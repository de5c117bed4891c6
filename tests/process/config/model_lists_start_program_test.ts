/** A gateway whose vendors list their models. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { until } from "../../support/elapse.ts";
import { imitateService } from "../../support/imitated_service.ts";
import { addressOf, type Running, runSluice, startSluice } from "../../support/process.ts";
import { sayHello } from "../../support/scripted_vendor.ts";

function configOf(origin: string, workers: number): string {
  return JSON.stringify({
    server: { keys: [{ name: "own", key: "sk-own" }], workers },
    providers: {
      cloud: {
        ...{ kind: "openai_compatible", base_url: `${origin}/v1`, api_key: "sk-vendor" },
        ...{ models: ["gpt-*", "!*-audio"], refresh: "300ms" },
      },
      // Nothing listens on this port.
      gone: { kind: "openai_compatible", base_url: "http://127.0.0.1:9/v1", models: "auto" },
      local: { kind: "vllm", base_url: "http://127.0.0.1:9/v1", models: "auto", if_running: true },
      spare: { kind: "mock", models: ["mock-echo"] },
    },
    aliases: { best: ["gpt-2", "gpt-1"] },
  });
}

async function call(running: Running, path: string, explained?: unknown) {
  const base = await addressOf(running);
  using client = Deno.createHttpClient({});
  const response = await fetch(`${base}${path}`, {
    client,
    headers: { authorization: "Bearer sk-own", "x-sluice-explain": "true" },
    ...(explained !== undefined && { method: "POST", body: JSON.stringify(explained) }),
  });
  return await response.json();
}

for (const workers of [1, 2]) {
  Deno.test(`${workers} worker(s) use the vendor's list, its changes, and the last one while it fails`, async () => {
    let list: readonly string[] | undefined = ["gpt-1", "gpt-1-audio", "o3"];
    await using service = imitateService(({ path, text }) => {
      if (!path.endsWith("/models")) return sayHello({ url: path, body: JSON.parse(text) });
      if (list === undefined) return new Response("", { status: 500 });
      return Response.json({
        object: "list",
        data: list.map((id) => ({ id, context_length: 77 })),
      });
    });
    const files = { "config.yaml": configOf(service.origin, workers) };
    await using running = startSluice(["--port", "0"], { files });
    await running.logged("Sluice listens on");
    assertMatch(running.stderr(), /cloud +1 +read 0 s ago\n +gone +0 +Cannot connect/);
    const models = async () =>
      (await call(running, "/v1/models")).data.map(({ id }: { id: string }) => id);
    assertEquals(await models(), ["mock-echo", "gpt-1", "best"]);
    const { context_window, source } = await call(running, "/v1/models/gpt-1");
    assertEquals([context_window, source.from, source.stale], [77, "vendor", false]);
    assertEquals(service.calls[0]?.headers.get("authorization"), "Bearer sk-vendor");

    list = ["gpt-1", "gpt-2"];
    await running.logged("Loaded ./config.yaml: 4 models, 3 providers");
    assertEquals(await models(), ["mock-echo", "gpt-1", "gpt-2", "best"]);
    const messages = [{ role: "user", content: "Hi" }];
    const explained = await call(running, "/v1/chat/completions", { model: "best", messages });
    const [{ model, listed_by: origin }] = explained.targets;
    assertEquals([model, origin], ["gpt-2", "vendor"]);

    list = undefined;
    await running.logged("the last list stays in use");
    const loaded = () => running.stderr().split("Loaded ./config.yaml").length - 1;
    await until(() => loaded() >= 2);
    assertEquals((await call(running, "/v1/models/gpt-2")).source.stale, true);
    running.signal("SIGTERM");
    assertEquals((await running.finished).code, 0);
  });
}

Deno.test("'check' reads the lists, tells their state, and succeeds without the vendor", async () => {
  await using service = imitateService(() => Response.json({ data: [{ id: "gpt-1" }] }));
  const { code, stdout } = await runSluice(["check"], {
    files: { "config.yaml": configOf(service.origin, 1) },
  });
  assertEquals(code, 0);
  assertMatch(stdout, /gpt-1 +cloud +gpt-1\n/);
  assertMatch(
    stdout,
    /PROVIDER +MODELS +VENDOR'S LIST\n +cloud +1 +read 0 s ago\n +gone +0 +Cannot/,
  );
  assertStringIncludes(stdout, "connection refused");
});
