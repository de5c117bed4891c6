/** Servers of which nobody knows whether they have the Responses API. */

import { assert, assertEquals } from "@std/assert";
import { toCheckWarnings } from "../../../src/config/warnings.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { ScriptedVendor } from "../../support/scripted_vendor.ts";

const PROVIDER = {
  kind: "openai",
  api_key: "sk-vendor-0123456789",
  base_url: "http://own.test/v1",
  models: ["m"],
};

function createWorld(status: number, provider: Record<string, unknown> = {}, chatStatus = 200) {
  const vendor = new ScriptedVendor(({ url }) => {
    const error = { error: { message: "Not found" } };
    if (url.endsWith("/responses")) {
      return status === 200
        ? Response.json({ id: "resp_1", status: "completed", output: [] })
        : Response.json(error, { status });
    }
    const message = { role: "assistant", content: "Hello." };
    return chatStatus === 200
      ? Response.json({ id: "c1", model: "m", choices: [{ index: 0, message }] })
      : Response.json(error, { status: chatStatus });
  });
  const providers = { own: { ...PROVIDER, ...provider } };
  const gateway = createTestGateway({ config: { providers }, fetch: vendor.fetch });
  const ask = async () => {
    const answer = await gateway.call("/v1/responses", { model: "m", input: "Hi" });
    await answer.body?.cancel();
    return answer.status;
  };
  const paths = () => vendor.sent.map(({ url }) => new URL(url).pathname.slice(4));
  return { gateway, ask, paths };
}

for (const status of [404, 405]) {
  Deno.test(`a server that answers ${status} gets a chat request, for an hour at once`, async () => {
    const { gateway, ask, paths } = createWorld(status);
    assertEquals([await ask(), await ask()], [200, 200]);
    assertEquals(paths(), ["responses", "chat/completions", "chat/completions"]);
    await gateway.clock.advance(3_600_001);
    assertEquals(await ask(), 200);
    assertEquals(paths().slice(3), ["responses", "chat/completions"]);
  });
}

Deno.test("a server that has the API gets every request unchanged", async () => {
  const { ask, paths } = createWorld(200);
  assertEquals([await ask(), await ask()], [200, 200]);
  assertEquals(paths(), ["responses", "responses"]);
});

Deno.test("another failure, and one of both APIs, is not remembered", async () => {
  const failing = createWorld(400);
  assertEquals(await failing.ask(), 400);
  assertEquals(failing.paths(), ["responses"]);
  const unknown = createWorld(404, {}, 404);
  assertEquals([await unknown.ask(), await unknown.ask()], [404, 404]);
  const both = ["responses", "chat/completions"];
  assertEquals(unknown.paths(), [...both, ...both]);
});

Deno.test("'api' decides, and check says which providers are tried", async () => {
  for (const [api, path] of [["chat", "chat/completions"], ["responses", "responses"]]) {
    const { gateway, ask, paths } = createWorld(api === "chat" ? 200 : 404, { api });
    await ask();
    assertEquals(paths(), [path]);
    assert(!toCheckWarnings(gateway.config).join().includes("POST /v1/responses"));
  }
  const [note] = toCheckWarnings(createWorld(200).gateway.config).filter((text) =>
    text.includes("POST /v1/responses")
  );
  assert(note?.startsWith("providers.own:"), note);
});
