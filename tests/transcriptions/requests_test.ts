/** Requests for transcription: forms as they arrive, kept files, failover, formats and costs. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import OpenAI, { toFile } from "openai";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { type ServedGateway, serveGateway, serveVendor } from "../support/server.ts";
import { turn, until } from "../support/elapse.ts";

const AUDIO = Uint8Array.from({ length: 5000 }, (_, index) => index % 251);

/** What a vendor got. */
interface Sent {
  readonly path: string;
  readonly fields: readonly (readonly [string, string])[];
  readonly file: Uint8Array;
  readonly filename: string;
}

interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly client: OpenAI;
  readonly sent: Sent[];
  post(
    form: FormData | BodyInit,
    headers?: Record<string, string>,
    path?: string,
  ): Promise<Response>;
}

async function readSent(request: Request): Promise<Sent> {
  const form = await request.formData();
  const file = form.get("file") as File;
  const fields = [...form].flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : []
  );
  const { pathname: path } = new URL(request.url);
  return { path, fields, file: await file.bytes(), filename: file.name };
}

const TEXT = { text: "Hello" };

function createWorld(
  answer: (sent: Sent) => Response = () => Response.json(TEXT),
  members: Record<string, unknown> = {},
): World {
  const sent: Sent[] = [];
  const vendor = serveVendor(async (request) => {
    const one = await readSent(request);
    sent.push(one);
    return answer(one);
  });
  const provider = (kind: string, models: readonly unknown[], path = "v1") => ({
    kind,
    api_key: VENDOR_KEY,
    base_url: `${vendor.url}/${path}`,
    models,
    retries: 0,
  });
  const providers = {
    openai: provider("openai", [
      { id: "whisper-1", prices: { minute: 0.006 } },
      { id: "gpt-4o-transcribe", prices: { input: 6, output: 10 } },
    ]),
    groq: provider("groq", ["whisper-large-v3"], "groq"),
    mistral: provider("mistral", ["voxtral-mini-latest"], "mistral"),
  };
  const served = serveGateway({ config: { providers, ...members } });
  const { url, fetch } = served;
  return {
    served,
    sent,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 }),
    post: (body, headers = {}, path = "transcriptions") =>
      fetch(`${url}/v1/audio/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${SERVICE_KEY}`, ...headers },
        body,
      }),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

const OWN = { name: "test", key: SERVICE_KEY };

/** A form whose fields are in this order. */
function formOf(
  entries: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[],
): FormData {
  const form = new FormData();
  for (const [name, value] of entries) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, new File([value], "a.mp3", { type: "audio/mpeg" }));
  }
  return form;
}

Deno.test("openai package: audio.transcriptions.create() sends the same file and fields", async () => {
  await using world = createWorld();
  const { text } = await world.client.audio.transcriptions.create({
    file: await toFile(AUDIO, "speech.mp3"),
    model: "whisper-1",
    language: "en",
    timestamp_granularities: ["word", "segment"],
  });
  assertEquals(text, "Hello");
  const [{ path, file, fields, filename } = {} as Sent] = world.sent;
  assertEquals([path, filename, file], ["/v1/audio/transcriptions", "speech.mp3", AUDIO]);
  assertEquals(fields.toSorted(), [
    ["language", "en"],
    ["model", "whisper-1"],
    ["timestamp_granularities[]", "segment"],
    ["timestamp_granularities[]", "word"],
  ]);
});

Deno.test("openai package: audio.translations.create() goes to the vendor's translations", async () => {
  await using world = createWorld();
  const file = await toFile(AUDIO, "a.mp3");
  const { text } = await world.client.audio.translations.create({ file, model: "whisper-1" });
  assertEquals([text, world.sent[0]?.path], ["Hello", "/v1/audio/translations"]);
});

Deno.test("a file after the model reaches the vendor while the caller still sends it", async () => {
  const { promise: hasBegun, resolve } = Promise.withResolvers<void>();
  await using vendor = serveVendor(async (request) => {
    const bytes: number[] = [];
    for await (const packet of request.body ?? []) {
      bytes.push(...packet);
      if (bytes.length > 1000) resolve();
    }
    const text = new TextDecoder("latin1").decode(Uint8Array.from(bytes));
    return Response.json({ text: String(text.includes("\r\nlate\r\n")) });
  });
  const base_url = `${vendor.url}/v1`;
  const openai = { kind: "openai", api_key: VENDOR_KEY, base_url, models: ["whisper-1"] };
  await using served = serveGateway({ config: { providers: { openai } } });
  const encode = (text: string) => new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(encode(
        '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n' +
          '--b\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n',
      ));
      controller.enqueue(AUDIO);
      // The rest is sent only when the vendor has the beginning.
      await hasBegun;
      controller.enqueue(AUDIO);
      controller.enqueue(encode(
        '\r\n--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nlate\r\n' +
          '--b\r\ncontent-disposition: form-data; name="include[]"\r\n\r\nlogprobs\r\n--b--\r\n',
      ));
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
  assertEquals(await response.json(), { text: "true" });
  // The model takes no such field, which is known only after the file.
  assertEquals(response.headers.get("x-sluice-ignored"), "include");
});

