/** A number is a number in any spelling: every case of every endpoint, with 1.0 for 1. */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { encodeMessages, type EventMessage } from "../support/event_stream.ts";
import { configOf, exists, type Fixture, readFixtures } from "../support/fixtures.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { openKeyFile, startReplica, withKeyFile } from "../support/keys.ts";
import { fromChat } from "../support/responses/from_chat.ts";
import { TOKEN_URI } from "../support/service_account.ts";
import { parsePassed } from "../../src/core/json/reader.ts";

type Members = Record<string, unknown>;

/** Strings stay as they are. */
const NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(\.\d+)?(?![\d.eE])/g;

/** JSON in which each number ends in `.0`, or in 0 after its fraction. */
function respelled(text: string): string {
  return text.replaceAll(NUMBER, (found, fraction?: string) => {
    if (found.startsWith('"')) return found;
    return fraction === undefined ? `${found}.0` : `${found}0`;
  });
}

/** The data of events, and lines of JSON. */
function respelledLines(text: string): string {
  return text.replaceAll(
    /^(data: |)(?=[{[])(.*)$/gm,
    (_, start: string, data: string) => start + respelled(data),
  );
}

/** A text with the usual spelling of all numbers, in strings too. */
function normalized(text: string): string {
  return text.replaceAll(/-?\d+\.\d+(?![\d.])/g, (found) => String(Number(found)));
}

interface Spelling {
  readonly body: (value: unknown) => string;
  readonly lines: (text: string) => string;
}

const USUAL: Spelling = { body: (value) => JSON.stringify(value), lines: (text) => text };
const OTHER: Spelling = {
  body: (value) => respelled(JSON.stringify(value)),
  lines: respelledLines,
};

/** Sends the request of a case in a spelling, which the vendor answers in it. */
async function run(
  fixture: Pick<Fixture, "about" | "upstream" | "vendor"> & { readonly directory?: string },
  path: string,
  request: unknown,
  spelling: Spelling,
): Promise<string> {
  let sent = "";
  const gateway = createTestGateway({
    config: configOf(fixture as Fixture),
    fetch: (url, init) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: VENDOR_KEY }));
      sent += `${url} ${String(init.body)}\n`;
      return Promise.resolve(toResponse(fixture, spelling));
    },
  });
  const response = await gateway.call(path, spelling.body(request), {
    "x-request-id": "req_test",
    ...fixture.about.headers,
  });
  const headers = [...response.headers].filter(([name]) => name !== "x-sluice-overhead-ms");
  const answer = `${response.status} ${JSON.stringify(headers)}\n${await response.text()}`;
  gateway.flush();
  assertEquals(gateway.bugs, []);
  const lines = gateway.lines.map((line) =>
    // Estimates depend on the length of the answer.
    line.usage_estimated === true || line.prompt_tokens === undefined
      ? ""
      : JSON.stringify([line.prompt_tokens, line.completion_tokens, line.cost_usd])
  );
  return normalized(`${sent}${answer}\n${lines.join("\n")}`);
}

function toResponse(
  { directory = "", upstream }: {
    readonly directory?: string;
    readonly upstream: Fixture["upstream"];
  },
  spelling: Spelling,
): Response {
  if (upstream.type === "answer") {
    const { status, headers, body } = upstream;
    return new Response(typeof body === "string" ? body : spelling.body(body), { status, headers });
  }
  return new Response(toBytes(directory, upstream.bytes, spelling), {
    headers: { "content-type": upstream.contentType },
  });
}

function toBytes(
  directory: string,
  bytes: Uint8Array<ArrayBuffer>,
  { body, lines }: Spelling,
): BodyInit {
  const path = `${directory}/events.json`;
  if (!exists(path)) return lines(new TextDecoder().decode(bytes));
  const events = JSON.parse(Deno.readTextFileSync(path)) as EventMessage[];
  return encodeMessages(
    events.map((event) =>
      "data" in event ? { ...event, data: parsePassed(body(event.data)) } : event
    ),
  );
}

