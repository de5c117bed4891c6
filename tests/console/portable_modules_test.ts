/** The pure modules that write and read a conversation as a file and as a link. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  MAX_LINK_CHARS,
  packLink,
  unpackLink,
} from "../../src/console/assets/views/playground/conversation_link.js";
import { readPortable, toPortable } from "../../src/console/assets/views/playground/portable.js";

const PNG = "data:image/png;base64,iVBORw0KGgo=";

const OWN = { system: "Short", parameters: { temperature: "0.2" }, tools: false };

function state() {
  const call = { id: "call_1", type: "function", function: { name: "get", arguments: "{}" } };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  const run = {
    fold: { toMessage: () => message, reasoning: "Hm." },
    toolAnswers: new Map([["call_1", "21"]]),
    headers: { secret: "not written" },
  };
  const empty = { fold: { toMessage: () => undefined, reasoning: "" }, toolAnswers: new Map() };
  const images = [{ name: "a.png", size: 8, url: PNG }];
  return {
    columns: [{ id: 7, model: "a" }, { id: 9, model: "b", own: OWN }],
    ...{ runCount: 3, api: "responses" },
    ...{ system: "Be kind", parameters: { top_p: "0.5" }, tools: "", stream: true },
    ...{ streamUsage: false, draft: { text: "Next", images: [] }, panel: "chat", notKept: "" },
    selected: run,
    turns: [{ id: 3, user: { text: "Hi", images }, runs: new Map([[9, [run, empty]]]) }],
  };
}

function change(path: readonly (string | number)[], value: unknown): string {
  const whole = JSON.parse(toPortable(state()));
  let at = whole;
  for (const name of path.slice(0, -1)) at = at[name];
  at[path.at(-1) ?? ""] = value;
  return JSON.stringify(whole);
}

Deno.test("a conversation is read as it was written, without its receipts", () => {
  const text = toPortable(state());
  assert(!text.includes("not written"));
  const read = readPortable(text);
  if (read.error !== undefined || read.turns === undefined) throw new Error(read.error);
  assertEquals(read.models, ["a", "b"]);
  assertEquals(read.settings, {
    ...{ system: "Be kind", parameters: { top_p: "0.5" }, tools: "", stream: true },
    ...{ streamUsage: false, runCount: 3, api: "responses" },
  });
  assertEquals(read.own, [undefined, OWN]);
  assertEquals(read.draft, { text: "Next", images: [] });
  const [{ user, answers }] = read.turns as [{ user: unknown; answers: unknown[][] }];
  assertEquals(user, state().turns[0]?.user);
  const message = {
    ...{ role: "assistant", content: null, reasoning_content: "Hm." },
    tool_calls: [{ id: "call_1", type: "function", function: { name: "get", arguments: "{}" } }],
  };
  assertEquals(answers, [[], [{ message, toolAnswers: new Map([["call_1", "21"]]) }]]);
  const settings = readPortable(toPortable(state(), { onlySettings: true }));
  assertEquals(Object.keys(settings), ["models", "own", "settings"]);
  // One of before there were such settings.
  const { own: _, runs: __, api: ___, ...old } = JSON.parse(text);
  const older = readPortable(JSON.stringify(old));
  if (older.error !== undefined) throw new Error(older.error);
  assertEquals([older.own, (older.settings as { runCount: number }).runCount], [[], 1]);
});

Deno.test("what is not a conversation is refused with its place", () => {
  const answer = ["turns", 0, "answers", 1, 0];
  const faults: [string, RegExp][] = [
    ["{", /^Not valid JSON/],
    ["[]", /not a conversation/],
    ["null", /not a conversation/],
    ['{"messages":[]}', /not a conversation/],
    [change(["sluice_playground"], 2), /another version/],
    [change(["models"], []), /'models' is empty/],
    [change(["models"], ["a", "b", "c", "d", "e"]), /more than 4/],
    [change(["system"], 1), /'system' must be a text/],
    [change(["stream"], "yes"), /'stream' must be true or false/],
    [change(["parameters", "authorization"], "x"), /unknown 'authorization'/],
    [change(["parameters", "top_p"], 1), /'parameters.top_p' must be a text/],
    [change(["own"], [null, null, null]), /'own' has more than 2/],
    [change(["own", 1], 1), /'own\[1\]' must be an object/],
    [change(["own", 1, "tools"], true), /'own\[1\].tools' must be false/],
    [change(["own", 1, "parameters", "metadata"], "{}"), /unknown 'metadata'/],
    [change(["own", 1, "system"], 5), /'own\[1\].system' must be a text/],
    [change(["runs"], 11), /'runs' must be from 1 to 10/],
    [change(["api"], "__proto__"), /'api' must be one of chat, messages/],
    [change(["runs"], "3"), /'runs' must be from 1 to 10/],
    [change(["turns"], Array(1001).fill({})), /'turns' has more than 1000/],
    [change(["turns", 0], null), /'turns\[0\]' must be an object/],
    [change(["turns", 0, "answers"], [[], [], []]), /more than 2/],
    [change(["turns", 0, "user", "images", 0, "url"], "javascript:alert(1)"), /images' must be/],
    [change(["turns", 0, "user", "images", 0, "url"], "data:image/svg+xml,x"), /images' must be/],
    [change([...answer, "message", "role"], "system"), /must be answers of a model/],
    [change([...answer, "message", "content"], {}), /content' must be a text/],
    [change([...answer, "message", "tool_calls"], [{}]), /has no 'function'/],
    [change([...answer, "tool_answers"], [["a", 1]]), /tool_answers' must be a text/],
    ["x".repeat(32_000_001), /more than 32000000 characters/],
  ];
  for (const [text, fault] of faults) assertMatch(String(readPortable(text).error), fault);
  assert(readPortable(change(["unknown"], 1)).error === undefined);
});

Deno.test("a link holds a text of any characters, within its bounds", async () => {
  const text = `{"a":"ü 😀 ${"again ".repeat(5000)}"}`;
  const packed = await packLink(text);
  assertMatch(String(packed), /^[\w-]+$/);
  assertEquals(await unpackLink(packed ?? ""), text);
  const random = crypto.getRandomValues(new Uint8Array(MAX_LINK_CHARS));
  assertEquals(await packLink(Array.from(random, (byte) => byte.toString(36)).join("")), undefined);
  assertEquals(await packLink("a".repeat(1_000_001)), undefined);
  await assertRejects(() => unpackLink("a".repeat(MAX_LINK_CHARS + 1)), RangeError, "too long");
  await assertRejects(() => unpackLink("%%"), RangeError, "damaged");
  await assertRejects(() => unpackLink((packed ?? "").slice(0, -9)), RangeError, "damaged");
});

Deno.test("a short link that unfolds to very much is stopped", async () => {
  const zeros = new Blob([new Uint8Array(8_000_000)]).stream()
    .pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(zeros).arrayBuffer());
  const packed = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  assert(packed.length < MAX_LINK_CHARS, `${packed.length}`);
  await assertRejects(() => unpackLink(packed), RangeError, "too much");
});
