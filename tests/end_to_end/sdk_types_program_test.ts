/**
 * What Anthropic and Bedrock are sent is what their own SDKs take: the body of
 * every golden becomes a literal of the SDK's type, and one `deno check` reads
 * them all, as strictly as it reads code.
 */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { isObject, type JsonObject } from "../../src/contract/chat.ts";
import { type Fixture, pathOf, readFixtures } from "../support/fixtures.ts";

/** A body as the SDK takes it, with what the SDK puts into the address. */
interface Sent {
  readonly name: string;
  readonly type: string;
  readonly exceptions: readonly Exception[];
  readonly body: JsonObject;
}

/** What a body may say that the SDK's type does not. */
interface Exception {
  readonly path: string;
  readonly because: string;
  /** The SDK's own value; absent if it has no such member. */
  readonly instead?: Code;
}

/** A value of TypeScript where JSON has none. */
class Code {
  constructor(readonly text: string) {}
}

const OLDER_MODELS = "models before Claude Opus 4.7 take it, and the newest SDK names it no more";
const BYTES = {
  because: "the SDK takes bytes and writes them as base64, which is what JSON holds",
  instead: new Code("new Uint8Array()"),
};

/** For the API version before the one that the SDK sends. */
const OF_ANTHROPIC: readonly Exception[] = [
  { path: "temperature", because: OLDER_MODELS },
  { path: "top_p", because: OLDER_MODELS },
  { path: "top_k", because: OLDER_MODELS },
];
const OF_VERTEX: readonly Exception[] = [
  { path: "anthropic_version", because: "Google has in the body what is a header at Anthropic" },
];
const OF_BEDROCK: readonly Exception[] = [
  { path: "messages.content.image.source.bytes", ...BYTES },
  { path: "messages.content.document.source.bytes", ...BYTES },
  { path: "messages.content.reasoningContent.redactedContent", ...BYTES },
];

/** The API version that the SDK sends, and that its types describe. */
const SDK_VERSION = "2026-10-21";

const IMPORTS = [
  'import type Anthropic from "@anthropic-ai/sdk";',
  'import type * as bedrock from "@aws-sdk/client-bedrock-runtime";',
];

/** Bodies that no SDK takes: that they are refused shows that types are read at all. */
const WRONG: readonly (readonly [type: string, body: JsonObject])[] = [
  ["Anthropic.MessageCreateParams", { model: "m", messages: [] }],
  ["Anthropic.MessageCreateParams", { model: "m", max_tokens: 1, messages: [], n: 2 }],
  ["Anthropic.MessageCreateParams", {
    model: "m",
    max_tokens: 1,
    messages: [{ role: "user", content: [{ type: "text", text: "Hi", detail: "low" }] }],
  }],
  ["bedrock.ConverseCommandInput", { modelId: "m", messages: [], max_tokens: 1 }],
  ["bedrock.ConverseStreamCommandInput", {
    modelId: "m",
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  }],
];

const sent = readFixtures().map(toSent).filter((one) => one !== undefined);

Deno.test("the goldens of Anthropic's and Bedrock's formats are read", () => {
  const counts = Map.groupBy(sent, ({ type }) => type);
  assertEquals([...counts.keys()].sort(), [
    "Anthropic.MessageCreateParams",
    "bedrock.ConverseCommandInput",
    "bedrock.ConverseStreamCommandInput",
  ]);
  for (const vendor of ["anthropic", "bedrock", "vertex"]) {
    assert(sent.some(({ name }) => name.startsWith(`${vendor}/`)), `nothing of ${vendor}`);
  }
  const newest = sent.filter(({ name, exceptions }) =>
    name.startsWith("anthropic/") && exceptions.length === 0
  );
  assert(newest.length > 0, `nothing under API version ${SDK_VERSION}`);
});

Deno.test("every exception to the SDKs' types is used by a golden", () => {
  for (const exception of [...OF_ANTHROPIC, ...OF_VERTEX, ...OF_BEDROCK]) {
    assert(userOf(exception) !== undefined, `${exception.path}: no body has it any more`);
  }
});

