/** Numbers of callers and vendors pass through the gateway as they were written. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { sentText } from "../support/sent_text.ts";
import { parsePassed } from "../../src/core/json/reader.ts";

const NUMBERS =
  "[9007199254740993,-9007199254740993,1e999,-0,-0.0,1.0,1E5,0.0000001,0.1000000000000000055511151231257827]";
const INPUT = `{"n":${NUMBERS},"one":1.0}`;
const INPUT_TEXT = JSON.stringify(INPUT);
const SCHEMA =
  `{"type":"object","properties":{"n":{"type":"array","items":{"type":"number","minimum":-0.0,"maximum":1e999},"default":${NUMBERS}}}}`;
const DEFAULT = `"default":${NUMBERS}`;
const MAXIMUM = `"maximum":1e999`;

const MODELS = {
  anthropic: "claude-opus-4-5",
  bedrock: "us.amazon.nova-pro-v1:0",
  cohere: "command-a-03-2025",
  gemini: "gemini-2.5-flash",
  mistral: "mistral-large-latest",
  ollama: "llama3.2",
  openai: "gpt-5",
} as const;
type Kind = keyof typeof MODELS;

const PATHS = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
} as const;
type Format = keyof typeof PATHS;

/** With several keys, the IDs of containers are marked in answers, which are written again. */
const KEYS = [
  { name: "one", key: SERVICE_KEY },
  { name: "two", key: "sk-test-another-service-key" },
];

interface Exchange {
  readonly sent: string;
  readonly answer: string;
}

/** Sends a request as text; the vendor gives this answer, or the format's own. */
async function exchange(
  kind: Kind,
  format: Format,
  members: string,
  answer = '{"error":{"message":"no"}}',
  contentType = "application/json",
): Promise<Exchange> {
  let sent = "";
  const api = kind === "openai" && { api: format === "responses" ? "responses" : "chat" };
  const region = kind === "bedrock" && { region: "us-east-1", base_url: "http://bedrock.test" };
  const { [kind]: model } = MODELS;
  const gateway = createTestGateway({
    config: {
      server: { keys: KEYS },
      providers: { p: { kind, api_key: VENDOR_KEY, models: [model], ...api, ...region } },
    },
    fetch: (_, { body }) => {
      sent = sentText(body);
      const status = answer.startsWith('{"error"') ? 400 : 200;
      return Promise.resolve(
        new Response(answer, { status, headers: { "content-type": contentType } }),
      );
    },
  });
  const body = parsePassed(`{"model":${JSON.stringify(model)},${members}}`);
  const response = await gateway.call(PATHS[format], body);
  return { sent, answer: await response.text() };
}

const CHAT_REQUEST =
  `"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${INPUT_TEXT}}}]},{"role":"tool","tool_call_id":"c1","content":"1.0"}],"tools":[{"type":"function","function":{"name":"f","parameters":${SCHEMA}}}]`;
const MESSAGES_REQUEST =
  `"max_tokens":100,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${INPUT}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"1.0"}]}],"tools":[{"name":"f","input_schema":${SCHEMA}}]`;
const RESPONSES_REQUEST =
  `"store":false,"input":[{"role":"user","content":"Hi"},{"type":"function_call","call_id":"c1","name":"f","arguments":${INPUT_TEXT}},{"type":"function_call_output","call_id":"c1","output":"1.0"}],"tools":[{"type":"function","name":"f","parameters":${SCHEMA}}]`;

const REQUESTS: Readonly<Record<Format, string>> = {
  chat: CHAT_REQUEST,
  messages: MESSAGES_REQUEST,
  responses: RESPONSES_REQUEST,
};

/** What vendors get: the input as an object, or as text. */
const REQUEST_CASES: readonly (readonly [Format, Kind, string])[] = [
  ["chat", "openai", INPUT_TEXT],
  ["chat", "mistral", INPUT_TEXT],
  ["chat", "anthropic", `"input":${INPUT}`],
  ["chat", "gemini", `"args":${INPUT}`],
  ["chat", "ollama", `"arguments":${INPUT}`],
  ["chat", "bedrock", `"input":${INPUT}`],
  ["messages", "anthropic", `"input":${INPUT}`],
  ["messages", "openai", INPUT_TEXT],
  ["messages", "gemini", `"args":${INPUT}`],
  ["responses", "openai", INPUT_TEXT],
  ["responses", "anthropic", `"input":${INPUT}`],
];

for (const [format, kind, input] of REQUEST_CASES) {
  Deno.test(`numbers of a ${format} request reach ${kind} as they were written`, async () => {
    for (const stream of ["", ',"stream":true']) {
      const { sent } = await exchange(kind, format, REQUESTS[format] + stream);
      assertStringIncludes(sent, input);
      assertStringIncludes(sent, DEFAULT);
      assertStringIncludes(sent, MAXIMUM);
    }
  });
}

