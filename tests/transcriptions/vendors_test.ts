/** Transcription by vendors whose API is not OpenAI's: what they get, and what the caller gets. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import OpenAI, { toFile } from "openai";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { serveGateway, serveVendor } from "../support/server.ts";

const AUDIO = Uint8Array.from({ length: 5000 }, (_, index) => index % 251);

interface Sent {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

const GEMINI = {
  candidates: [{ content: { parts: [{ text: "Well", thought: true }, { text: " Hello \n" }] } }],
  usageMetadata: { promptTokenCount: 40, candidatesTokenCount: 5, totalTokenCount: 45 },
};
const ELEVENLABS = {
  language_code: "eng",
  text: "Hello (laughs) you",
  words: [
    { text: "Hello", start: 0.1, end: 0.5, type: "word" },
    { text: " ", start: 0.5, end: 0.6, type: "spacing" },
    { text: "(laughs)", start: 0.6, end: 0.9, type: "audio_event" },
    { text: "you", start: 0.9, end: 12, type: "word" },
  ],
};
const DEEPGRAM = {
  metadata: { request_id: "r", duration: 30 },
  results: {
    channels: [{
      detected_language: "en",
      alternatives: [{
        transcript: "hello",
        words: [{ word: "hello", punctuated_word: "Hello.", start: 0, end: 1 }],
      }],
    }],
  },
};

const ANSWERS: Readonly<Record<string, unknown>> = {
  gemini: GEMINI,
  elevenlabs: ELEVENLABS,
  deepgram: DEEPGRAM,
};

type Answer = (kind: string, sent: Sent) => Response | Promise<Response>;

const usual: Answer = (kind) => Response.json(ANSWERS[kind]);

function createWorld(answer: Answer = usual, members: Record<string, unknown> = {}) {
  const sent: Sent[] = [];
  const vendor = serveVendor(async (request) => {
    const url = new URL(request.url);
    const one = { url, headers: request.headers, body: await request.bytes() };
    sent.push(one);
    return answer(url.pathname.split("/")[1] ?? "", one);
  });
  const provider = (kind: string, ...models: unknown[]) => ({
    ...{ kind, api_key: VENDOR_KEY, base_url: `${vendor.url}/${kind}/v1`, models, retries: 0 },
  });
  const providers = {
    gemini: provider("gemini", { id: "gemini-2.5-flash", prices: { input: 1, output: 2 } }),
    elevenlabs: provider("elevenlabs", { id: "scribe_v1", prices: { minute: 0.06 } }),
    deepgram: provider("deepgram", { id: "nova-3", prices: { minute: 0.06 } }),
  };
  const served = serveGateway({ config: { providers, ...members } });
  const { url, fetch } = served;
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });
  const post = (
    fields: Record<string, string>,
    { path = "transcriptions", late = {}, headers = {}, type = "audio/mpeg" }: {
      path?: string;
      late?: Record<string, string>;
      headers?: Record<string, string>;
      type?: string;
    } = {},
  ) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append("file", new File([AUDIO], "a.wav", { type }));
    for (const [name, value] of Object.entries(late)) body.append(name, value);
    return fetch(`${url}/v1/audio/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}`, ...headers },
      body,
    });
  };
  return {
    ...{ served, client, post, sent },
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

const receiptOf = ({ headers }: Response) =>
  ["converted", "ignored", "cost-usd"].map((name) => headers.get(`x-sluice-${name}`));

Deno.test("Gemini gets the audio inline with an instruction, and fields from behind the file", async () => {
  await using world = createWorld();
  const response = await world.post(
    { model: "gemini-2.5-flash", language: "en", response_format: "srt", include: "logprobs" },
    { late: { temperature: "0.25", prompt: "Sluice" } },
  );
  assertEquals(await response.json(), {
    text: "Hello",
    usage: { type: "tokens", input_tokens: 40, output_tokens: 5, total_tokens: 45 },
  });
  assertEquals(receiptOf(response), [
    "response_format srt->json, temperature->generationConfig.temperature, language, prompt",
    "include",
    "0.00005",
  ]);
  const [{ url, body } = {} as Sent] = world.sent;
  assertEquals(url.pathname, "/gemini/v1/models/gemini-2.5-flash:generateContent");
  const { contents, generationConfig } = JSON.parse(new TextDecoder().decode(body));
  const [{ text }, audio] = contents[0].parts;
  assertEquals(audio, { inlineData: { mimeType: "audio/mpeg", data: AUDIO.toBase64() } });
  assertEquals(generationConfig, { temperature: 0.25 });
  assertEquals(text.split("\n").slice(2), [
    "The language of the audio: en",
    "Spelling and style as in this text: Sluice",
  ]);
  const translated = await world.post({ model: "gemini-2.5-flash" }, {
    ...{ path: "translations", type: "application/octet-stream" },
  });
  await translated.body?.cancel();
  const second = JSON.parse(new TextDecoder().decode(world.sent[1]?.body));
  assertStringIncludes(second.contents[0].parts[0].text, "into English");
  assertEquals(second.contents[0].parts[1].inlineData.mimeType, "audio/wav");
  assertEquals(second.generationConfig, undefined);
});

Deno.test("what Gemini blocks is a 400, and an answer without a candidate is none", async () => {
  const body = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } };
  await using world = createWorld(() => Response.json(body));
  const response = await world.post({ model: "gemini-2.5-flash" });
  const { error } = await response.json();
  assertEquals([response.status, error.code], [400, "content_filter"]);
});

Deno.test("ElevenLabs gets the form with its names of fields, also those behind the file", async () => {
  await using world = createWorld();
  const response = await world.post(
    { model: "scribe_v1", response_format: "verbose_json", prompt: "x", diarize: "true" },
    { late: { language: "en", chunking_strategy: "auto" } },
  );
  assertEquals(await response.json(), {
    ...{ task: "transcribe", language: "eng", duration: 12, text: "Hello (laughs) you" },
    words: [{ word: "Hello", start: 0.1, end: 0.5 }, { word: "you", start: 0.9, end: 12 }],
    usage: { type: "duration", seconds: 12 },
  });
  assertEquals(receiptOf(response), [null, "prompt, chunking_strategy", "0.012"]);
  const [{ url, headers, body } = {} as Sent] = world.sent;
  assertEquals([url.pathname, headers.get("xi-api-key")], [
    "/elevenlabs/v1/speech-to-text",
    VENDOR_KEY,
  ]);
  assertEquals(headers.get("authorization"), null);
  const form = await new Response(body, { headers }).formData();
  const file = form.get("file") as File;
  form.delete("file");
  assertEquals([...form], [["model_id", "scribe_v1"], ["diarize", "true"], [
    "language_code",
    "en",
  ]]);
  assertEquals(await file.bytes(), AUDIO);
});

Deno.test("Deepgram gets the file as the body and the fields as the query", async () => {
  await using world = createWorld();
  const response = await world.post(
    { model: "nova-3", language: "de", smart_format: "true", temperature: "0", odd: "x" },
    { late: { diarize: "true" } },
  );
  assertEquals(await response.json(), {
    text: "hello",
    usage: { type: "duration", seconds: 30 },
  });
  assertEquals(receiptOf(response), [null, "temperature, odd, diarize", "0.03"]);
  const [{ url, headers, body } = {} as Sent] = world.sent;
  assertEquals(url.pathname, "/deepgram/v1/listen");
  assertEquals([...url.searchParams], [
    ["model", "nova-3"],
    ["language", "de"],
    ["smart_format", "true"],
  ]);
  assertEquals(headers.get("authorization"), `Token ${VENDOR_KEY}`);
  assertEquals(headers.get("content-type"), "audio/mpeg");
  assertEquals(body, AUDIO);
  const verbose = await world.post({ model: "nova-3", response_format: "verbose_json" });
  const { words, language, duration } = await verbose.json();
  assertEquals([words, language, duration], [[{ word: "Hello.", start: 0, end: 1 }], "en", 30]);
});

for (const model of ["gemini-2.5-flash", "scribe_v1", "nova-3"]) {
  Deno.test(`${model}: text, an event for a stream, and the openai package`, async () => {
    await using world = createWorld();
    const said = { "gemini-2.5-flash": "Hello", scribe_v1: "Hello (laughs) you" }[model] ?? "hello";
    const text = await world.post({ model, response_format: "text" });
    assertEquals(text.headers.get("content-type"), "text/plain; charset=utf-8");
    assertEquals([await text.text(), receiptOf(text)[0]], [said, null]);
    const file = await toFile(AUDIO, "a.mp3");
    const { audio } = world.client;
    assertEquals((await audio.transcriptions.create({ file, model })).text, said);
    const types: unknown[] = [];
    for await (const event of await audio.transcriptions.create({ file, model, stream: true })) {
      types.push([event.type, "text" in event && event.text]);
    }
    assertEquals(types, [["transcript.text.done", said]]);
    assertEquals(world.served.gateway.lines.at(-1)?.status, 200);
  });

  Deno.test(`${model}: an explanation says what would be sent`, async () => {
    await using world = createWorld();
    const response = await world.post({ model, language: "en" }, {
      headers: { "x-sluice-explain": "true" },
    });
    const { targets: [{ request, receipt }] } = await response.json();
    assertEquals(request.url.startsWith("{base_url}/"), true);
    assertEquals(JSON.stringify(receipt).includes('"language"'), true);
    assertEquals(JSON.stringify(request).includes(VENDOR_KEY), false);
    assertEquals(world.sent, []);
  });
}

const ERRORS = [
  [
    "scribe_v1",
    401,
    { detail: { status: "quota_exceeded", message: "No credits" } },
    429,
    "insufficient_quota",
  ],
  [
    "scribe_v1",
    401,
    { detail: { status: "invalid_api_key", message: "Bad" } },
    502,
    "upstream_auth",
  ],
  ["scribe_v1", 422, { detail: [{ loc: ["body"], msg: "Field required" }] }, 400, null],
  ["nova-3", 402, { err_code: "ASR_PAYMENT_REQUIRED", err_msg: "Pay" }, 429, "insufficient_quota"],
  ["nova-3", 401, { err_code: "INVALID_AUTH", err_msg: "Invalid" }, 502, "upstream_auth"],
  ["nova-3", 400, { category: "INVALID_JSON", message: "Bad", details: "line 1" }, 400, null],
] as const;

for (const [model, status, body, asked, code] of ERRORS) {
  Deno.test(`${model}: the error ${JSON.stringify(body).slice(0, 50)} becomes ${asked}`, async () => {
    await using world = createWorld(() => Response.json(body, { status }));
    const response = await world.post({ model });
    const { error } = await response.json();
    assertEquals(
      [response.status, error.code === code || code === null],
      [asked, true],
      error.code,
    );
    if (asked === 400) assertStringIncludes(error.message, status === 422 ? "Field" : "line 1");
  });
}

Deno.test("a chain: a vendor that failed early is followed by one that needs the whole file", async () => {
  const aliases = { ears: ["nova-3", "scribe_v1", "gemini-2.5-flash"] };
  await using world = createWorld(
    (kind) => kind === "gemini" ? Response.json(GEMINI) : new Response("{}", { status: 503 }),
    { aliases },
  );
  const response = await world.post({ model: "ears" }, { late: { language: "fr" } });
  assertEquals(response.headers.get("x-sluice-provider"), "gemini");
  assertEquals((await response.json()).text, "Hello");
  const paths = world.sent.map(({ url }) => url.pathname.split("/")[1]);
  assertEquals(paths, ["deepgram", "elevenlabs", "gemini"]);
  const text = new TextDecoder().decode(world.sent[2]?.body);
  assertStringIncludes(text, "The language of the audio: fr");
});

Deno.test("translations pass over vendors that do not translate", async () => {
  const aliases = { ears: ["scribe_v1", "nova-3", "gemini-2.5-flash"] };
  await using world = createWorld(usual, { aliases });
  const response = await world.post({ model: "ears" }, { path: "translations" });
  assertEquals([response.status, (await response.json()).text], [200, "Hello"]);
  assertEquals(world.sent.length, 1);
  const refused = await world.post({ model: "nova-3" }, { path: "translations" });
  assertEquals([refused.status, (await refused.json()).error.code], [400, "unsupported_operation"]);
});

Deno.test("a file for Gemini is buffered up to server.max_body, files for others are not buffered", async () => {
  await using world = createWorld(usual, { server: { max_body: "4KiB" } });
  const kept = await world.post({ model: "gemini-2.5-flash" });
  assertEquals(kept.status, 413);
  await kept.body?.cancel();
  for (const model of ["scribe_v1", "nova-3"]) {
    const response = await world.post({ model });
    assertEquals(response.status, 200, model);
    await response.body?.cancel();
  }
});

Deno.test("Deepgram gets the beginning of a file while the caller still sends it", async () => {
  const { promise: hasBegun, resolve } = Promise.withResolvers<void>();
  await using vendor = serveVendor(async (request) => {
    let bytes = 0;
    for await (const packet of request.body ?? []) {
      bytes += packet.length;
      resolve();
    }
    return Response.json({ ...DEEPGRAM, metadata: { duration: bytes } });
  });
  const { url: base_url } = vendor;
  const deepgram = { kind: "deepgram", api_key: VENDOR_KEY, base_url, models: ["nova-3"] };
  await using served = serveGateway({ config: { providers: { deepgram } } });
  const encode = (text: string) => new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(encode(
        '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nnova-3\r\n' +
          '--b\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n',
      ));
      controller.enqueue(AUDIO);
      await hasBegun;
      controller.enqueue(AUDIO);
      controller.enqueue(encode("\r\n--b--\r\n"));
      controller.close();
    },
  });
  const response = await served.fetch(`${served.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${SERVICE_KEY}`,
      "content-type": "multipart/form-data; boundary=b",
    },
    body,
  });
  assertEquals((await response.json()).usage, { type: "duration", seconds: 10_000 });
});