Deno.test("every sent body has the SDK's type, except for the listed exceptions", async () => {
  const bodies = sent.map(({ name, type, exceptions, body }) =>
    `/* ${name} */ void (${print(without(body, exceptions), 1)} satisfies ${type});`
  );
  // Should the SDK take it after all, the directive is an error.
  const needed = [...OF_ANTHROPIC, ...OF_VERTEX, ...OF_BEDROCK].map((exception) => {
    const { type, body, exceptions } = userOf(exception) ?? { body: {}, exceptions: [], type: "" };
    return refused(type, without(body, exceptions.filter((other) => other !== exception)));
  });
  const wrong = WRONG.map(([type, body]) => refused(type, body));
  const { code, reported } = await check([...IMPORTS, ...bodies, ...needed, ...wrong].join("\n"));
  assertEquals(code, 0, reported);
});

Deno.test("a body without the SDK's type is reported with its path", async () => {
  const [type, body] = WRONG[1] ?? ["", {}];
  const { code, reported } = await check(
    `${IMPORTS[0]}\nvoid (${print(body)} satisfies ${type});\n`,
  );
  assertEquals(code, 1);
  assert(reported.includes("'\"n\"' does not exist in type 'MessageCreateParams'"), reported);
});

/** The golden of a case, unless it sends nothing or has another format. */
function toSent(fixture: Fixture): Sent | undefined {
  const { about, vendor, name } = fixture;
  if (about.sent === false) return undefined;
  const { url, headers, body } = JSON.parse(Deno.readTextFileSync(pathOf(fixture, "sent.json")));
  const title = `${vendor}/${name}`;
  const claude = { name: title, type: "Anthropic.MessageCreateParams" };
  if (vendor === "anthropic") {
    const isSdks = headers["anthropic-version"] === SDK_VERSION;
    return { ...claude, exceptions: isSdks ? [] : OF_ANTHROPIC, body };
  }
  const [, model] = /\/publishers\/anthropic\/models\/([^/:]+):/.exec(url) ?? [];
  if (vendor === "vertex" && model !== undefined) {
    return { ...claude, exceptions: OF_VERTEX, body: { model, ...body } };
  }
  if (vendor !== "bedrock") return undefined;
  const [, modelId, verb] = /\/model\/([^/]+)\/(converse(?:-stream)?)$/.exec(url) ?? [];
  assert(modelId !== undefined, `${title} has an address that is not Bedrock's`);
  const command = verb === "converse" ? "Converse" : "ConverseStream";
  const type = `bedrock.${command}CommandInput`;
  return { name: title, type, exceptions: OF_BEDROCK, body: { modelId, ...body } };
}

function userOf(exception: Exception): Sent | undefined {
  return sent.find(({ exceptions, body }) =>
    exceptions.includes(exception) && print(without(body, [exception])) !== print(body)
  );
}

/** A copy in which the SDK's values stand in the place of the exceptions. */
function without(value: unknown, exceptions: readonly Exception[], path = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, exceptions, path));
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const here = path === "" ? name : `${path}.${name}`;
    const exception = exceptions.find((one) => one.path === here);
    if (exception === undefined) return [[name, without(inner, exceptions, here)]];
    return exception.instead === undefined ? [] : [[name, exception.instead]];
  });
  return Object.fromEntries(members);
}

/** JSON is TypeScript, but for what JSON cannot say. */
function print(value: unknown, indent = 0): string {
  const codes: string[] = [];
  const text = JSON.stringify(
    value,
    (_, inner) => inner instanceof Code ? `code:${codes.push(inner.text)}` : inner,
    indent,
  );
  return text.replace(/"code:(\d+)"/g, (_, count) => codes[Number(count) - 1] ?? "");
}

/** On one line, because the directive applies only to the next line. */
function refused(type: string, body: unknown): string {
  return `// @ts-expect-error It is not of this type.\nvoid (${print(body)} satisfies ${type});`;
}

/** Checks a file beside this one: only there do the names of the SDKs have a meaning. */
async function check(text: string): Promise<{ code: number; reported: string }> {
  const tests = fileURLToPath(new URL("../", import.meta.url));
  const directory = Deno.makeTempDirSync({ dir: tests, prefix: ".sdk_types_" });
  try {
    Deno.writeTextFileSync(`${directory}/bodies.ts`, text);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--frozen", "--config", `${tests}deno.json`, `${directory}/bodies.ts`],
      env: { NO_COLOR: "1" },
    }).output();
    return { code, reported: new TextDecoder().decode(stderr) };
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}