const LARGE: readonly (readonly [string, number])[] = [
  ["that is parsed in slices", 100_000],
  ["that is parsed while it arrives", 17 * 1024 * 1024],
];
for (const [size, length] of LARGE) {
  Deno.test(`numbers of a request ${size} stay as they were written`, async () => {
    const metadata = `,"metadata":{"note":"${"x".repeat(length)}"}`;
    const request = MESSAGES_REQUEST + metadata;
    const { sent } = await exchange("anthropic", "messages", request);
    assertEquals(sent.includes(`"input":${INPUT}`), true);
    assertEquals(sent.includes(DEFAULT), true);
  });
}

Deno.test("a number at any position of a long request keeps its text", async () => {
  const anthropic = async (padding: number) => {
    const metadata = `"metadata":{"note":"${"x".repeat(padding)}","n":9007199254740993}`;
    const { sent } = await exchange(
      "anthropic",
      "messages",
      `"max_tokens":9,"messages":[{"role":"user","content":"Hi"}],${metadata}`,
    );
    return sent.includes('"n":9007199254740993');
  };
  for (let before = 100; before < 190; before++) {
    assertEquals(await anthropic(64 * 1024 - before), true, `${before}`);
  }
});

Deno.test("settings of a request stay numbers", async () => {
  const settings = '"temperature":1.0,"max_tokens":1e2';
  const { sent } = await exchange("gemini", "chat", `${settings},${CHAT_REQUEST}`);
  assertStringIncludes(sent, '"temperature":1,');
  assertStringIncludes(sent, '"maxOutputTokens":100');
});

const USAGE = '"usage":{"input_tokens":3.0,"output_tokens":4}';
const TOOL_USE = `{"type":"tool_use","id":"t1","name":"f","input":${INPUT}}`;
const CONTAINER = '"container":{"id":"container_A1","expires_at":"2026-12-01T00:00:00Z"}';
const MESSAGE =
  `{"id":"m1","type":"message","role":"assistant","model":"m","content":[${TOOL_USE}],"stop_reason":"tool_use",${CONTAINER},${USAGE}}`;
const MESSAGE_STREAM = toEvents([
  `{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],${USAGE}}}`,
  `{"type":"content_block_start","index":0,"content_block":${TOOL_USE}}`,
  '{"type":"content_block_stop","index":0}',
  '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":4}}',
  '{"type":"message_stop"}',
]);

function candidates(end: string): string {
  return `{"candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${INPUT}}}]}${end}}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4.0}}`;
}
const CANDIDATES = candidates(',"finishReason":"STOP"');
const OLLAMA =
  `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":${INPUT}}}]},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":4}`;
const CONVERSED =
  `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"f","input":${INPUT}}}]}},"stopReason":"tool_use","usage":{"inputTokens":3,"outputTokens":4.0}}`;
const COMPLETION =
  `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":${INPUT_TEXT}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`;
const SHELL =
  `{"type":"shell_call","id":"s1","call_id":"c2","action":{"commands":["ls"],"timeout_ms":1.0,"all":${NUMBERS}}}`;
const FUNCTION_CALL =
  `{"type":"function_call","id":"fc1","call_id":"c1","name":"f","arguments":${INPUT_TEXT},"status":"completed"}`;
function response(status: string, output: string): string {
  return `{"id":"r1","object":"response","created_at":1,"model":"m","status":"${status}","output":[${output}],"tools":[{"type":"function","name":"f","parameters":${SCHEMA}}],"usage":{"input_tokens":3,"output_tokens":4.0}}`;
}
const RESPONSE = response("completed", `${SHELL},${FUNCTION_CALL}`);
const RESPONSE_STREAM = toEvents([
  `{"type":"response.created","sequence_number":0,"response":${response("in_progress", "")}}`,
  `{"type":"response.output_item.done","sequence_number":1,"output_index":0,"item":${SHELL}}`,
  `{"type":"response.completed","sequence_number":2,"response":${RESPONSE}}`,
]);

function toEvents(events: readonly string[]): string {
  return events.map((data) => {
    const type = /^\{"type":"([^"]+)"/.exec(data)?.[1];
    return `${type === undefined ? "" : `event: ${type}\n`}data: ${data}\n\n`;
  }).join("");
}

const JSON_TYPE = "application/json";
const SSE = "text/event-stream";
const AS_TEXT = INPUT_TEXT.slice(1, -1);

