/** The modules of the console's page that need no browser. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { EventReader } from "../../src/console/assets/lib/sse.js";
import { pricesOf, purposeOf } from "../../src/console/assets/lib/models.js";
import { parseJson } from "../../src/console/assets/lib/json_text.js";
import { AnswerFold } from "../../src/console/assets/views/playground/answer_fold.js";
import { faultOfImage, typeOfBytes } from "../../src/console/assets/views/playground/images.js";
import {
  EXAMPLE_TOOLS,
  formatOf,
  MAIN_PARAMETERS,
  MORE_PARAMETERS,
  readParameters,
  readTools,
  RESPONSE_FORMATS,
} from "../../src/console/assets/views/playground/parameters.js";
import {
  ownTexts,
  readSettings,
  settingsOf,
  toBody,
  toMessages,
} from "../../src/console/assets/views/playground/request_body.js";

const UNTOUCHED = { parameters: {}, tools: "", stream: false, streamUsage: false };

function readAll(bytes: Uint8Array, size: number): { name: string; data: string }[] {
  const reader = new EventReader();
  const events = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const event of reader.push(bytes.subarray(at, at + size))) events.push(event);
  }
  return events;
}

Deno.test("EventReader returns the same events for every cut of the bytes", () => {
  const text = "\uFEFF: keep-alive\n\ndata: grüße 👋\n\nevent: state\r\ndata: one\r\ndata:two\r\n" +
    "data\r\n\r\ndata: carriage\r\rid: 7\n\nretry: 5\ndata:  indented\n\n\n\ndata: unfinished";
  const events = [
    { name: "message", data: "grüße 👋" },
    { name: "state", data: "one\ntwo\n" },
    { name: "message", data: "carriage" },
    { name: "message", data: " indented" },
  ];
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size <= bytes.length; size++) assertEquals(readAll(bytes, size), events);
});

Deno.test("EventReader reads one long line and many short ones in linear time", () => {
  const encoder = new TextEncoder();
  const long = encoder.encode(`data: ${"x".repeat(4_000_000)}\n\n`);
  assertEquals(readAll(long, 1000)[0]?.data.length, 4_000_000);
  assertEquals(readAll(encoder.encode("data: x\n\n".repeat(300_000)), 1 << 24).length, 300_000);
});

/** What the engine says about a text that is not JSON. */
function faultOf(text: string): string {
  try {
    JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof Error) return thrown.message;
  }
  throw new TypeError(`This is JSON: ${text}`);
}

Deno.test("parseJson() says where the fault is", () => {
  const read = parseJson('{\n  "a": 1,\n}');
  assertMatch("error" in read ? read.error : "", /^Not valid JSON: .*line 3 column 1/);
  assertEquals(parseJson(' {"a": [1, null, "b"]} '), { value: { a: [1, null, "b"] } });
  assert("error" in parseJson("[".repeat(200_000)));
});

Deno.test("a parameter that nobody touched is not sent", () => {
  assertEquals(readSettings(UNTOUCHED).members, {});
  const blank = Object.fromEntries(
    [...MAIN_PARAMETERS, ...MORE_PARAMETERS].map(({ name }) => [name, " "]),
  );
  assertEquals(readSettings({ ...UNTOUCHED, parameters: blank, tools: "\n" }).members, {});
  assertEquals(readSettings({ ...UNTOUCHED, stream: true }).members, { stream: true });
});

Deno.test("the settings become members of the body and headers", () => {
  const { members, headers, errors } = readSettings({
    parameters: {
      temperature: "0",
      max_tokens: "1e2",
      stop: "END\n\n two ",
      seed: "-7",
      store: "false",
      tool_choice: "get_weather",
      response_format: '{ "type": "json_object" }',
      models: "a\nb",
      other: '{ "top_k": 5 }',
      "x-sluice-strict": "true",
      "x-sluice-tags": " a, b ",
    },
    tools: EXAMPLE_TOOLS,
    stream: true,
    streamUsage: true,
  });
  assertEquals([...errors], []);
  assertEquals(headers, { "x-sluice-strict": "true", "x-sluice-tags": "a, b" });
  assertEquals(members, {
    stream: true,
    stream_options: { include_usage: true, include_cost: true },
    tools: JSON.parse(EXAMPLE_TOOLS),
    temperature: 0,
    max_tokens: 100,
    stop: ["END", " two "],
    seed: -7,
    store: false,
    tool_choice: { type: "function", function: { name: "get_weather" } },
    response_format: { type: "json_object" },
    models: ["a", "b"],
    top_k: 5,
  });
});

