/** Images that a vendor makes by jobs, whose results are asked for until they are there. */

import { assertEquals } from "@std/assert";
import { hurry, turn, until } from "../support/elapse.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";

const MODEL = "accounts/fireworks/models/flux-kontext-pro";
const IMAGE = Uint8Array.of(1, 2, 3, 4);
const CREATED = { request_id: "job-1" };
const PENDING = { id: "job-1", status: "Pending", progress: 0.5 };
const URL_OF_IMAGE = "https://images.test/1.png?sig=a";
const READY = { id: "job-1", status: "Ready", result: { sample: URL_OF_IMAGE } };

type Answer = { readonly status?: number; readonly body: unknown };

/** @param answers one for each request; the last one for all others */
function createWorld(answers: readonly Answer[], retries = 0) {
  const sent: { url: string; body: Record<string, unknown> }[] = [];
  const times: number[] = [];
  const models = [{ id: MODEL, prices: { image: 0.04 } }];
  const gateway = createTestGateway({
    config: {
      providers: { fireworks: { kind: "fireworks", api_key: VENDOR_KEY, models, retries } },
    },
    fetch: (url, { body, signal }) => {
      signal.throwIfAborted();
      const path = url.replace(/^.*\/models\/flux-kontext-pro/, "");
      times.push(gateway.clock.now());
      sent.push({ url: path, body: JSON.parse(String(body)) });
      const { body: answer, status = 200 } = answers[sent.length - 1] ?? answers.at(-1) as Answer;
      return Promise.resolve(Response.json(answer, { status }));
    },
  });
  return {
    gateway,
    sent,
    /** The pauses before requests, in milliseconds. */
    pauses: () => times.slice(1).map((time, index) => time - (times[index] ?? 0)),
    /** Waits for an answer, while time passes in steps of a second. */
    async settle(pending: Promise<Response>): Promise<Response> {
      // The body of a form arrives in turns of the real event loop.
      await until(() => sent.length > 0);
      return await hurry(gateway.clock, pending, 1000);
    },
    line() {
      gateway.flush();
      assertEquals([gateway.bugs, gateway.clock.pending], [[], 0]);
      return gateway.lines.at(-1) ?? {};
    },
  };
}

function toEdit(fields: Record<string, string>, images = 1): Request {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: MODEL, prompt: "a hat", ...fields })) {
    form.append(name, value);
  }
  const file = new File([IMAGE], "a.png", { type: "image/png" });
  for (let index = 0; index < images; index++) form.append("image[]", file);
  return new Request("http://gateway.test/v1/images/edits", {
    method: "POST",
    headers: { authorization: `Bearer ${SERVICE_KEY}` },
    body: form,
  });
}

Deno.test("an edit is a job, whose result is polled each second until it is ready", async () => {
  const answers = [CREATED, { id: "job-1", status: "Task not found" }, PENDING, READY];
  const world = createWorld(answers.map((body) => ({ body })));
  const fields = {
    ...{ size: "1536x1024", response_format: "b64_json", output_format: "jpeg", seed: "7" },
    ...{ guidance_scale: "3", quality: "high", safety_tolerance: "2", prompt_upsampling: "true" },
  };
  const response = await world.settle(world.gateway.app.handle(toEdit(fields, 2)));
  const { data } = await response.json();
  assertEquals([response.status, data], [200, [{ url: URL_OF_IMAGE }]]);
  assertEquals(world.pauses().every((ms) => ms >= 1000), true, `pauses of ${world.pauses()}`);
  const asked = { url: "/get_result", body: { id: "job-1" } };
  assertEquals(world.sent, [
    {
      url: "",
      body: {
        prompt: "a hat",
        aspect_ratio: "3:2",
        output_format: "jpeg",
        seed: 7,
        safety_tolerance: 2,
        prompt_upsampling: true,
        input_image: `data:image/png;base64,${IMAGE.toBase64()}`,
      },
    },
    ...[asked, asked, asked],
  ]);
  const header = (name: string) => response.headers.get(`x-sluice-${name}`);
  assertEquals(header("attempts"), "1");
  assertEquals(header("ignored"), "quality, guidance_scale");
  assertEquals(
    header("converted"),
    "size 1536x1024->3:2, response_format b64_json->url, image 2->1",
  );
  const { cost_usd, images, outcome } = world.line();
  assertEquals([outcome, images, cost_usd], ["done", 1, 0.04]);
});