const FAULTS: readonly (readonly [Parameters<typeof formOf>[0], string])[] = [
  [[["file", AUDIO]], "model"],
  [[["model", "whisper-1"]], "file"],
  [[["model", "whisper-1"], ["temperature", "hot"], ["file", AUDIO]], "temperature"],
  [[["model", "whisper-1"], ["stream", "yes"], ["file", AUDIO]], "stream"],
  [[["model", "whisper-1"], ["audio", AUDIO]], "audio"],
];

for (const [entries, param] of FAULTS) {
  Deno.test(`a form with a fault in '${param}' is refused before anything is sent`, async () => {
    await using world = createWorld();
    const response = await world.post(formOf(entries));
    assertEquals(response.status, 400);
    assertEquals((await response.json()).error.param, param);
    assertEquals(world.sent, []);
  });
}

Deno.test("a body that is no form is refused", async () => {
  await using world = createWorld();
  const response = await world.post("{}", { "content-type": "application/json" });
  assertEquals(response.status, 400);
  assertStringIncludes((await response.json()).error.message, "form with a file");
});

Deno.test("a file before its model is buffered up to server.max_body", async () => {
  await using world = createWorld(undefined, { server: { max_body: "4KiB" } });
  const late = await world.post(formOf([["file", AUDIO], ["model", "whisper-1"]]));
  assertEquals(late.status, 413);
  assertStringIncludes((await late.json()).error.message, "'model' before it");
  const early = await world.post(formOf([["model", "whisper-1"], ["file", AUDIO]]));
  assertEquals((await early.json()).text, "Hello");
});

for (const order of ["before", "after"] as const) {
  Deno.test(`another target gets the whole file, which is ${order} its model`, async () => {
    const aliases = { hear: ["whisper-1", "whisper-large-v3"] };
    await using world = createWorld(
      ({ path }) =>
        path.startsWith("/groq") ? Response.json(TEXT) : new Response("", { status: 503 }),
      { aliases },
    );
    const model = ["model", "hear"] as const;
    const file = ["file", AUDIO] as const;
    const response = await world.post(formOf(order === "before" ? [file, model] : [model, file]));
    assertEquals((await response.json()).text, "Hello");
    assertEquals(response.headers.get("x-sluice-provider"), "groq");
    assertEquals(world.sent.map(({ file }) => file), [AUDIO, AUDIO]);
  });
}

Deno.test("a file that was not buffered is not sent again: the caller gets the first error", async () => {
  const aliases = { hear: ["whisper-1", "whisper-large-v3"] };
  const long = new Uint8Array(600_000);
  await using world = createWorld(() => new Response("", { status: 503 }), { aliases });
  const response = await world.post(formOf([["model", "hear"], ["file", long]]));
  assertEquals(response.status, 503);
  assertEquals((await response.json()).error.code, "upstream_unavailable");
  assertEquals(world.sent.length, 1);
  assertEquals(world.sent[0]?.file.length, long.length);
});

Deno.test("seconds and tokens that vendors report are charged; others are an estimate", async () => {
  const usages = [
    { ...TEXT, usage: { type: "duration", seconds: 30 } },
    { ...TEXT, duration: 12.5, language: "english" },
    { ...TEXT, usage: { type: "tokens", input_tokens: 100, output_tokens: 10, total_tokens: 110 } },
    TEXT,
  ];
  await using world = createWorld(() => Response.json(usages[world.sent.length - 1]));
  const models = ["whisper-1", "whisper-1", "gpt-4o-transcribe", "whisper-1"];
  for (const model of models) {
    const response = await world.post(formOf([["model", model], ["file", AUDIO]]));
    await response.json();
  }
  const { lines } = world.served.gateway;
  assertEquals(lines.map(({ seconds }) => seconds), [30, 12.5, undefined, 1]);
  assertEquals(lines.map(({ cost_usd }) => cost_usd).slice(0, 3), [0.003, 0.00125, 0.0007]);
  assertEquals(lines.map(({ usage_estimated }) => usage_estimated), [
    undefined,
    undefined,
    undefined,
    true,
  ]);
});

