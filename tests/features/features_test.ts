/** Features, shown with test doubles in each caller format. */

import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import type {
  ChatRequest,
  ChunkBody,
  CompletionBody,
  JsonObject,
} from "../../src/contract/chat.ts";
import type {
  CallerRequest,
  ChatFeature,
  EndedAnswer,
  FormatRequest,
  PlannedFeature,
  ReadyAnswer,
  RequestFeature,
  TargetCall,
  TargetName,
} from "../../src/gateway/feature.ts";
import { NO_FEATURES, type RequestFeatures } from "../../src/gateway/request_features.ts";
import { startRequest } from "../../src/gateway/plan.ts";
import type { NativeCall } from "../../src/contract/native.ts";
import { NOTHING, type StreamDecoder } from "../../src/contract/stream_decoder.ts";
import { createTestGateway, SERVICE_KEY, type TestGateway } from "../support/gateway.ts";
import { CHUNKS, failing, ScriptedVendor, toEventStream } from "../support/scripted_vendor.ts";

const CHAT: ChatRequest = { model: "m", messages: [{ role: "user", content: "Hi" }] };
const CALLER: FormatRequest = {
  api: { format: "chat_completions", idPrefix: "chatcmpl-", operation: "chat" },
  body: CHAT,
};

/** Values that only their identity matters of. */
const TARGET_CALL = { call: { request: CHAT } } as TargetCall;
const NATIVE_CALL = { body: CHAT } as Partial<NativeCall> as NativeCall;
const ANSWERS = { createReader: () => READER, readAnswer: () => ({ error: 0 }) };
const READER = { started: false, complete: false, usage: undefined, outputChars: 0 } as never;
const BODY: CompletionBody = { choices: [] };
const DECODER: StreamDecoder = { push: () => NOTHING, end: () => NOTHING };

/** A feature that does the same with every request. */
function doing(feature: RequestFeature | undefined): PlannedFeature {
  return { start: () => feature };
}

/** What features do with a request that all of them are planned for. */
function startFeatures(list: readonly PlannedFeature[]): RequestFeatures {
  const plan = { features: () => list };
  const caller = { principal: { id: "test", key: { name: "test" } }, record: { bodyBytes: 0 } };
  return startRequest({ caller: CALLER, models: CHAT, stream: false }, plan, caller);
}

const LISTS: readonly (readonly [name: string, list: readonly PlannedFeature[]])[] = [
  ["an empty list", []],
  ["a feature that does nothing", [doing(undefined), doing({})]],
  ["a feature that is not woken", [{
    ...doing({ seesContent: true }),
    wakes: { body: () => false },
  }]],
];

for (const [name, list] of LISTS) {
  Deno.test(`${name} leaves every object as it is`, () => {
    const features = startFeatures(list);
    const chat = features.readChat(CHAT);
    if (chat instanceof Promise) throw new TypeError("The chat is not read at once");
    assertStrictEquals(chat.request, CHAT);
    assertStrictEquals(chat.call(TARGET_CALL), TARGET_CALL);
    assertStrictEquals(chat.completion(BODY, TARGET_CALL), BODY);
    assertStrictEquals(chat.decoder(DECODER, TARGET_CALL), DECODER);
    assertStrictEquals(features.nativeCall(NATIVE_CALL), NATIVE_CALL);
    assertStrictEquals(features.nativeAnswers(ANSWERS, NATIVE_CALL), ANSWERS);
    assertEquals(features.mayAnswer, false);
    assertEquals([features.seesContent, features.allowsNative], [false, true]);
    if (list.length < 2) assertStrictEquals(features, NO_FEATURES);
  });
}

Deno.test("the headers and wishes of several features add up", () => {
  const { headers, keepsText } = startFeatures([
    doing({ headers: { "x-one": "1", "x-both": "first" }, keepsText: 20 }),
    doing({}),
    doing({ headers: { "x-two": "2", "x-both": "last" }, keepsText: 10 }),
  ]);
  assertEquals(headers, { "x-one": "1", "x-both": "last", "x-two": "2" });
  assertEquals(keepsText, 20);
});