/** What callers get for a vendor's answer: the input as text, or as an object. */
const ANSWER_CASES: readonly (readonly [Format, Kind, string, string, readonly string[]])[] = [
  ["chat", "anthropic", MESSAGE, JSON_TYPE, [INPUT_TEXT]],
  ["chat", "anthropic", MESSAGE_STREAM, SSE, [AS_TEXT]],
  ["chat", "gemini", CANDIDATES, JSON_TYPE, [INPUT_TEXT]],
  ["chat", "gemini", toEvents([CANDIDATES]), SSE, [AS_TEXT]],
  ["chat", "ollama", OLLAMA, JSON_TYPE, [INPUT_TEXT]],
  ["chat", "ollama", `${OLLAMA}\n`, "application/x-ndjson", [AS_TEXT]],
  ["chat", "bedrock", CONVERSED, JSON_TYPE, [INPUT_TEXT]],
  ["chat", "openai", COMPLETION, JSON_TYPE, [INPUT_TEXT]],
  ["messages", "anthropic", MESSAGE, JSON_TYPE, [`"input":${INPUT}`]],
  ["messages", "anthropic", MESSAGE_STREAM, SSE, [`"input":${INPUT}`]],
  ["messages", "openai", COMPLETION, JSON_TYPE, [`"input":${INPUT}`]],
  ["messages", "gemini", CANDIDATES, JSON_TYPE, [`"input":${INPUT}`]],
  ["messages", "gemini", toEvents([CANDIDATES]), SSE, [AS_TEXT]],
  ["responses", "openai", RESPONSE, JSON_TYPE, [`"all":${NUMBERS}`, DEFAULT, INPUT_TEXT]],
  ["responses", "openai", RESPONSE_STREAM, SSE, [`"all":${NUMBERS}`, DEFAULT, INPUT_TEXT]],
  ["responses", "anthropic", MESSAGE, JSON_TYPE, [INPUT_TEXT]],
  ["responses", "anthropic", MESSAGE_STREAM, SSE, [AS_TEXT]],
];

for (const [format, kind, text, contentType, expected] of ANSWER_CASES) {
  const as = contentType === JSON_TYPE ? "an answer" : "a stream";
  Deno.test(`numbers of ${as} of ${kind} reach a ${format} caller as written`, async () => {
    const stream = contentType === JSON_TYPE ? "" : ',"stream":true';
    const { answer } = await exchange(kind, format, REQUESTS[format] + stream, text, contentType);
    for (const part of expected) assertStringIncludes(answer, part);
  });
}

Deno.test("numbers of a long answer stay as they were written", async () => {
  const long = MESSAGE.replace(
    '"content":[',
    `"content":[{"type":"text","text":"${"x".repeat(300_000)}"},`,
  );
  const { answer } = await exchange("anthropic", "chat", CHAT_REQUEST, long);
  assertEquals(answer.includes(INPUT_TEXT), true);
});

Deno.test("numbers of a message with a marked container stay as they were written", async () => {
  const tools = '"tools":[{"type":"code_execution_20250825","name":"code_execution"}]';
  const request = `"max_tokens":100,"messages":[{"role":"user","content":"Hi"}],${tools}`;
  const { answer } = await exchange("anthropic", "messages", request, MESSAGE);
  assertStringIncludes(answer, `"input":${INPUT}`);
  assertEquals(answer.includes('"id":"container_A1"'), false);
  const { answer: stream } = await exchange(
    "anthropic",
    "messages",
    `${request},"stream":true`,
    MESSAGE_STREAM.replace('"content":[],', `"content":[${TOOL_USE}],${CONTAINER},`),
    SSE,
  );
  assertStringIncludes(stream, `"content":[${TOOL_USE}]`);
  assertEquals(stream.includes('"id":"container_A1"'), false);
});

/** Numbers that a double does not hold, or that JavaScript writes in another way. */
const UNKNOWN = ["9007199254740993", "1e999", "-0", "0.1000000000000000055511151231257827", "2.50"];

/** JSON with a number in an unknown member of each object, and in a list. */
function planted(text: string, number: string): string {
  // Strings stay as they are.
  return text.replaceAll(
    /"(?:[^"\\]|\\.)*"|\{(?!\})/g,
    (found) => found === "{" ? `{"zz_n":${number},"zz_l":[${number}],` : found,
  );
}

/** The numbers that are planted in a text; of those in a member and a list, the one that changed. */
function numbersIn(text: string): string[] {
  const found = text.matchAll(/"zz_n":([^,]*),"zz_l":\[([^\]]*)\]/g);
  return [...found].map(([, one = "", other]) => one === other ? one : `${one}, ${other}`);
}

const count = (text: string) => numbersIn(text).length;

const GEMINI_REQUEST =
  `{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":${INPUT}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":${INPUT}}}]}],"generationConfig":{"temperature":1.0}}`;
