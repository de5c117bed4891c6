/** Requests of Ollama's API to Ollama: bodies and answers pass as they come. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { textOf } from "../../support/sent_body.ts";

interface Sent {
  readonly url: string;
  readonly body: string;
}

/** A gateway in front of Ollama, which gives one answer. */
function native(answer: () => Response, sent: Sent[] = [], settings: JsonObject = {}) {
  const provider = { kind: "ollama", base_url: "http://ollama.test", models: ["qwen3:8b"] };
  return createTestGateway({
    config: { providers: { local: { ...provider, retries: 0, ...settings } } },
    fetch: async (url, { body }) => {
      sent.push({ url, body: await textOf(body) });
      return answer();
    },
  });
}

function json(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json; charset=utf-8" } });
}

function lines(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/x-ndjson" } });
}

const BODY = '{"model":"qwen3:8b","messages":[{"role":"user","content":"Hi","future":true},' +
  '{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":' +
  '{"big":9007199254740993}}}]},{"role":"tool","content":"4","tool_name":"f"}],' +
  '"stream":false,"options":{"num_ctx":8192,"future":1.5},"keep_alive":-1,"truncate":true}';

const ANSWER = '{"model":"qwen3:8b","created_at":"2026-01-02T03:04:05.6Z","message":' +
  '{"role":"assistant","content":"Hey","future":1.50},"done":true,"done_reason":"stop",' +
  '"total_duration":50,"load_duration":2,"prompt_eval_count":5,"eval_count":3}';

Deno.test("ollama to ollama: the body and the answer pass unchanged", async () => {
  const sent: Sent[] = [];
  const gateway = native(() => json(ANSWER), sent);
  const response = await gateway.call("/api/chat", BODY);
  assertEquals(await response.text(), ANSWER);
  assertEquals(sent, [{ url: "http://ollama.test/api/chat", body: BODY }]);
  const [line] = gateway.lines;
  assertEquals([line?.prompt_tokens, line?.completion_tokens], [5, 3]);
  assertEquals(response.headers.get("x-sluice-ignored"), null);
});

Deno.test("ollama to ollama: /api/generate has the same path there", async () => {
  const sent: Sent[] = [];
  const answer = '{"model":"m","response":"Hey","done":true,"context":[1,2],"eval_count":3}';
  const body = '{"model":"qwen3:8b","prompt":"a","suffix":"b","raw":true,"stream":false}';
  const response = await native(() => json(answer), sent).call("/api/generate", body);
  assertEquals(await response.text(), answer);
  assertEquals(sent, [{ url: "http://ollama.test/api/generate", body }]);
});

const LINES = [
  '{"model":"m","message":{"role":"assistant","content":"","thinking":"Hm"},"done":false}',
  '{"model":"m","message":{"role":"assistant","content":"ü \\n"},"done":false}',
  '{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":' +
  '{"name":"f","arguments":{"a":1}}}]},"done":false}',
  '{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",' +
  '"prompt_eval_count":4,"eval_count":9}',
].map((line) => `${line}\n`).join("");

const ASK = { model: "qwen3:8b", messages: [{ role: "user", content: "Hi" }] };

Deno.test("ollama to ollama: lines pass unchanged, and usage is read", async () => {
  const gateway = native(() => lines(LINES));
  const response = await gateway.call("/api/chat", ASK);
  assertEquals(response.headers.get("content-type"), "application/x-ndjson");
  assertEquals(await response.text(), LINES);
  const [line] = gateway.lines;
  assertEquals([line?.prompt_tokens, line?.completion_tokens], [4, 9]);
});

Deno.test("ollama to ollama: a stream that is cut ends in a line with an error", async () => {
  const cut = LINES.slice(0, LINES.indexOf("\n") + 1);
  const response = await native(() => lines(cut)).call("/api/chat", ASK);
  const [first, last] = (await response.text()).split("\n");
  assertEquals(`${first}\n`, cut);
  assertEquals(typeof JSON.parse(last ?? "").error, "string");
});

Deno.test("ollama to ollama: an error of the server has its status and words", async () => {
  const refuse = () => Response.json({ error: 'option "x" must be of type int' }, { status: 400 });
  const response = await native(refuse).call("/api/chat", ASK);
  assertEquals(response.status, 400);
  assertStringIncludes((await response.json()).error, "must be of type int");
});

Deno.test("ollama to ollama: defaults of the configuration fill what the caller leaves out", async () => {
  const sent: Sent[] = [];
  const models = [{
    id: "qwen3:8b",
    upstream: "qwen3:8b-q4",
    params: { temperature: 0.2, max_tokens: 9, stop: "X", keep_alive: "1h", logit_bias: {} },
  }];
  const gateway = native(() => json(ANSWER), sent, { models });
  const options = { num_predict: 3 };
  const response = await gateway.call("/api/chat", { ...ASK, stream: false, options });
  const { model, options: given, keep_alive } = JSON.parse(sent[0]?.body ?? "");
  assertEquals([model, keep_alive], ["qwen3:8b-q4", "1h"]);
  assertEquals(given, { num_predict: 3, temperature: 0.2, stop: ["X"] });
  assertEquals(response.headers.get("x-sluice-ignored"), "logit_bias");
  await response.body?.cancel();
});

Deno.test("ollama to ollama: IDs of calls that carry state are those of the vendor", async () => {
  const sent: Sent[] = [];
  const id = "toolu_1_sluice_n";
  const call = { id, function: { name: "f", arguments: {} } };
  await native(() => json(ANSWER), sent).call("/api/chat", {
    model: "qwen3:8b",
    messages: [
      ...ASK.messages,
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", content: "4", tool_call_id: id },
    ],
    stream: false,
  });
  const [, turn, result] = JSON.parse(sent[0]?.body ?? "").messages;
  assertEquals([turn.tool_calls[0].id, result.tool_call_id], ["toolu_1", "toolu_1"]);
});

Deno.test("ollama to ollama: a request without messages loads the model there", async () => {
  const sent: Sent[] = [];
  const loaded = '{"model":"m","message":{"role":"assistant","content":""},"done_reason":"load",' +
    '"done":true}\n';
  const gateway = native(() => lines(loaded), sent);
  const response = await gateway.call("/api/chat", { model: "qwen3:8b" });
  assertEquals([response.status, await response.text()], [200, loaded]);
  assertEquals(sent[0]?.body, '{"model":"qwen3:8b"}');
});

Deno.test("ollama to ollama: vectors keep the server's own members and its cutting", async () => {
  const sent: Sent[] = [];
  const models = [{ id: "embedder", capabilities: { embeddings: true } }];
  const answer = '{"model":"e","embeddings":[[0.5,1]],"prompt_eval_count":2}';
  const gateway = native(() => json(answer), sent, { models });
  const ask = { model: "embedder", input: "a", keep_alive: 0, options: { num_ctx: 9 } };
  const response = await gateway.call("/api/embed", ask);
  const { embeddings, prompt_eval_count } = await response.json();
  assertEquals([embeddings, prompt_eval_count], [[[0.5, 1]], 2]);
  assertEquals(response.headers.get("x-sluice-ignored"), null);
  await gateway.call("/api/embed", { ...ask, truncate: false });
  const [first, second] = sent.map(({ body }) => JSON.parse(body));
  assertEquals([first.truncate, first.keep_alive, first.options], [true, 0, { num_ctx: 9 }]);
  assertEquals(second.truncate, false);
  assert(sent[0]?.url.endsWith("/api/embed"));
});
