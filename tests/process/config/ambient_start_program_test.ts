/** The start of a gateway whose credentials come from a metadata service. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { imitateService } from "../../support/imitated_service.ts";
import { addressOf, type Running, startSluice } from "../../support/process.ts";

const ANSWER = {
  output: { message: { role: "assistant", content: [{ text: "From the cloud." }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
};

/** A configuration with a provider without keys, and another one. */
function configOf(origin: string, workers: number): string {
  return JSON.stringify({
    server: { keys: [{ name: "own", key: "sk-own" }], workers },
    providers: {
      cloud: { kind: "bedrock", region: "eu-west-1", base_url: origin, models: ["m"], retries: 0 },
      mock: { kind: "mock", models: ["mock-echo"] },
    },
  });
}

/** Starts with this address of the metadata service. */
function start(origin: string, endpoint: string, workers = 1): Running {
  return startSluice(["--port", "0"], {
    files: { "config.yaml": configOf(origin, workers) },
    env: { HOME: "/nowhere", AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint },
  });
}

async function ask(running: Running, model: string) {
  const base = await addressOf(running);
  using client = Deno.createHttpClient({});
  const response = await fetch(`${base}/v1/chat/completions`, {
    client,
    method: "POST",
    headers: { authorization: "Bearer sk-own" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] }),
  });
  return { status: response.status, text: await response.text() };
}

for (const workers of [1, 2]) {
  Deno.test(`an instance's role signs the requests of ${workers} worker(s), without write permission`, async () => {
    await using service = imitateService(({ path }) => {
      if (path.endsWith("/converse")) return Response.json(ANSWER);
      if (path === "/latest/api/token") return new Response("imds-session");
      if (path.endsWith("/security-credentials/")) return new Response("gateway-role");
      return Response.json({
        AccessKeyId: "ASIAINSTANCE",
        SecretAccessKey: "instance-secret",
        Token: "instance-session",
        Expiration: new Date(Date.now() + 3_600_000).toISOString(),
      });
    });
    await using running = start(service.origin, service.origin, workers);
    await running.logged("AWS instance metadata: found");
    await running.logged("Loaded ./config.yaml: 2 models, 2 providers");
    const { status, text } = await ask(running, "m");
    assertEquals(status, 200);
    assertStringIncludes(text, "From the cloud.");
    const vendor = service.calls.find(({ path }) => path.endsWith("/converse"));
    assertMatch(vendor?.headers.get("authorization") ?? "", /Credential=ASIAINSTANCE\//);
    assertEquals(vendor?.headers.get("x-amz-security-token"), "instance-session");
    running.signal("SIGTERM");
    const { stderr, stdout } = await running.finished;
    assertMatch(stderr, /PROVIDER +CREDENTIALS\n +cloud +AWS instance metadata, if available/);
    assert(!/ASIAINSTANCE|instance-se/.test(stderr + stdout));
  });
}

Deno.test("a metadata service that never answers holds neither the start nor other providers", async () => {
  await using service = imitateService(() => undefined);
  await using running = start(service.origin, service.origin);
  await running.logged("Sluice listens on");
  assert(!running.stderr().includes("not found"));
  assertEquals((await ask(running, "mock-echo")).status, 200);
  await running.logged("AWS instance metadata: not found");
  await running.logged("Loaded ./config.yaml: 1 model, 1 provider");
  const { status, text } = await ask(running, "m");
  assertEquals(status, 404);
  assertStringIncludes(text, "no AWS credentials on the machine");
  running.signal("SIGTERM");
  assertEquals((await running.finished).code, 0);
});