interface Run {
  readonly fixture: Parameters<typeof run>[0];
  readonly path: string;
  readonly request: unknown;
}

/** Other vendors have the API of one of these. */
const MAIN_VENDORS: ReadonlySet<string> = new Set([
  ..."anthropic azure bedrock cohere gemini mistral ollama openai".split(" "),
]);

/** The request of a case in each format. */
function runsOf(fixture: Fixture): Run[] {
  const { request, upstream, vendor } = fixture;
  const { model, stream } = request;
  const isStreamed = stream === true || upstream.type === "stream";
  const turn = { role: "user", content: "Hi" };
  const asked = { model, ...(isStreamed && { stream: true }) };
  const { body, lost } = fromChat(request);
  const method = isStreamed ? "streamGenerateContent?alt=sse" : "generateContent";
  const thinking = { type: "enabled", budget_tokens: 2000 };
  const chat = { fixture, path: "/v1/chat/completions", request };
  if (!MAIN_VENDORS.has(vendor)) return [chat];
  return [
    chat,
    {
      fixture,
      path: "/v1/messages",
      request: { ...asked, max_tokens: 4000, top_k: 3, thinking, messages: [turn] },
    },
    {
      fixture,
      path: "/v1/responses",
      request: lost.length === 0 ? body : { ...asked, max_output_tokens: 400, input: [turn] },
    },
    {
      fixture,
      path: `/v1beta/models/${encodeURIComponent(String(model))}:${method}`,
      request: {
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
        generationConfig: {
          candidateCount: 1,
          maxOutputTokens: 400,
          temperature: 1,
          topK: 3,
          topP: 0.5,
          seed: 7,
          thinkingConfig: { thinkingBudget: 200 },
        },
      },
    },
  ];
}

const IS_LONG = Deno.env.get("SLUICE_LONG_TESTS") === "1";

/** Whether a case is sent in a format: always as a chat, and in one of the other three formats. */
function isTaken(format: number, index: number): boolean {
  return format === 0 || format === 1 + index % 3;
}

const fixtures = Map.groupBy(readFixtures(), ({ vendor }) => vendor);
for (const [vendor, cases] of fixtures) {
  Deno.test(`${vendor}: all cases are the same with 1.0 for 1`, async () => {
    for (const [index, fixture] of cases.entries()) {
      const runs = runsOf(fixture);
      for (const { path, request } of IS_LONG ? runs : runs.filter((_, at) => isTaken(at, index))) {
        const expected = await run(fixture, path, request, USUAL);
        const given = await run(fixture, path, request, OTHER);
        assertEquals(given, expected, `${vendor}/${fixture.name} ${path}`);
      }
    }
  });
}

/** Other operations: the folders of their cases, and their paths. */
const OPERATIONS = {
  embeddings: "/v1/embeddings",
  images: "/v1/images/generations",
  moderations: "/v1/moderations",
  rerank: "/v1/rerank",
  speech: "/v1/audio/speech",
} as const;

for (const [operation, path] of Object.entries(OPERATIONS)) {
  Deno.test(`${operation}: all cases are the same with 1.0 for 1`, async () => {
    const root = fileURLToPath(new URL(`../${operation}/cases/`, import.meta.url));
    for (const { name: vendor } of Deno.readDirSync(root)) {
      for (const { name } of Deno.readDirSync(`${root}${vendor}`)) {
        const { about, request, upstream } = JSON.parse(
          Deno.readTextFileSync(`${root}${vendor}/${name}`),
        ) as { about: Fixture["about"]; request: Members; upstream?: Members };
        const fixture = { vendor, about, upstream: { type: "answer", ...upstream } as never };
        const expected = await run(fixture, path, request, USUAL);
        assertEquals(await run(fixture, path, request, OTHER), expected, `${vendor}/${name}`);
      }
    }
  });
}

const TURN = { role: "user", content: "Hi" };
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
const OPTIONS = { temperature: 1, top_k: 3, seed: 7, num_predict: 20, presence_penalty: 1 };