Deno.test("values out of the bounds are refused with the bounds", () => {
  for (
    const [name, text, message] of [
      ["temperature", "2.1", "Must be a number from 0 to 2"],
      ["temperature", "-0.1", "Must be a number from 0 to 2"],
      ["temperature", "warm", "Must be a number from 0 to 2"],
      ["temperature", "Infinity", "Must be a number from 0 to 2"],
      ["temperature", "0x1", "Must be a number from 0 to 2"],
      ["top_p", "1.01", "Must be a number from 0 to 1"],
      ["max_tokens", "0", "Must be a whole number of at least 1"],
      ["max_tokens", "1.5", "Must be a whole number of at least 1"],
      ["seed", "9007199254740993", "Must be between -2^53 and 2^53"],
      ["presence_penalty", "3", "Must be a number from -2 to 2"],
      ["metadata", "[]", "Must be a JSON object"],
      ["logit_bias", "{1: 2}", `Not valid JSON: ${faultOf("{1: 2}")}`],
      ["x-sluice-deadline-ms", "0", "Must be a whole number from 1 to 999999999"],
    ] as const
  ) {
    const { values, errors } = readParameters({ [name]: text });
    assertEquals([...errors], [[name, message]]);
    assertEquals(values.size, 0);
  }
  for (const text of ["0", "2", " 1.5 ", ".5", "1."]) {
    assertEquals(readParameters({ temperature: text }).values.get("temperature"), Number(text));
  }
});

Deno.test("readTools() names the tool and what it lacks", () => {
  assertEquals(readTools("[]"), {});
  assertEquals(readTools("{}"), { error: "Must be a JSON list" });
  assertEquals(readTools("[1]"), { error: "Tool 1: must be an object" });
  assertEquals(readTools("[{}]"), { error: "Tool 1: 'type' is missing, such as \"function\"" });
  assertEquals(readTools('[{ "type": "function", "function": {} }]'), {
    error: "Tool 1: 'function.name' is missing",
  });
  assertEquals(readTools('[{ "type": "web_search" }]'), { value: [{ type: "web_search" }] });
});

Deno.test("a conversation becomes messages, with images and answers to tool calls", () => {
  const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
  const step = (message: object | undefined, answers: [string, string][] = []) => ({
    toMessage: () => message,
    toolAnswers: new Map(answers),
  });
  const asked = { role: "assistant", content: null, tool_calls: [call] };
  const messages = toMessages("Be short.", [
    {
      user: { text: "Look", images: [{ url: "data:image/png;base64,AA==" }] },
      steps: [step(asked, [["call_1", "4"]]), step({ role: "assistant", content: "Four." })],
    },
    // A run that failed before it said anything leaves no message.
    { user: { text: "And now?", images: [] }, steps: [step(undefined)] },
  ]);
  assertEquals(messages, [
    { role: "system", content: "Be short." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
      ],
    },
    asked,
    { role: "tool", tool_call_id: "call_1", content: "4" },
    { role: "assistant", content: "Four." },
    { role: "user", content: "And now?" },
  ]);
  assertEquals(toMessages("  ", []), []);
  assertEquals(toBody("m", messages, { seed: 1 }), { model: "m", messages, seed: 1 });
});

Deno.test("AnswerFold joins text, tool calls and reasoning, and reports each piece", () => {
  const pieces: [string, string][] = [];
  const fold = new AnswerFold((part: string, text: string) => void pieces.push([part, text]));
  const delta = (delta: object, finish_reason: string | null = null) =>
    fold.addChunk({ model: "m", choices: [{ index: 0, delta, finish_reason }] });
  delta({ role: "assistant", content: "" });
  delta({ reasoning_content: "think " });
  delta({ reasoning_content: "more", reasoning_details: [{ index: 0, text: "a", format: "x" }] });
  delta({ reasoning_details: [{ index: 0, text: "b", signature: "s" }] });
  delta({ content: "Hel" });
  delta({ content: "lo" });
  fold.addChunk({ choices: [{ index: 1, delta: { content: "another choice" } }] });
  delta({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "f" } }] });
  delta({ tool_calls: [{ index: 0, function: { arguments: '{"a"' }, extra_content: { x: 1 } }] });
  delta({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] });
  delta({}, "tool_calls");
  fold.addChunk({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } });
  assertEquals(fold.toMessage(), {
    role: "assistant",
    content: "Hello",
    tool_calls: [{
      id: "c1",
      type: "function",
      function: { name: "f", arguments: '{"a":1}' },
      extra_content: { x: 1 },
    }],
    reasoning_details: [{ text: "ab", format: "x", signature: "s" }],
  });
  assertEquals(pieces.slice(0, 4), [
    ["reasoning", "think "],
    ["reasoning", "more"],
    ["content", "Hel"],
    ["content", "lo"],
  ]);
  assertEquals([fold.reasoning, fold.finishReason, fold.model], ["think more", "tool_calls", "m"]);
  assertEquals(fold.usage.completion_tokens, 2);
  assertEquals(new AnswerFold().toMessage(), undefined);
});

