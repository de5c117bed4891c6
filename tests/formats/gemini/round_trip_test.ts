/**
 * Google's fixtures through the caller format and chat, and back to Google's API: nothing is lost
 * that chat completions hold.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/chat/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { textOf } from "../../support/sent_body.ts";

const FIXTURES = new URL("../../fixtures/gemini/", import.meta.url);

function read(path: string): JsonObject | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(new URL(path, FIXTURES)));
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

const NAMES = [...Deno.readDirSync(FIXTURES)].filter(({ isDirectory }) => isDirectory)
  .map(({ name }) => name).sort();

interface Exchange {
  readonly sent: JsonObject;
  readonly answer: JsonObject;
}

/** Sends a body to Gemini by way of chat, since an interceptor must see the content. */
async function exchange(
  model: string,
  body: unknown,
  upstream: () => Response,
): Promise<Exchange> {
  let sent: JsonObject = {};
  const gateway = createTestGateway({
    config: {
      providers: { gemini: { kind: "gemini", api_key: VENDOR_KEY, models: [model], retries: 0 } },
    },
    fetch: async (_, init) => {
      sent = JSON.parse(await textOf(init.body));
      return upstream();
    },
    interceptors: [{ name: "reader", intercept: () => ({ seesContent: true }) }],
  });
  const response = await gateway.call(`/v1beta/models/${model}:generateContent`, body);
  const answer = await response.json();
  assertEquals(gateway.bugs, []);
  return { sent, answer };
}

const REFUSAL = () => Response.json({ error: { code: 500, message: "No" } }, { status: 500 });

/** A request without what chat completions write in another way. */
function comparable({ contents, generationConfig, ...others }: JsonObject): JsonObject {
  const { thinkingConfig: _, ...config } = isObject(generationConfig) ? generationConfig : {};
  return {
    ...others,
    contents: (contents as JsonObject[]).map(({ role, parts }) => ({
      role,
      parts: role === "model" ? joined(parts as JsonObject[]) : parts,
    })),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
}

/** The text of a model's turn is one text in chat completions. */
function joined(parts: readonly JsonObject[]): JsonObject[] {
  const text = parts.map((part) => part.text ?? "").join("");
  return [...(text === "" ? [] : [{ text }]), ...parts.filter((part) => part.text === undefined)];
}

/** Requests that cannot be conveyed or change, and why. */
const OTHER_REQUESTS: ReadonlyMap<string, string> = new Map([
  ["json_schema", "references are inlined once more"],
  ["parameters_fitted", "cached content is Google's own"],
]);

for (const name of NAMES) {
  const sent = read(`${name}/sent.json`);
  const { body, url } = sent ?? {};
  if (!isObject(body) || !Array.isArray(body.contents) || OTHER_REQUESTS.has(name)) continue;
  const [, model = ""] = /\/(?:models\/)?((?:tunedModels\/)?[^/:]+):/.exec(String(url)) ?? [];
  Deno.test(`gemini to chat to gemini: the request of ${name}`, async () => {
    const again = await exchange(model, body, REFUSAL);
    assert(again.sent.contents !== undefined, JSON.stringify(again.answer));
    assertEquals(comparable(again.sent), comparable(body));
  });
}

/** An answer without what chat completions do not hold. */
function summaryOf({ candidates, usageMetadata }: JsonObject): JsonObject {
  const usage = isObject(usageMetadata) ? usageMetadata : {};
  return {
    candidates: (candidates as JsonObject[]).map(({ content, finishReason }) => {
      const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
      return {
        text: parts.filter(({ thought }) => !thought).map(({ text }) => text ?? "").join(""),
        calls: parts.flatMap(({ functionCall: call, thoughtSignature }) =>
          call ? [{ name: call.name, args: call.args ?? {}, thoughtSignature }] : []
        ),
        images: parts.flatMap(({ inlineData }) => inlineData ?? []),
        finishReason,
      };
    }),
    prompt: usage.promptTokenCount,
    total: usage.totalTokenCount,
    thoughts: usage.thoughtsTokenCount ?? 0,
    cached: usage.cachedContentTokenCount ?? 0,
  };
}

/** Answers that chat completions hold in another way, and why. */
const OTHER_ANSWERS: ReadonlyMap<string, string> = new Map([
  ["malformed_function_call", "a failure in chat completions"],
  ["other_without_content", "a failure in chat completions"],
  ["no_finish_reason", "an end in chat completions"],
  ["other_with_content", "an end in chat completions"],
  ["usage_of_tools_and_thoughts_within", "prompts of tools are a part of the prompt"],
]);

for (const name of NAMES) {
  const upstream = read(`${name}/upstream.json`);
  const { body, status } = upstream ?? {};
  if (status !== 200 || !isObject(body) || !Array.isArray(body.candidates)) continue;
  if (OTHER_ANSWERS.has(name)) continue;
  Deno.test(`gemini to chat to gemini: the answer of ${name}`, async () => {
    const ask = {
      contents: [{ parts: [{ text: "Hi" }] }],
      generationConfig: { candidateCount: 2 },
    };
    const { answer } = await exchange("gemini-3.5-flash", ask, () => Response.json(body));
    assert(answer.error === undefined, JSON.stringify(answer));
    assertEquals(summaryOf(answer), summaryOf(body));
  });
}
