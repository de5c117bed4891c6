/** Batches over a vendor's limit: their parts, their retries, and what is known when one fails. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { tokenFamily } from "../../src/apis/token_families.ts";
import type { Fetch, FetchInit } from "../../src/upstream/transport.ts";
import { splitInputs } from "../../src/apis/embeddings/embeddings.ts";
import { createTestGateway, type TestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { turn, turns, until } from "../support/elapse.ts";

const FAMILY = tokenFamily("o200k");

const MODEL = { id: "embed", max_inputs: 2, capabilities: { embeddings: true }, dimensions: 1 };

function gatewayOf(fetch: Fetch, provider: Record<string, unknown> = {}): TestGateway {
  const openai = { kind: "openai", api_key: VENDOR_KEY, models: [MODEL], ...provider };
  return createTestGateway({ config: { providers: { openai } }, fetch });
}

/** The inputs of a request to the vendor. */
function inputsOf(init: Pick<FetchInit, "body">): string[] {
  const { input } = JSON.parse(String(init.body));
  return [input].flat();
}

/** Vectors of one number: that in the text. */
function toAnswer(inputs: readonly string[]): Response {
  const data = inputs.map((text, index) => ({ index, embedding: [Number(text)] }));
  const usage = { prompt_tokens: inputs.length, total_tokens: inputs.length };
  return Response.json({ object: "list", model: "m", data, usage });
}

const FIVE = ["0", "1", "2", "3", "4"];

async function vectorsOf(response: Response): Promise<number[]> {
  const { data } = await response.json();
  return data.map(({ index, embedding }: { index: number; embedding: number[] }, at: number) => {
    assertEquals(index, at);
    return embedding[0];
  });
}

Deno.test("a batch over the vendor's limit is split, and answered in the order of its inputs", async () => {
  const parts: string[][] = [];
  const answers: (() => void)[] = [];
  const gateway = gatewayOf((_, init) => {
    const inputs = inputsOf(init);
    parts.push(inputs);
    // The last part is answered first.
    return new Promise((resolve) => {
      answers.unshift(() => resolve(toAnswer(inputs)));
      if (answers.length === 3) { for (const answer of answers) answer(); }
    });
  });
  const response = await gateway.call("/v1/embeddings", { model: "embed", input: FIVE });
  assertEquals(parts, [["0", "1"], ["2", "3"], ["4"]]);
  const body = await response.clone().json();
  assertEquals(body.usage, { prompt_tokens: 5, total_tokens: 5 });
  assertEquals(await vectorsOf(response), [0, 1, 2, 3, 4]);
  assertEquals(gateway.lines[0]?.prompt_tokens, 5);
  assertEquals(gateway.lines[0]?.attempts, 1);
});

Deno.test("a part is sent as a request with only its inputs is", async () => {
  const sent: unknown[] = [];
  const gateway = gatewayOf((_, init) => {
    sent.push(JSON.parse(String(init.body)).input);
    return Promise.resolve(toAnswer(inputsOf(init)));
  });
  await gateway.call("/v1/embeddings", { model: "embed", input: ["0", "1", "2"] });
  assertEquals(sent, [["0", "1"], "2"]);
});

Deno.test("no more than four parts are under way at once", async () => {
  let underWay = 0;
  let most = 0;
  const gateway = gatewayOf(async (_, init) => {
    most = Math.max(most, ++underWay);
    await Promise.resolve();
    await turn();
    underWay--;
    return toAnswer(inputsOf(init));
  });
  const input = Array.from({ length: 40 }, (_, index) => String(index));
  const response = await gateway.call("/v1/embeddings", { model: "embed", input });
  assertEquals(await vectorsOf(response), input.map(Number));
  assertEquals(most, 4);
});

Deno.test("a part that fails fails the batch with one error, and what was billed is in the log", async () => {
  const gateway = gatewayOf((_, init) => {
    const inputs = inputsOf(init);
    if (!inputs.includes("2")) return Promise.resolve(toAnswer(inputs));
    const error = { message: "Input 0 is bad", type: "invalid_request_error", code: null };
    return Promise.resolve(Response.json({ error }, { status: 400 }));
  });
  const response = await gateway.call("/v1/embeddings", { model: "embed", input: FIVE });
  assertEquals(response.status, 400);
  const { error } = await response.json();
  assertEquals(error.message, "Input 0 is bad (input[2] to input[3] of 5)");
  assertEquals(gateway.lines[0]?.prompt_tokens, 3);
});

