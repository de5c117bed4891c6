/** Long answers of embeddings pass as they arrive; what is around the vectors is completed. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { createTestGateway, type TestGateway, VENDOR_KEY } from "../support/gateway.ts";

const MODEL = { id: "embed", capabilities: { embeddings: true } };
const INPUTS = Array.from({ length: 40 }, (_, index) => `text ${index}`);
/** 3,000 numbers as no JavaScript would write them. */
const NUMBERS = Array.from({ length: 3000 }, (_, at) => `0.${at}0`).join(", ");
const BASE64 = new Uint8Array(4000).toBase64();

/** The answer of a vendor; entries in the order of these indexes. */
function answerOf(
  { indexes = INPUTS.map((_, index) => index), vector = `[${NUMBERS}]`, head = "", tail = "" },
): string {
  const data = indexes.map((index) =>
    `{"object":"embedding","index":${index},"embedding":${vector}}`
  );
  return `{${head}"object": "list","data":[${data.join(",\n")}]${tail}}`;
}

const TAIL = `,"model":"vendor-model","usage":{"prompt_tokens":7,"total_tokens":7}`;

/** Bytes of a packet. */
const PACKET = 10_000;

/** A body that arrives in packets. */
function packetsOf(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += PACKET));
    },
  });
}

function gatewayOf(body: string | ReadableStream<Uint8Array<ArrayBuffer>>): TestGateway {
  const openai = { kind: "openai", api_key: VENDOR_KEY, models: [MODEL] };
  const headers = { "content-type": "application/json" };
  return createTestGateway({
    config: { providers: { openai } },
    fetch: () =>
      Promise.resolve(new Response(typeof body === "string" ? packetsOf(body) : body, { headers })),
  });
}

function ask(gateway: TestGateway, members: Record<string, unknown> = {}): Promise<Response> {
  return gateway.call("/v1/embeddings", { model: "embed", input: INPUTS, ...members });
}

Deno.test("vectors of a long answer pass as the vendor wrote them, before it has ended", async () => {
  const text = answerOf({ tail: TAIL });
  const bytes = new TextEncoder().encode(text);
  const half = bytes.length >> 1;
  let end = () => {};
  const gateway = gatewayOf(
    new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, half));
        end = () => {
          controller.enqueue(bytes.subarray(half));
          controller.close();
        };
      },
    }),
  );
  const response = await ask(gateway);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "application/json");
  end();
  const answer = await response.text();
  const list = text.slice(0, text.lastIndexOf("]") + 1);
  assert(answer.startsWith(list));
  const { id, model, usage } = JSON.parse(answer);
  assertEquals([model, usage], ["vendor-model", { prompt_tokens: 7, total_tokens: 7 }]);
  assert(typeof id === "string" && id !== "");
  gateway.flush();
  const [line] = gateway.lines;
  assertEquals([line?.prompt_tokens, line?.outcome], [7, "done"]);
});

Deno.test("what a vendor leaves out of a long answer is added", async () => {
  const gateway = gatewayOf(answerOf({ head: '"model":"first",', tail: ',"note":1' }));
  const answer = await (await ask(gateway)).text();
  const { data, model, note, usage } = JSON.parse(answer);
  assertEquals([data.length, model, note, usage.estimated], [INPUTS.length, "first", 1, true]);
  assertEquals(answer.split('"model"').length, 2);
});

Deno.test("a long answer in base64 passes to callers who requested it", async () => {
  const vector = `"${BASE64}"`;
  const text = answerOf({ vector, tail: TAIL });
  const answer = await (await ask(gatewayOf(text), { encoding_format: "base64" })).text();
  assert(answer.startsWith(text.slice(0, text.lastIndexOf("]"))));
});

Deno.test("long answers in another encoding or order are converted", async () => {
  const strings = gatewayOf(answerOf({ vector: `"${BASE64}"`, tail: TAIL }));
  const numbers = await (await ask(strings)).json();
  assertEquals(numbers.data[0].embedding, Array(1000).fill(0));
  const lists = gatewayOf(answerOf({ tail: TAIL }));
  const encoded = await (await ask(lists, { encoding_format: "base64" })).json();
  assertEquals(typeof encoded.data[0].embedding, "string");
  const indexes = INPUTS.map((_, index) => INPUTS.length - 1 - index);
  const sorted = await (await ask(gatewayOf(answerOf({ indexes, tail: TAIL })))).json();
  const order = sorted.data.map(({ index }: { index: number }) => index);
  assertEquals(order, INPUTS.map((_, index) => index));
});

const WRONG: Readonly<Record<string, string>> = {
  "that is cut": answerOf({ tail: TAIL }).slice(0, -200_000),
  "with too few vectors": answerOf({ indexes: INPUTS.map((_, at) => at).slice(1), tail: TAIL })
    .replaceAll(/"index":\d+,/g, ""),
  "with too many vectors": answerOf({ indexes: [...INPUTS.keys(), INPUTS.length], tail: TAIL }),
  "with a second end": answerOf({ tail: `${TAIL}}` }),
};

for (const [name, text] of Object.entries(WRONG)) {
  Deno.test(`a long answer ${name} is cut, so that callers see that it is not complete`, async () => {
    const gateway = gatewayOf(text);
    const response = await ask(gateway);
    await assertRejects(() => response.text());
    gateway.flush();
    assertEquals(gateway.lines[0]?.outcome, "failed");
    assertEquals(gateway.bugs, []);
  });
}