Deno.test("a request passes the list in its order, an answer in reverse", async () => {
  const log: string[] = [];
  const logging = (name: string, wait: boolean): PlannedFeature => {
    const note = <Value>(what: string, value: Value): Value => {
      log.push(`${what} ${name}`);
      return value;
    };
    const chat: ChatFeature = {
      request: { ...CHAT, user: name },
      call: (call) => note("call", call),
      completion: (body) => note("completion", body),
      decoder: (decoder) => note("decoder", decoder),
    };
    return doing({
      chat: ({ user }) => {
        log.push(`chat ${name} after ${user}`);
        return wait ? Promise.resolve(chat) : chat;
      },
      native: {
        request: ({ body }) => note("native", { ...body, [name]: 1 }),
        answers: (answers) => note("answers", answers),
      },
    });
  };
  const list = [logging("a", false), logging("b", true), logging("c", false)];
  const features = startFeatures(list);
  const chat = await features.readChat(CHAT);
  chat.call(TARGET_CALL);
  chat.completion(BODY, TARGET_CALL);
  chat.decoder(DECODER, TARGET_CALL);
  const { body } = features.nativeCall(NATIVE_CALL);
  features.nativeAnswers(ANSWERS, NATIVE_CALL);
  assertEquals(body, { ...CHAT, a: 1, b: 1, c: 1 });
  assertEquals(chat.request.user, "c");
  assertEquals(log, [
    ...["chat a after undefined", "chat b after a", "chat c after b"],
    ...["call a", "call b", "call c"],
    ...["completion c", "completion b", "completion a"],
    ...["decoder c", "decoder b", "decoder a"],
    ...["native a", "native b", "native c"],
    ...["answers c", "answers b", "answers a"],
  ]);
});

/** The caller formats, with a request in each. */
const FORMATS = [
  { path: "/v1/chat/completions", ask: { messages: [{ role: "user", content: "Hi" }] } },
  { path: "/v1/messages", ask: { messages: [{ role: "user", content: "Hi" }], max_tokens: 9 } },
  { path: "/v1/responses", ask: { input: "Hi", store: false } },
] as const;

const DIALECT = { kind: "openai_compatible", base_url: "http://vendor.test/v1", models: ["m"] };
const ANTHROPIC = { kind: "anthropic", api_key: "sk-vendor", models: ["m"] };
const OPENAI = { kind: "openai", api: "responses", api_key: "sk-vendor", models: ["m"] };

interface World {
  readonly vendor: ScriptedVendor;
  readonly gateway: TestGateway;
  readonly ended: EndedAnswer[];
  /** The requests that the feature was called with, without the body. */
  readonly seen: JsonObject[];
}

function createWorld(
  feature: RequestFeature,
  provider: JsonObject = DIALECT,
  vendor: ScriptedVendor = new ScriptedVendor(),
): World {
  const ended: EndedAnswer[] = [];
  const seen: JsonObject[] = [];
  const start = ({ api: { format }, stream, key, owner }: CallerRequest): RequestFeature => {
    seen.push({ format, stream, key, owner });
    return { ...feature, end: (answer) => ended.push(answer) };
  };
  const features = [{ name: "double", plan: () => ({ start }) }];
  const config = { providers: { p: provider } };
  const gateway = createTestGateway({ config, fetch: vendor.fetch, features });
  return { vendor, gateway, ended, seen };
}