Deno.test("a retry sends only the parts that have failed", async () => {
  const sent: string[][] = [];
  let failures = 1;
  const gateway = gatewayOf((_, init) => {
    const inputs = inputsOf(init);
    sent.push(inputs);
    if (inputs.includes("2") && failures-- > 0) {
      return Promise.resolve(
        Response.json({ error: { message: "slow down" } }, {
          status: 429,
          headers: { "retry-after": "1" },
        }),
      );
    }
    return Promise.resolve(toAnswer(inputs));
  }, { retries: 1 });
  const pending = gateway.call("/v1/embeddings", { model: "embed", input: FIVE });
  await until(() => gateway.clock.pending >= 1 && sent.length >= 3);
  await turns(20);
  gateway.clock.advance(1000);
  const response = await pending;
  assertEquals(await vectorsOf(response), [0, 1, 2, 3, 4]);
  assertEquals(sent, [["0", "1"], ["2", "3"], ["4"], ["2", "3"]]);
  assertEquals((await response.headers).get("x-sluice-attempts"), "2");
});

Deno.test("a batch is split at the sum of its tokens too", () => {
  const text = "word ".repeat(600);
  const ranges = splitInputs([text, text, text, "end"], { inputs: 100, tokens: 2100 }, FAMILY);
  assertEquals(ranges, [{ start: 0, end: 2 }, { start: 2, end: 4 }]);
  // A single input is not split: the vendor decides whether it is too long.
  assertEquals(splitInputs([text], { inputs: 100, tokens: 10 }, FAMILY), [{ start: 0, end: 1 }]);
  assertEquals(splitInputs([[1, 2, 3], [4, 5, 6]], { inputs: 9, tokens: 5 }, FAMILY), [
    { start: 0, end: 1 },
    { start: 1, end: 2 },
  ]);
});

Deno.test("a batch is not split at the vendor's limit itself", () => {
  assertEquals(splitInputs(["a", "b"], { inputs: 2 }, FAMILY), [{ start: 0, end: 2 }]);
  // With as many bytes as the limit has tokens, they are within it whatever the estimate is.
  const digits = Array(8).fill("1 ".repeat(48));
  assertEquals(splitInputs(digits, { inputs: 8, tokens: 800 }, FAMILY).length, 1);
  assertEquals(splitInputs(digits, { inputs: 7, tokens: 800 }, FAMILY).length, 2);
  assertEquals(splitInputs(digits, { inputs: 8, tokens: 100 }, FAMILY).length > 1, true);
});

Deno.test("another target of a chain gets the whole batch, split by its own limits", async () => {
  const sent: string[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        one: { kind: "openai", api_key: VENDOR_KEY, models: [MODEL] },
        two: { kind: "voyage", api_key: VENDOR_KEY, models: ["voyage-4"] },
      },
      aliases: { vectors: ["embed", "voyage-4"] },
    },
    fetch: (url, init) => {
      const inputs = inputsOf(init);
      sent.push(`${new URL(url).host} ${inputs.length}`);
      if (!url.includes("openai")) return Promise.resolve(toAnswer(inputs));
      return Promise.resolve(Response.json({ error: { message: "down" } }, { status: 503 }));
    },
  });
  const response = await gateway.call("/v1/embeddings", { model: "vectors", input: FIVE });
  assertEquals(await vectorsOf(response), [0, 1, 2, 3, 4]);
  assertEquals(sent.at(-1), "api.voyageai.com 5");
  assertEquals(response.headers.get("x-sluice-provider"), "two");
});

Deno.test("an explanation says into how many parts a batch is split, and sends nothing", async () => {
  const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
  const response = await gateway.call(
    "/v1/embeddings",
    { model: "embed", input: FIVE, user: "u" },
    {
      "x-sluice-explain": "true",
    },
  );
  const { targets: [target] } = await response.json();
  assertEquals(target.request.parts, 3);
  assertEquals(target.request.body, { model: "embed", input: ["0", "1"], user: "u" });
  assertStringIncludes(target.request.url, "/embeddings");
});

Deno.test("vectors are no output tokens where the vendor does not count", async () => {
  const gemini = { kind: "gemini", api_key: VENDOR_KEY, models: ["gemini-embedding-001"] };
  const limits = { tokens_per_minute: 100 };
  const gateway = createTestGateway({
    config: {
      providers: { gemini },
      server: { keys: [{ name: "limited", key: "sk-limited", limits }] },
    },
    fetch: () => {
      const values = Array.from({ length: 500 }, () => 0.123456);
      return Promise.resolve(Response.json({ embeddings: [{ values }, { values }] }));
    },
  });
  const request = { model: "gemini-embedding-001", input: ["a", "b"] };
  for (let turn = 0; turn < 3; turn++) {
    const response = await gateway.call("/v1/embeddings", request, {
      authorization: "Bearer sk-limited",
    });
    assertEquals(response.status, 200);
  }
});