Deno.test("an image without an edit is a job, too, and may be data", async () => {
  const sample = "data:image/png;base64,aW1n";
  const world = createWorld([{ body: CREATED }, { body: { ...READY, result: { sample } } }]);
  const request = { model: MODEL, prompt: "a cat", stream: true };
  const response = await world.settle(world.gateway.call("/v1/images/generations", request));
  const event = await response.text();
  assertEquals(JSON.parse(event.split("data: ")[1] ?? "").b64_json, "aW1n");
  assertEquals(world.sent[0]?.body, { prompt: "a cat" });
  assertEquals(world.line().images, 1);
});

const FAILURES:
  readonly (readonly [string, readonly Answer[], number, string, number | undefined])[] = [
    [
      "a blocked prompt is the caller's fault, and is not charged",
      [{ body: CREATED }, { body: { ...PENDING, status: "Request Moderated" } }],
      ...[400, "The provider made no image: Request Moderated", undefined] as const,
    ],
    [
      "a job that fails is the vendor's fault, and is not charged",
      [{ body: CREATED }, { body: { ...PENDING, status: "Error" } }],
      ...[502, "The job of the provider ended with 'Error'", undefined] as const,
    ],
    [
      "a job that is not found for long has failed",
      [{ body: CREATED }, { body: { ...PENDING, status: "Task not found" } }],
      ...[502, "The job of the provider ended with 'Task not found'", undefined] as const,
    ],
    [
      "a request that creates no job has the vendor's error",
      [{ status: 400, body: { error_message: "No such ratio" } }],
      ...[400, "No such ratio", undefined] as const,
    ],
    [
      "a result that cannot be asked for any more is charged",
      [{ body: CREATED }, { status: 503, body: {} }],
      ...[503, "The provider is unavailable (status 503)", 0.04] as const,
    ],
  ];

for (const [title, answers, status, message, cost] of FAILURES) {
  Deno.test(title, async () => {
    const world = createWorld(answers);
    const request = { model: MODEL, prompt: "a cat" };
    const response = await world.settle(world.gateway.call("/v1/images/generations", request));
    const { error } = await response.json();
    assertEquals([response.status, error.message], [status, message]);
    assertEquals(world.line().cost_usd, cost);
  });
}

Deno.test("a result is polled again after a failed poll", async () => {
  const busy = { status: 429, body: {} };
  const answers = [{ body: CREATED }, busy, busy, { body: PENDING }, busy, busy, busy, {
    body: READY,
  }];
  const world = createWorld(answers);
  const request = { model: MODEL, prompt: "a cat" };
  const response = await world.settle(world.gateway.call("/v1/images/generations", request));
  assertEquals((await response.json()).data, [{ url: URL_OF_IMAGE }]);
  assertEquals(world.sent.length, answers.length);
  assertEquals(world.line().cost_usd, 0.04);
});

Deno.test("a caller that leaves is charged for the job that it has begun", async () => {
  const world = createWorld([{ body: CREATED }, { body: PENDING }]);
  const caller = new AbortController();
  const request = { model: MODEL, prompt: "a cat" };
  const pending = world.gateway.call("/v1/images/generations", request, {}, caller.signal);
  await until(() => {
    if (world.sent.length === 1) world.gateway.clock.advance(1000);
    return world.sent.length >= 2;
  });
  await turn();
  caller.abort();
  await (await pending).body?.cancel();
  const { cost_usd, outcome, usage_estimated } = world.line();
  assertEquals([outcome, cost_usd, usage_estimated], ["client_gone", 0.04, true]);
  assertEquals(world.sent.length, 2);
});