Deno.test("subtitles pass as they come", async () => {
  const srt = "1\n00:00:00,000 --> 00:00:01,000\nHello\n";
  await using world = createWorld(() =>
    new Response(srt, { headers: { "content-type": "text/plain; charset=utf-8" } })
  );
  const form = formOf([["model", "whisper-1"], ["response_format", "srt"], ["file", AUDIO]]);
  const response = await world.post(form);
  assertEquals(response.headers.get("content-type"), "text/plain; charset=utf-8");
  assertEquals(await response.text(), srt);
});

Deno.test("events pass unchanged, and a model without them answers with one", async () => {
  const events = [
    { type: "transcript.text.delta", delta: "Hel" },
    { type: "transcript.text.delta", delta: "lo" },
    { type: "transcript.text.done", text: "Hello", usage: { input_tokens: 7, output_tokens: 2 } },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  await using world = createWorld(({ fields }) =>
    fields.some(([name]) => name === "stream")
      ? new Response(events, { headers: { "content-type": "text/event-stream" } })
      : Response.json(TEXT)
  );
  const file = await toFile(AUDIO, "a.mp3");
  const read = async (model: string) => {
    const stream = await world.client.audio.transcriptions.create({ file, model, stream: true });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    return types;
  };
  assertEquals(await read("gpt-4o-transcribe"), [
    "transcript.text.delta",
    "transcript.text.delta",
    "transcript.text.done",
  ]);
  assertEquals(world.served.gateway.lines[0]?.completion_tokens, 2);
  assertEquals(await read("whisper-1"), ["transcript.text.done"]);
});

Deno.test("vendors get the fields that they accept under their names, and the receipt lists the rest", async () => {
  await using world = createWorld();
  const entries = [
    ["model", "voxtral-mini-latest"],
    ["language", "en"],
    ["prompt", "names"],
    ["response_format", "srt"],
    ["timestamp_granularities[]", "segment"],
    ["file", AUDIO],
  ] as const;
  const response = await world.post(formOf(entries));
  await response.json();
  assertEquals(response.headers.get("x-sluice-ignored"), "response_format, prompt");
  assertEquals(world.sent[0]?.path, "/mistral/audio/transcriptions");
  assertEquals(world.sent[0]?.fields, [
    ["model", "voxtral-mini-latest"],
    ["language", "en"],
    ["timestamp_granularities", "segment"],
  ]);
  const translated = await world.post(formOf(entries), {}, "translations");
  assertEquals((await translated.json()).error.code, "unsupported_operation");
});

Deno.test("the vendor's error is the caller's, and a limit of seconds holds", async () => {
  const error = { message: "Bad audio", type: "invalid_request_error", code: null };
  await using world = createWorld(() => Response.json({ error }, { status: 400 }), {
    limits: { seconds_per_minute: 6 },
  });
  const form = () => formOf([["model", "whisper-1"], ["file", AUDIO]]);
  const first = await world.post(form());
  assertEquals([first.status, (await first.json()).error.message], [400, "Bad audio"]);
  const long = await world.post(formOf([["model", "whisper-1"], ["file", new Uint8Array(40_000)]]));
  assertEquals((await long.json()).error.code, "too_many_tokens");
});

for (
  const [what, members, seconds] of [
    ["no limit", {}, 4],
    ["a budget", { server: { keys: [{ ...OWN, budget: { usd: 100, per: "day" } }] } }, 60],
    ["a separate limit", { server: { keys: [{ ...OWN, limits: { seconds_per_day: 99 } }] } }, 60],
    ["a limit of a model", { limits: { models: { "whisper-1": { seconds_per_day: 99 } } } }, 60],
  ] as const
) {
  Deno.test(`audio of unknown duration is ${seconds} s for a key with ${what}`, async () => {
    await using world = createWorld(() => Response.json({ text: "Hello" }), members);
    const form = formOf([["model", "whisper-1"], ["file", new Uint8Array(60_000)]]);
    await (await world.post(form)).text();
    assertEquals(world.served.gateway.lines.map((line) => line.seconds), [seconds]);
  });
}

Deno.test("audio of a low rate counts with its seconds for a key with a limit, in any format", async () => {
  // Ten minutes at 8 kHz and 8 bits, of which the body has the beginning.
  const wav = new Uint8Array(480_000);
  const view = new DataView(wav.buffer);
  for (const [at, name] of [[0, "RIFF"], [8, "WAVEfmt "], [36, "data"]] as const) {
    wav.set(new TextEncoder().encode(name), at);
  }
  for (const [at, value] of [[16, 16], [24, 8000], [28, 8000]] as const) {
    view.setUint32(at, value, true);
  }
  for (const [at, value] of [[20, 1], [22, 1], [34, 8]] as const) view.setUint16(at, value, true);
  const unknown = new Uint8Array(60_000);
  await using world = createWorld(() => Response.json({ text: "Hello" }), {
    limits: { seconds_per_day: 1000 },
  });
  for (const format of ["json", "text", "srt"]) {
    for (const file of [wav, unknown]) {
      const answer = await world.post(
        formOf([["model", "whisper-1"], ["response_format", format], ["file", file]]),
      );
      await answer.text();
    }
  }
  const { lines } = world.served.gateway;
  assertEquals(lines.map(({ seconds }) => seconds), [60, 60, 60, 60, 60, 60]);
});

Deno.test("an explanation shows the form without its file", async () => {
  await using world = createWorld();
  const form = formOf([["model", "whisper-1"], ["include[]", "logprobs"], ["file", AUDIO]]);
  const response = await world.post(form, { "x-sluice-explain": "true" });
  const { targets: [{ request, receipt }] } = await response.json();
  assertEquals(request.body, { model: "whisper-1", file: "a.mp3" });
  assertEquals(receipt, [
    { parameter: "include", fate: "ignored", rule: "gpt-4o models only" },
  ]);
  assert(world.sent.length === 0);
});

/** A caller that sends a file until {@linkcode leave}. */
class EndlessCaller {
  readonly #connection: Deno.TcpConn;
  #hasLeft = false;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async call(url: string): Promise<EndlessCaller> {
    const { hostname, port } = new URL(url);
    const caller = new EndlessCaller(await Deno.connect({ hostname, port: Number(port) }));
    await caller.#write(
      `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: ${hostname}\r\n` +
        `authorization: Bearer ${SERVICE_KEY}\r\ntransfer-encoding: chunked\r\n` +
        "content-type: multipart/form-data; boundary=b\r\n\r\n",
    );
    await caller.#write(chunk(
      '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n' +
        '--b\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n',
    ));
    return caller;
  }

  /** Sends pieces of the file until {@linkcode leave}. */
  async send(): Promise<void> {
    while (!this.#hasLeft) {
      await this.#write(chunk("a".repeat(5000))).catch(() => this.#hasLeft = true);
      await turn();
    }
  }

  async response(): Promise<string> {
    const bytes = new Uint8Array(4096);
    const read = await this.#connection.read(bytes);
    return new TextDecoder().decode(bytes.subarray(0, read ?? 0));
  }

  leave(): void {
    this.#hasLeft = true;
    this.#connection.close();
  }

  async #write(text: string): Promise<void> {
    await this.#connection.write(new TextEncoder().encode(text));
  }
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