const TEXT_COMPLETION =
  `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"x","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`;
const CHAT_STREAM =
  `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"x"},"finish_reason":null}]}\n\ndata: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

interface NativeCase {
  readonly kind: Kind;
  readonly path: string;
  readonly api?: string;
  readonly request: string;
  readonly answer: string;
  readonly stream: string;
}

const NATIVE: Readonly<Record<string, NativeCase>> = {
  chat: {
    kind: "openai",
    path: PATHS.chat,
    api: "chat",
    request: `{"model":"gpt-5",${CHAT_REQUEST}}`,
    answer: TEXT_COMPLETION,
    stream: CHAT_STREAM,
  },
  messages: {
    kind: "anthropic",
    path: PATHS.messages,
    request: `{"model":"claude-opus-4-5",${MESSAGES_REQUEST}}`,
    answer: MESSAGE,
    stream: MESSAGE_STREAM,
  },
  responses: {
    kind: "openai",
    path: PATHS.responses,
    api: "responses",
    request: `{"model":"gpt-5",${RESPONSES_REQUEST}}`,
    answer: RESPONSE,
    stream: RESPONSE_STREAM,
  },
  gemini: {
    kind: "gemini",
    path: "/v1beta/models/gemini-2.5-flash:",
    request: GEMINI_REQUEST,
    answer: CANDIDATES,
    stream: toEvents([CANDIDATES]),
  },
};

for (const [format, { kind, path, api, ...texts }] of Object.entries(NATIVE)) {
  for (const number of UNKNOWN) {
    for (const type of ["answer", "stream"] as const) {
      Deno.test(`${number} passes in unknown members of a ${format} request and its ${type}`, async () => {
        let sent = "";
        const isStream = type === "stream";
        const answer = isStream
          ? texts.stream.replaceAll(
            /^data: (\{.*)$/gm,
            (_, data) => `data: ${planted(data, number)}`,
          )
          : planted(texts.answer, number);
        const provider = { kind, api_key: VENDOR_KEY, models: [MODELS[kind]], ...(api && { api }) };
        const gateway = createTestGateway({
          config: { server: { keys: KEYS }, providers: { p: provider } },
          fetch: (_, { body }) => {
            sent = sentText(body);
            const headers = { "content-type": isStream ? SSE : JSON_TYPE };
            return Promise.resolve(new Response(answer, { headers }));
          },
        });
        const request = planted(texts.request, number);
        const method = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
        const response = await gateway.call(
          path.endsWith(":") ? `${path}${method}` : path,
          isStream && format !== "gemini" ? `${request.slice(0, -1)},"stream":true}` : request,
        );
        const received = await response.text();
        // Unknown members of chat messages are dropped: few vendors take them.
        const expected = count(request) - (format === "chat" ? 4 : 0);
        assertEquals(numbersIn(sent), Array(expected).fill(number));
        // A stream of chat chunks begins with an event for the role.
        const added = format === "chat" && isStream ? 1 : 0;
        assertEquals(numbersIn(received), Array(count(answer) + added).fill(number));
        assertEquals(gateway.bugs, []);
      });
    }
  }
}

/** Keywords of JSON Schema, with a value that may be in a wrong place. */
const KEYWORDS = [
  ..."type format pattern $ref items properties required description minItems title default".split(
    " ",
  ),
  ..."minimum multipleOf const additionalProperties anyOf allOf $defs minLength".split(" "),
];

for (const kind of Object.keys(MODELS) as Kind[]) {
  Deno.test(`${kind} gets the same schemas for 1.0 as for 1`, async () => {
    for (const keyword of [...KEYWORDS, "enum"]) {
      const schemaOf = (number: string) => {
        const value = keyword === "enum" ? `[${number}]` : number;
        const member = `{"type":"number","${keyword}":${value}}`;
        return `{"type":"object","properties":{"a":${member}},"required":["a"],"additionalProperties":false}`;
      };
      const sentFor = async (number: string) => {
        const format =
          `"response_format":{"type":"json_schema","json_schema":{"name":"f","strict":true,"schema":${
            schemaOf(number)
          }}}`;
        const tools = `"tools":[{"type":"function","function":{"name":"f","parameters":${
          schemaOf(number)
        }}}]`;
        const ask = '"messages":[{"role":"user","content":"Hi"}]';
        const { sent: formatted } = await exchange(kind, "chat", `${ask},${format}`);
        const { sent: called } = await exchange(kind, "chat", `${ask},${tools}`);
        // Text for the model shows the number as it was written.
        return [formatted, called].map((sent) => JSON.parse(sent.replaceAll("1.0", "1")));
      };
      assertEquals(await sentFor("1.0"), await sentFor("1"), keyword);
    }
  });
}