const COMPLETION: CompletionBody = {
  choices: [{
    index: 0,
    message: {
      role: "assistant",
      content: "From the cache.",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    finish_reason: "tool_calls",
  }],
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
};
const PIECES: readonly ChunkBody[] = [
  { choices: [{ index: 0, delta: { content: "From the " } }] },
  { choices: [{ index: 0, delta: { content: "cache." } }] },
  {
    choices: [{
      index: 0,
      delta: {
        tool_calls: [{ index: 0, id: "call_1", function: { name: "look", arguments: "{}" } }],
      },
    }],
  },
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
];

/** What a client of a format reads in an answer: text, the name of the tool, and the ID. */
function read(path: string, stream: boolean, text: string) {
  const events = stream
    ? [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => JSON.parse(data ?? ""))
    : [JSON.parse(text)];
  const parts = JSON.stringify(events);
  if (path === "/v1/chat/completions") {
    const messages = events.flatMap(({ choices }) =>
      choices.map((choice: JsonObject) => choice.delta ?? choice.message)
    );
    return {
      text: messages.map(({ content }) => content ?? "").join(""),
      calls: parts.includes('"name":"look"'),
      isWhole: !stream || text.endsWith("data: [DONE]\n\n"),
      id: events[0].id,
    };
  }
  if (path === "/v1/messages") {
    return {
      text: stream
        ? events.map(({ delta }) => delta?.text ?? "").join("")
        : events[0].content[0].text,
      calls: parts.includes('"type":"tool_use"') && parts.includes('"name":"look"'),
      isWhole: !stream || events.at(-1).type === "message_stop",
      id: (events[0].message ?? events[0]).id,
    };
  }
  const response = stream ? events.at(-1).response : events[0];
  const [message, call] = response.output;
  return {
    text: message.content[0].text,
    calls: call.type === "function_call" && call.name === "look",
    isWhole: response.status === "completed",
    id: response.id,
  };
}

const READY: readonly (readonly [string, boolean, ReadyAnswer["content"]])[] = [
  ["a completion", false, { type: "completion", completion: COMPLETION }],
  ["a completion", true, { type: "completion", completion: COMPLETION }],
  ["chunks", true, { type: "chunks", chunks: PIECES }],
];

for (const { path, ask } of FORMATS) {
  for (const provider of [DIALECT, ANTHROPIC, OPENAI]) {
    for (const [what, stream, content] of READY) {
      const how = stream ? "as a stream" : "as a whole";
      Deno.test(`${what} of a feature is written ${how} for ${path} (${provider.kind})`, async () => {
        const asked: (readonly TargetName[])[] = [];
        const answer = (targets: readonly TargetName[]): ReadyAnswer => {
          asked.push(targets);
          return { content, headers: { "x-sluice-cache": "hit" } };
        };
        const { vendor, gateway, ended, seen } = createWorld({ ready: answer }, provider);
        const response = await gateway.call(path, { model: "m", stream, ...ask });
        assertEquals(response.status, 200);
        const text = await response.text();
        const { id, ...rest } = read(path, stream, text);
        assertEquals(rest, { text: "From the cache.", calls: true, isWhole: true });
        assert(/^(chatcmpl-|msg_|resp_)/.test(id), id);
        assertEquals(response.headers.get("x-sluice-cache"), "hit");
        assertEquals(response.headers.get("x-sluice-provider"), null);
        assertEquals(vendor.sent, []);
        assertEquals(asked, [[{ provider: "p", model: "m" }]]);
        assertEquals(ended, [{ complete: true, target: undefined, usage: undefined }]);
        const format = path.slice("/v1/".length).replace("/", "_");
        assertEquals(seen, [{ format, stream, key: "test", owner: "test" }]);
        const [line] = gateway.lines;
        assertEquals([line?.status, line?.attempts, line?.prompt_tokens], [
          200,
          undefined,
          undefined,
        ]);
      });
    }
  }

  for (const stream of [false, true]) {
    Deno.test(`a written answer is passed unchanged for ${path}, stream ${stream}`, async () => {
      const text = stream ? "data: {}\n\ndata: [DONE]\n\n" : '{"a":1}';
      const answer = () => Promise.resolve({ content: { type: "written", text } } as const);
      const { vendor, gateway, ended } = createWorld({ ready: answer });
      const response = await gateway.call(path, { model: "m", stream, ...ask });
      assertEquals(await response.text(), text);
      assertEquals([vendor.sent.length, ended.length], [0, 1]);
    });

    Deno.test(`a target answers ${path} if no feature does, stream ${stream}`, async () => {
      const { vendor, gateway, ended } = createWorld({ ready: () => undefined });
      const response = await gateway.call(path, { model: "m", stream, ...ask });
      const text = await response.text();
      assert(text.includes("Hello."), text);
      assertEquals(vendor.sent.length, 1);
      const [answer, ...others] = ended;
      assertEquals([answer?.complete, answer?.target, answer?.usage?.completion_tokens, others], [
        true,
        { provider: "p", model: "m" },
        4,
        [],
      ]);
    });
  }

  Deno.test(`a feature learns that no target has answered ${path}`, async () => {
    const { gateway, ended } = createWorld({}, DIALECT, failing(500, { error: {} }));
    assert((await gateway.call(path, { model: "m", ...ask })).status >= 500);
    assertEquals(ended, [{ complete: false, target: undefined, usage: undefined }]);
  });

  Deno.test(`a ready answer that is not complete is an error of the gateway, ${path}`, async () => {
    const content = { type: "chunks", chunks: PIECES.slice(0, 2) } as const;
    const { gateway } = createWorld({ ready: () => ({ content }) });
    const response = await gateway.call(path, { model: "m", stream: true, ...ask });
    await response.text();
    assertEquals(response.status, 500);
  });
}

/** Many events of the same form, from which the template cache learns. */
const MANY = [
  CHUNKS[0],
  ...Array.from({ length: 40 }, (_, index) => ({
    ...CHUNKS[1],
    choices: [{ index: 0, delta: { content: `word${index} ` }, finish_reason: null }],
  })),
  ...CHUNKS.slice(2),
  "[DONE]",
];

/** An answer whose text passes unchanged. */
const PASSABLE = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{
    index: 0,
    message: { role: "assistant", content: "Hello.", refusal: null },
    logprobs: null,
    finish_reason: "stop",
  }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

for (const seesContent of [false, true]) {
  Deno.test(`seesContent: ${seesContent} decides whether templates convert events`, async () => {
    let pushed = 0;
    const decoder = (inner: StreamDecoder): StreamDecoder => ({
      push(frame) {
        pushed++;
        return inner.push(frame);
      },
      end: () => inner.end(),
    });
    const vendor = new ScriptedVendor(() => toEventStream(MANY));
    const chat = (request: ChatRequest) => ({ request, decoder });
    const { gateway } = createWorld({ seesContent, chat }, DIALECT, vendor);
    const response = await gateway.call("/v1/chat/completions", { ...CHAT, stream: true });
    const { text } = read("/v1/chat/completions", true, await response.text());
    assert(text.endsWith("word38 word39 "));
    assertEquals(pushed >= 40, seesContent);
  });

  Deno.test(`seesContent: ${seesContent} decides whether the text of an answer passes`, async () => {
    const completion = (body: CompletionBody) => ({ ...body, seen: true });
    const chat = (request: ChatRequest) => ({ request, completion });
    const vendor = new ScriptedVendor(() => Response.json(PASSABLE));
    const { gateway } = createWorld({ seesContent, chat }, DIALECT, vendor);
    const response = await gateway.call("/v1/chat/completions", CHAT);
    assertEquals((await response.json()).seen, seesContent ? true : undefined);
  });

  for (
    const { path, ask, provider } of [
      { ...FORMATS[1], provider: ANTHROPIC },
      { ...FORMATS[2], provider: OPENAI },
    ]
  ) {
    Deno.test(`seesContent: ${seesContent} decides whether ${path} is native`, async () => {
      let conversions = 0;
      const chat = (request: ChatRequest) => {
        conversions++;
        return { request };
      };
      const { gateway } = createWorld({ seesContent, chat }, provider);
      const response = await gateway.call(path, { model: "m", ...ask });
      assert((await response.text()).includes("Hello."));
      assertEquals(conversions, seesContent ? 1 : 0);
    });
  }
}

Deno.test("a feature that reads native answers sees every event of the native API", async () => {
  const events: (string | undefined)[] = [];
  const { gateway } = createWorld({
    seesContent: true,
    native: {
      request: ({ body }) => ({ ...body, marked: true }),
      answers: (answers) => ({
        ...answers,
        createReader() {
          const reader = answers.createReader();
          return new Proxy(reader, {
            get(target, name) {
              if (name === "skip") return undefined;
              const value = Reflect.get(target, name, target);
              if (name !== "push") return typeof value === "function" ? value.bind(target) : value;
              return (frame: Parameters<typeof reader.push>[0]) => {
                events.push(frame.event);
                return reader.push(frame);
              };
            },
          });
        },
      }),
    },
  }, ANTHROPIC);
  const { path, ask } = FORMATS[1];
  const response = await gateway.call(path, { model: "m", stream: true, ...ask });
  assertEquals(read(path, true, await response.text()).text, "Hello.");
  assertEquals(events.at(0), "message_start");
  assert(events.includes("content_block_delta"));
});

Deno.test("a call and a native body are changed for the target", async () => {
  const feature: RequestFeature = {
    chat: (request) => ({
      request,
      call: ({ adapter, call }) => ({
        adapter,
        call: { ...call, fields: { ...call.fields, marked: true } },
      }),
    }),
    native: { request: ({ body }) => ({ ...body, marked: true }) },
  };
  for (const [format, provider] of [[0, DIALECT], [1, ANTHROPIC], [2, OPENAI]] as const) {
    const { path, ask } = FORMATS[format];
    const { gateway, vendor } = createWorld(feature, provider);
    await (await gateway.call(path, { model: "m", ...ask })).text();
    assertEquals(vendor.body.marked, true, path);
    const explained = await gateway.call(path, { model: "m", ...ask }, {
      "x-sluice-explain": "true",
    });
    assertEquals((await explained.json()).targets[0].request.body.marked, true, path);
  }
});

/** The caller formats with an output limit of 400 tokens in each. */
const LIMITED: readonly (readonly [path: string, ask: JsonObject])[] = [
  ["/v1/chat/completions", { messages: CHAT.messages, max_tokens: 400 }],
  ["/v1/completions", { prompt: "Hi", max_tokens: 400 }],
  ["/v1/messages", { messages: CHAT.messages, max_tokens: 400 }],
  ["/v1/responses", { input: "Hi", max_output_tokens: 400 }],
  ["/v1beta/models/m:generateContent", {
    contents: [{ parts: [{ text: "Hi" }] }],
    generationConfig: { maxOutputTokens: 400 },
  }],
  ["/api/chat", { messages: CHAT.messages, stream: false, options: { num_predict: 400 } }],
];

for (const [path, ask] of LIMITED) {
  Deno.test(`the output that a feature allows is what is reserved for ${path}`, async () => {
    const request = (body: JsonObject) => JSON.parse(JSON.stringify(body).replace("400", "8"));
    const statusesWith = async (feature: RequestFeature) => {
      const gateway = createTestGateway({
        config: {
          server: {
            keys: [{ name: "test", key: SERVICE_KEY, limits: { tokens_per_minute: 100 } }],
          },
          providers: { p: DIALECT },
        },
        fetch: new ScriptedVendor().fetch,
        features: [{ name: "double", plan: () => doing(feature) }],
      });
      const both = [1, 2].map(() => gateway.call(path, { model: "m", ...ask }));
      return (await Promise.all(both)).map(({ status }) => status);
    };
    assertEquals(await statusesWith({}), [200, 429]);
    assertEquals(await statusesWith({ request }), [200, 200]);
  });
}

Deno.test("a client that disconnects ends the answer once, as not complete", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const vendor = new ScriptedVendor(() =>
    new Response(
      new ReadableStream({
        async start(controller) {
          const bytes = await toEventStream(CHUNKS.slice(0, 2)).bytes();
          controller.enqueue(bytes);
        },
        cancel: () => resolve(),
      }),
      { headers: { "content-type": "text/event-stream" } },
    )
  );
  const { gateway, ended } = createWorld({}, DIALECT, vendor);
  const response = await gateway.call("/v1/chat/completions", { ...CHAT, stream: true });
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await promise;
  assertEquals(ended.map(({ complete }) => complete), [false]);
});