Deno.test("a vendor that refuses a file before its end answers the caller", async () => {
  await using vendor = serveVendor(() => {
    const error = { message: "Too long", type: "invalid_request_error", code: null };
    return Response.json({ error }, { status: 400 });
  });
  const base_url = `${vendor.url}/v1`;
  const openai = { kind: "openai", api_key: VENDOR_KEY, base_url, models: ["whisper-1"] };
  await using served = serveGateway({ config: { providers: { openai } } });
  const caller = await EndlessCaller.call(served.url);
  const sending = caller.send();
  const response = await caller.response();
  caller.leave();
  await sending;
  assertStringIncludes(response, "HTTP/1.1 400 ");
  assertStringIncludes(response, "Too long");
  // The caller got the answer while its body was still being read.
  await until(() => served.gateway.clock.pending === 0);
  assertEquals(served.gateway.bugs, []);
});

Deno.test("a caller that leaves during its upload ends the vendor's request", async () => {
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
  await using vendor = serveVendor(async (request) => {
    try {
      for await (const _ of request.body ?? []) begin();
    } catch {
      cut();
    }
    return Response.json(TEXT);
  });
  const base_url = `${vendor.url}/v1`;
  const openai = { kind: "openai", api_key: VENDOR_KEY, base_url, models: ["whisper-1"] };
  await using served = serveGateway({ config: { providers: { openai } } });
  const caller = await EndlessCaller.call(served.url);
  const sending = caller.send();
  await hasBegun;
  caller.leave();
  await sending;
  await isCut;
  await until(() => served.gateway.lines.length > 0);
  const { outcome, error } = served.gateway.lines[0] ?? {};
  assertEquals([outcome, error], ["client_gone", "client_gone"]);
  assertEquals(served.gateway.bugs, []);
  assertEquals(served.gateway.clock.pending, 0);
});
