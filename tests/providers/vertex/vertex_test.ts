import { assert, assertEquals } from "@std/assert";
import { ConfigErrors } from "../../../src/config/config.ts";
import { factsOf } from "../../../src/providers/shared/catalogue.ts";
import type { FetchInit } from "../../../src/upstream/transport.ts";
import { createTestGateway, loadTestConfig, VENDOR_KEY } from "../../support/gateway.ts";
import { serviceAccount, TOKEN_URI } from "../../support/service_account.ts";

const MODEL = "gemini-3.5-flash";

function configOf(members: Record<string, unknown>) {
  return { providers: { v: { kind: "vertex", models: [MODEL], ...members } } };
}

function faultsOf(members: Record<string, unknown>): string {
  try {
    loadTestConfig(configOf(members));
    return "";
  } catch (thrown) {
    if (thrown instanceof ConfigErrors) return thrown.message;
    throw thrown;
  }
}

Deno.test("vertex requires credentials of a type, and only one kind of them", () => {
  assertEquals(faultsOf({ api_key: VENDOR_KEY }), "");
  assertEquals(faultsOf({ credentials: serviceAccount().json }), "");
  assertEquals(faultsOf({ credentials: "/key.json", project: "p" }), "");
  assertEquals(faultsOf({ project: "p" }), "");
  assertEquals(faultsOf({}), "");
  assertEquals(faultsOf({ credentials: "/key.json" }), "");
  const faults: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ credentials: "{ no json" }, /providers\.v\.credentials: is neither/],
    [{ credentials: '{"type":1}' }, /providers\.v\.credentials: is neither/],
    [{ credentials: "/key.json", project: "p", api_key: "k" }, /cannot be combined/],
    [{ api_key: "k", location: "evil.test/" }, /providers\.v\.location/],
    [{ api_key: "k", colour: "red" }, /colour/],
  ];
  for (const [members, words] of faults) assert(words.test(faultsOf(members)), faultsOf(members));
});

Deno.test("vertex recognizes Google's models and Claude's by any form of their names", () => {
  const facts = factsOf("vertex", MODEL);
  assertEquals(factsOf("vertex", `google/${MODEL}`), facts);
  assertEquals(facts, factsOf("gemini", MODEL));
  const claude = factsOf("anthropic", "claude-sonnet-4-5");
  assertEquals(factsOf("vertex", "claude-sonnet-4-5@20250929"), claude);
  assertEquals(claude.max_output_tokens, 64_000);
});

Deno.test("metadata that cannot be a label is not reported as a renaming", async () => {
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, "v"]));
  const rows:
    readonly (readonly [metadata: Record<string, string>, labels: number, reported: string])[] = [
      [{ team: "search" }, 1, "metadata->labels"],
      [{ team: "Search" }, 1, "metadata"],
      [{ team: "search", "1st": "gone" }, 1, "metadata"],
      [many, 64, "metadata"],
    ];
  for (const [metadata, labels, reported] of rows) {
    let sent: { labels?: Record<string, string> } = {};
    const gateway = createTestGateway({
      config: configOf({ api_key: VENDOR_KEY }),
      fetch: (_url, init) => {
        sent = JSON.parse(String(init.body));
        return Promise.resolve(Response.json({
          candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
        }));
      },
    });
    const response = await gateway.call("/v1/chat/completions", { ...REQUEST, metadata });
    await response.body?.cancel();
    assertEquals(Object.keys(sent.labels ?? {}).length, labels);
    assertEquals(response.headers.get("x-sluice-converted"), reported);
  }
});

/** A vendor that takes only the token it gave out last. */
function createVendor(refused: readonly string[]) {
  const asked: string[] = [];
  let count = 0;
  const fetch = (url: string, init: FetchInit) => {
    if (url === TOKEN_URI) {
      return Promise.resolve(Response.json({ access_token: `t${++count}`, expires_in: 3600 }));
    }
    const token = new Headers(init.headers).get("authorization") ?? "";
    asked.push(token);
    return Promise.resolve(
      refused.includes(token)
        ? Response.json({ error: { code: 401, status: "UNAUTHENTICATED" } }, { status: 401 })
        : Response.json({
          candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
        }),
    );
  };
  return { asked, fetch };
}

const REQUEST = { model: MODEL, messages: [{ role: "user", content: "Hi" }] };

Deno.test("a token that is refused before it expires is replaced once", async () => {
  const { asked, fetch } = createVendor(["Bearer t1"]);
  const config = configOf({ credentials: serviceAccount().json });
  const gateway = createTestGateway({ config, fetch });
  for (const _ of [1, 2]) {
    const response = await gateway.call("/v1/chat/completions", REQUEST);
    assertEquals(response.status, 200);
    await response.body?.cancel();
  }
  assertEquals(asked, ["Bearer t1", "Bearer t2", "Bearer t2"]);
});

Deno.test("a second refusal is the caller's error", async () => {
  const { asked, fetch } = createVendor(["Bearer t1", "Bearer t2"]);
  const config = configOf({ credentials: serviceAccount().json });
  const response = await createTestGateway({ config, fetch }).call("/v1/chat/completions", REQUEST);
  assertEquals([response.status, asked.length], [502, 2]);
  assertEquals((await response.json()).error.code, "upstream_auth");
});

Deno.test("a model without IDs of calls gets requests without them from then on", async () => {
  const sent: string[] = [];
  const gateway = createTestGateway({
    config: configOf({ api_key: VENDOR_KEY }),
    fetch: (_, init) => {
      const body = String(init.body);
      sent.push(body);
      const message = 'Invalid JSON payload received. Unknown name "id" at ' +
        "'contents[1].parts[0].function_call': Cannot find field.";
      const error = { code: 400, message, status: "INVALID_ARGUMENT" };
      return Promise.resolve(
        body.includes('"id":') ? Response.json({ error }, { status: 400 }) : Response.json({
          candidates: [{ content: { parts: [{ text: "Noon." }] }, finishReason: "STOP" }],
        }),
      );
    },
  });
  const made = { name: "clock", arguments: "{}" };
  const ids = ["call_a", "call_b"];
  const messages = [
    ...REQUEST.messages,
    {
      role: "assistant",
      content: null,
      tool_calls: ids.map((id) => ({ id, type: "function", function: made })),
    },
    ...ids.map((tool_call_id) => ({ role: "tool", tool_call_id, content: "12:00" })),
  ];
  for (const count of [2, 3]) {
    const response = await gateway.call("/v1/chat/completions", { ...REQUEST, messages });
    assertEquals((await response.json()).choices[0].message.content, "Noon.");
    assertEquals(response.headers.get("x-sluice-ignored"), null);
    assertEquals(sent.length, count);
  }
  const [, call, result] = JSON.parse(sent[1] ?? "").contents;
  assertEquals(call.parts[1].functionCall, { name: "clock", args: {} });
  assertEquals(result.parts[1].functionResponse.name, "clock");
});