Deno.test("AnswerFold reads a whole answer", () => {
  const fold = new AnswerFold();
  fold.addCompletion({
    model: "m",
    choices: [{
      index: 0,
      message: { role: "assistant", content: null, refusal: "I cannot do that." },
      finish_reason: "content_filter",
    }],
    usage: null,
  });
  assertEquals([fold.content, fold.refusal, fold.finishReason], [
    "",
    "I cannot do that.",
    "content_filter",
  ]);
  fold.addCompletion({ choices: [] });
});

Deno.test("an image has a type and a size that a request can hold", () => {
  const image = { name: "a.png", type: "image/png", size: 5_000_000 };
  assertEquals(faultOfImage(image, 0), undefined);
  assertEquals(
    faultOfImage({ ...image, type: "image/tiff" }, 0),
    "'a.png' is image/tiff: use PNG, JPEG, WebP or GIF",
  );
  assertEquals(
    faultOfImage({ ...image, size: 10_000_001 }, 0),
    "'a.png' is 10.0 MB: the limit of an image is 10.0 MB",
  );
  assertEquals(
    faultOfImage(image, 16_000_000),
    "'a.png' is too much: the limit of a message's images is 20.0 MB",
  );
});

Deno.test("an image is known by its first bytes, not by its name", () => {
  const type = (text: string) => typeOfBytes(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  assertEquals(type("\x89PNG\r\n\x1a\nrest"), "image/png");
  assertEquals(type("\xff\xd8\xff\xe0"), "image/jpeg");
  assertEquals(type("GIF89a"), "image/gif");
  assertEquals(type("RIFF\x01\x02\x03\x04WEBPVP8 "), "image/webp");
  for (const text of ["", "PNG", "<svg>", "RIFF\x01\x02\x03\x04WAVE", "Just a text"]) {
    assertEquals(type(text), undefined, text);
  }
});

Deno.test("a model's own settings replace those of the page", () => {
  const page = {
    ...{ system: "Be kind", tools: "[1]", stream: true, streamUsage: false },
    parameters: {
      ...{ temperature: "1", top_p: "0.5", max_completion_tokens: "9" },
      ...{ tool_choice: "auto", parallel_tool_calls: "true" },
    },
  };
  assertEquals(settingsOf(page, {}), page);
  const own = {
    ...{ system: "", tools: false as const },
    parameters: { temperature: "0.2", max_tokens: "5", reasoning_effort: " " },
  };
  assertEquals(settingsOf(page, { own }), {
    ...page,
    system: "",
    tools: "",
    parameters: { temperature: "0.2", top_p: "0.5", max_tokens: "5" },
  });
  assertEquals(ownTexts({ own }), [
    ...["own system message", "temperature 0.2", "max_tokens 5", "no tools"],
  ]);
  assertEquals(ownTexts({}), []);
});

Deno.test("a response format is chosen by its type, and stays JSON to edit", () => {
  assertEquals(formatOf(" "), "");
  for (const [type, text] of RESPONSE_FORMATS) {
    assertEquals(formatOf(text), type);
    assertEquals(readParameters({ response_format: text }).errors.size, 0);
  }
  assertEquals(formatOf('{ "type": "json_sch'), "json_schema");
  assertEquals(formatOf('{ "type": "grammar" }'), "json_schema");
});

Deno.test("a price is of tokens, of another unit, or of both", () => {
  const prices = (input: number, output: number, units?: Record<string, number>) =>
    pricesOf({ prices: { input, output, ...(units && { units }) } });
  assertEquals(prices(0.25, 2), "$0.25 in, $2.00 out");
  assertEquals(prices(0, 0), "$0.00 in, $0.00 out");
  assertEquals(prices(0, 0, { images: 0.04 }), "$0.04 per image");
  assertEquals(prices(0, 0, { characters: 0.000015 }), "$15 per million characters");
  assertEquals(prices(0, 0, { seconds: 0.0001 }), "$0.006 per minute");
  assertEquals(
    prices(5, 40, { searches: 0.002 }),
    "$5.00 in, $40.00 out, $2 per 1,000 searches",
  );
  assertEquals(pricesOf({}), undefined);
});

Deno.test("models that do not chat have another purpose", () => {
  assertEquals(purposeOf({}), "chat");
  assertEquals(purposeOf({ capabilities: { tools: true, vision: true } }), "chat");
  assertEquals(purposeOf({ capabilities: { images: true } }), "images");
  assertEquals(purposeOf({ capabilities: { rerank: true, images: false } }), "rerank");
  assertEquals(purposeOf({ dimensions: 512 }), "embeddings");
});