/** Requests of endpoints without cases: a kind, a path, a request, and the vendor's answer. */
const REQUESTS:
  readonly (readonly [kind: string, path: string, request: Members, answer: Members])[] = [
    ["anthropic", "/v1/messages/count_tokens", { model: "m", messages: [TURN] }, {
      input_tokens: 7,
    }],
    ["anthropic", "/v1/responses/input_tokens", { model: "m", input: "Hi" }, { input_tokens: 7 }],
    ["anthropic", "/v1beta/models/m:countTokens", CONTENTS, { input_tokens: 7 }],
    ["gemini", "/v1beta/models/m:countTokens", CONTENTS, { totalTokens: 7 }],
    ["openai", "/v1/responses/input_tokens", { model: "m", input: "Hi" }, { input_tokens: 7 }],
    ["openai", "/v1/responses/compact", { model: "m", input: "Hi" }, {
      ...{ id: "r", object: "response.compaction", created_at: 1, output: [] },
      usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 },
    }],
    ["openai", "/api/chat", { model: "m", messages: [TURN], options: OPTIONS, stream: false }, {
      ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
      choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
    }],
    ["ollama", "/api/generate", { model: "m", prompt: "Hi", options: OPTIONS, stream: false }, {
      ...{ model: "m", response: "x", done: true, done_reason: "stop" },
      ...{ prompt_eval_count: 7, eval_count: 2, total_duration: 5 },
    }],
    ["ollama", "/api/embed", { model: "m", input: ["Hi"], dimensions: 2 }, {
      ...{ model: "m", embeddings: [[1, 2]], prompt_eval_count: 3 },
    }],
    ["openai", "/v1beta/models/m:embedContent", {
      content: { parts: [{ text: "Hi" }] },
      outputDimensionality: 2,
    }, {
      data: [{ index: 0, embedding: [1, 2] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    }],
    ["openai", "/v1/images/edits", {
      ...{ model: "m", prompt: "a cat", n: 2, output_compression: 80, partial_images: 1 },
      images: [{ image_url: "data:image/png;base64,aW1n" }],
    }, { created: 3, data: [{ b64_json: "aW1n" }], usage: { input_tokens: 3, output_tokens: 9 } }],
  ];

Deno.test("endpoints without cases: the same with 1.0 for 1", async () => {
  for (const [kind, path, request, body] of REQUESTS) {
    const fixture: Parameters<typeof run>[0] = {
      vendor: kind,
      about: { model: { id: "m" }, headers: { "content-type": "application/json" } } as never,
      upstream: { type: "answer", status: 200, headers: {}, body } as never,
    };
    const expected = await run(fixture, path, request, USUAL);
    assert(/^200 /m.test(expected), `${kind} ${path}: ${expected}`);
    assertEquals(await run(fixture, path, request, OTHER), expected, `${kind} ${path}`);
  }
});

Deno.test("a transcript's duration and usage are the same with 1.0 for 1", async () => {
  const transcribe = async (spelling: Spelling, answer: Members, fields: Members) => {
    const gateway = createTestGateway({
      config: {
        providers: {
          openai: { api_key: VENDOR_KEY, kind: "openai", models: [{ id: "m", prices: PRICES }] },
        },
      },
      fetch: () =>
        Promise.resolve(
          new Response(spelling.body(answer), { headers: { "content-type": "application/json" } }),
        ),
    });
    const form = new FormData();
    form.set("model", "m");
    for (const [name, value] of Object.entries(fields)) form.set(name, spelling.body(value));
    form.set("file", new File(["x"], "a.wav", { type: "audio/wav" }));
    const response = await gateway.app.handle(
      new Request("http://gateway.test/v1/audio/transcriptions", {
        method: "POST",
        body: form,
        headers: { authorization: `Bearer ${SERVICE_KEY}` },
      }),
    );
    const text = await response.text();
    gateway.flush();
    const { cost_usd } = gateway.lines.at(-1) ?? {};
    return normalized(`${response.status} ${text} ${cost_usd}`);
  };
  for (
    const answer of [
      { text: "x", duration: 30 },
      { text: "x", usage: { type: "duration", seconds: 30 } },
      { text: "x", usage: { type: "tokens", input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
      { text: "x", segments: [{ id: 0, start: 0, end: 30 }], words: [{ word: "x", start: 1 }] },
    ]
  ) {
    const expected = await transcribe(USUAL, answer, { temperature: 0 });
    const name = JSON.stringify(answer);
    assert(expected.startsWith("200 "), `${name}: ${expected}`);
    assertEquals(await transcribe(OTHER, answer, { temperature: 0 }), expected, name);
  }
});

const PRICES = { input: 6, output: 10, minute: 0.006 };

Deno.test("the admin API takes 1.0 for 1", async () => {
  const settings = {
    limits: { requests_per_minute: 600, tokens_per_minute: 2000, concurrent: 20 },
    budget: { usd: 250, per: "month" },
    weight: 2,
  };
  await withKeyFile(async (path) => {
    await using replica = await startReplica({ store: openKeyFile(path) });
    const create = async (name: string, { body }: Spelling) => {
      const request = parsePassed(body({ name, ...settings }));
      const created = await replica.admin("POST", "/v1/admin/keys", request);
      const { limits, budget, weight } = created.body;
      const { id } = created.body;
      const changes = parsePassed(body({ budget: { usd: 20, per: "day" }, weight: 3 }));
      const changed = await replica.admin("PATCH", `/v1/admin/keys/${id}`, changes);
      const { budget: newBudget, weight: newWeight } = changed.body;
      return [created.status, limits, budget, weight, changed.status, newBudget, newWeight];
    };
    const expected = await create("one", USUAL);
    assertEquals(expected[0], 201);
    assertEquals(await create("two", OTHER), expected);
  });
});

Deno.test("counts and indexes are whole numbers that a double holds", async () => {
  const chat = { model: "m", messages: [TURN] };
  const members: readonly (readonly [path: string, request: Members, param: string])[] = [
    ["/v1/chat/completions", chat, "max_tokens"],
    ["/v1/chat/completions", chat, "n"],
    ["/v1/responses", { model: "m", input: "Hi" }, "max_output_tokens"],
    ["/v1/messages", chat, "max_tokens"],
    ["/v1/embeddings", { model: "m", input: "Hi" }, "dimensions"],
    ["/v1/rerank", { model: "m", query: "q", documents: ["a"] }, "top_n"],
    ["/v1/images/generations", { model: "m", prompt: "x" }, "n"],
    ["/v1beta/models/m:generateContent", CONTENTS, "generationConfig.maxOutputTokens"],
    ["/v1beta/models/m:generateContent", CONTENTS, "generationConfig.candidateCount"],
    ["/api/chat", chat, "options.num_predict"],
    ["/api/embed", { model: "m", input: "Hi" }, "dimensions"],
  ];
  const config = { providers: { mock: { kind: "mock", models: ["m"] } } };
  for (const [path, request, param] of members) {
    const [name = "", inner] = param.split(".");
    for (const number of ["5.0", "0.5e1", "5.5", "1e999", "9007199254740993", "-1e999"]) {
      const value = inner === undefined ? number : `{"${inner}":${number}}`;
      const text = JSON.stringify({ ...request, [name]: 0 }).replace(
        `"${name}":0`,
        `"${name}":${value}`,
      );
      const response = await createTestGateway({ config }).call(path, text);
      const body = await response.text();
      const title = `${path} ${param}: ${number} ${body}`;
      assertEquals(response.status === 400, !number.startsWith("5.0") && number !== "0.5e1", title);
      if (response.status === 400) assert(body.includes(param), title);
    }
  }
});

Deno.test("the other spelling changes the numbers of a text, and only them", () => {
  assertEquals(respelled('{"a 1":[1,-2,0.5],"b":"3,4"}'), '{"a 1":[1.0,-2.0,0.50],"b":"3,4"}');
  assert(respelledLines('event: a\ndata: {"a":1}\n').includes('data: {"a":1.0}'));
  assertEquals(normalized('{"a":1.0,"b":"0.50"}'), '{"a":1,"b":"0.5"}');
});
