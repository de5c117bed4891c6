/** Answers in the background with two gateway processes over one Valkey server. */

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { untilReply } from "../support/elapse.ts";
import { addressOf, startSluice } from "../support/process.ts";
import { serveVendor } from "../support/server.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";

/** Generous: a machine that stalls must not fail a test. */
const HEADERS = { authorization: "Bearer sk-own", "content-type": "application/json" };
const USAGE = { input_tokens: 1000, output_tokens: 40_000, total_tokens: 41_000 };

/** A vendor whose answers are queued first, and completed when they are fetched. */
function serveBackground() {
  let made = 0;
  const toAnswer = (id: string, state: JsonObject) =>
    Response.json({ id, object: "response", model: "m", output: [], background: true, ...state });
  return serveVendor(async (request) => {
    await request.body?.cancel();
    if (request.method === "POST") return toAnswer(`resp_${++made}`, { status: "queued" });
    const id = new URL(request.url).pathname.split("/").at(-1) ?? "";
    return toAnswer(id, { status: "completed", usage: USAGE });
  });
}

Deno.test({
  name: `replicas bill an answer in the background once, also against a budget${NEEDS_VALKEY}`,
  ignore: VALKEY === undefined,
  async fn() {
    await using valkey = await startValkey();
    await using vendor = serveBackground();
    const config = JSON.stringify({
      server: {
        port: 0,
        workers: 2,
        metrics: "public",
        keys: [{ name: "own", key: "sk-own", budget: { usd: 10, per: "day" } }],
        reasoning_state: { key: "0123456789abcdef0123456789abcdef" },
      },
      providers: {
        v: {
          kind: "openai",
          api: "responses",
          api_key: "sk-vendor-0123456789",
          base_url: `${vendor.url}/v1`,
          models: [{ id: "m", prices: { input: 10, output: 100 }, max_output_tokens: 60_000 }],
        },
      },
      shared_store: valkey.url,
    });
    await using one = startSluice([], { files: { "config.yaml": config } });
    await using other = startSluice([], { files: { "config.yaml": config } });
    const bases = await Promise.all([one, other].map(addressOf));
    const call = async (replica: number, path: string, body?: JsonObject) => {
      const response = await fetch(`${bases[replica]}${path}`, {
        headers: HEADERS,
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() as JsonObject };
    };
    const metricsOf = async (replica: number) =>
      await (await fetch(`${bases[replica]}/metrics`)).text();
    for (const replica of [0, 1]) {
      await untilReply(async () =>
        (await metricsOf(replica)).includes("sluice_shared_state_up 1\n")
      );
    }
    const ask = { model: "m", input: "Hi", background: true, max_output_tokens: 50_000 };
    const made = await call(0, "/v1/responses", ask);
    assertEquals(made.status, 200);
    const written = 'sluice_shared_state_writes_total{memory="unsettled"} 1\n';
    await untilReply(async () => (await metricsOf(0)).includes(written));
    const path = `/v1/responses/${made.body.id}`;
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) => call((at + 1) % 2, path)),
    );
    assertEquals(replies.map(({ status }) => status), Array.from(replies, () => 200));
    const settled = async () => {
      const usages = await Promise.all([0, 1].map((replica) => call(replica, "/v1/usage")));
      const sums = usages.flatMap(({ body }) => body.data as JsonObject[]);
      const total = (name: string) => sums.reduce((sum, row) => sum + Number(row[name]), 0);
      return [total("requests"), total("output_tokens"), total("cost_usd").toFixed(6)];
    };
    await untilReply(async () => (await settled())[0] === 2);
    assertEquals(await settled(), [2, USAGE.output_tokens, "4.010000"]);
    // 4 of 10 dollars are spent. The third answer is admitted alone, and exceeds the budget.
    // Until a request is settled, it holds what it reserved of the budget.
    const eventually = async (path: string, body?: JsonObject) => {
      let reply = await call(1, path, body);
      await untilReply(async () => {
        if (reply.status !== 200) reply = await call(1, path, body);
        return reply.status === 200;
      });
      return reply.body;
    };
    for (let count = 0; count < 2; count++) {
      const { id } = await eventually("/v1/responses", ask);
      await eventually(`/v1/responses/${id}`);
    }
    await untilReply(async () => (await call(0, "/v1/responses", ask)).status === 429);
  },
});
