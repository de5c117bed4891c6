/** Images that come only in thoughts, and a search beside functions. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { toEventStream } from "../../support/scripted_vendor.ts";

const draft = (data: string) => ({ thought: true, inlineData: { mimeType: "image/png", data } });
const image = (data: string) => ({ inlineData: { mimeType: "image/png", data } });

interface Ask {
  readonly kind?: string;
  readonly model?: string;
  readonly parts?: readonly JsonObject[];
  readonly finish?: string;
  readonly path?: string;
}

async function ask(
  members: JsonObject,
  { kind = "gemini", model = "gemini-3.5-flash", parts = [], finish = "STOP", path }: Ask = {},
) {
  const sent: JsonObject[] = [];
  const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
  const gateway = createTestGateway({
    config: {
      providers: {
        v: {
          ...{ kind, api_key: VENDOR_KEY, models: [model] },
          ...(kind === "vertex" && { project: "p", location: "global" }),
        },
      },
    },
    fetch: (url, { body }) => {
      sent.push(JSON.parse(String(body)));
      const events = parts.map((part) => ({ candidates: [{ content: { parts: [part] } }] }));
      const last = { candidates: [{ finishReason: finish }], usageMetadata };
      return Promise.resolve(
        url.includes("stream") ? toEventStream([...events, last]) : Response.json({
          candidates: [{ content: { parts }, finishReason: finish }],
          usageMetadata,
        }),
      );
    },
  });
  const body = path === undefined
    ? { model, messages: [{ role: "user", content: "Hi" }], ...members }
    : { model, ...members };
  const response = await gateway.call(path ?? "/v1/chat/completions", body);
  const text = await response.text();
  assertEquals([response.status, gateway.bugs], [200, []], text);
  return { text, sent: sent[0] as JsonObject, headers: response.headers };
}

/** The images of an answer, streamed or not. */
function imagesIn(text: string): readonly string[] {
  return [...text.matchAll(/data:image\/png;base64,(\w+)/g)].map(([, data]) => String(data));
}

for (const stream of [false, true]) {
  Deno.test(`an image only in thoughts is the last draft; stream: ${stream}`, async () => {
    const cases: readonly (readonly [readonly JsonObject[], readonly string[], string])[] = [
      [[draft("AAAA"), draft("BBBB")], ["BBBB"], "STOP"],
      [[draft("AAAA"), { text: "Here" }], ["AAAA"], "STOP"],
      [[draft("AAAA"), image("CCCC")], ["CCCC"], "STOP"],
      [[image("CCCC"), draft("AAAA")], ["CCCC"], "STOP"],
      [[draft("AAAA")], ["AAAA"], "NO_IMAGE"],
    ];
    for (const [parts, images, finish] of cases) {
      const { text } = await ask({ stream }, { parts, finish });
      assertEquals(imagesIn(text), images);
    }
  });
}

Deno.test("created images: the last draft if there is no other", async () => {
  const model = "gemini-3-pro-image";
  const path = "/v1/images/generations";
  const of = async (parts: readonly JsonObject[]) => {
    const { text } = await ask({ prompt: "A cat" }, { model, parts, path });
    return JSON.parse(text).data.map((one: JsonObject) => one.b64_json);
  };
  assertEquals(await of([draft("AAAA"), draft("BBBB")]), ["BBBB"]);
  assertEquals(await of([draft("AAAA"), image("CCCC")]), ["CCCC"]);
});

const TOOLS = [{ type: "function", function: { name: "f" } }];

Deno.test("a search beside functions: Gemini 3 in the Gemini API", async () => {
  const grounding = { parts: [{ text: "Yes" }] };
  for (const tool_choice of [undefined, "required"]) {
    const { sent, headers } = await ask(
      { tools: TOOLS, web_search_options: {}, ...(tool_choice && { tool_choice }) },
      grounding,
    );
    assertEquals(sent.tools, [{ googleSearch: {} }, { functionDeclarations: [{ name: "f" }] }]);
    assertEquals(sent.toolConfig, {
      ...(tool_choice && { functionCallingConfig: { mode: "ANY" } }),
      includeServerSideToolInvocations: true,
    });
    assert(!headers.get("x-sluice-ignored")?.includes("web_search_options"));
  }
});

Deno.test("a search beside functions: other models and APIs get the functions alone", async () => {
  for (const target of [{ model: "gemini-2.5-flash" }, { kind: "vertex" }]) {
    const { sent, headers } = await ask({ tools: TOOLS, web_search_options: {} }, {
      ...target,
      parts: [{ text: "Yes" }],
    });
    assertEquals(sent.tools, [{ functionDeclarations: [{ name: "f" }] }]);
    assertEquals(sent.toolConfig, undefined);
    assert(headers.get("x-sluice-ignored")?.includes("web_search_options"));
  }
});

Deno.test("a search alone has no settings of tools", async () => {
  const { sent } = await ask({ web_search_options: {} }, { parts: [{ text: "Yes" }] });
  assertEquals([sent.tools, sent.toolConfig], [[{ googleSearch: {} }], undefined]);
});
