/** Members of type `bytes`: both alphabets are read, and the standard one with padding is written. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { InnerJson } from "../../../src/core/json/inner_json.ts";
import {
  isOwnSignature,
  readSignature,
  toImagePart,
  toSignature,
} from "../../../src/apis/gemini/answer_parts.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { sayHello } from "../../support/scripted_vendor.ts";

/** Bytes that need the characters in which the alphabets differ, and padding. */
const BYTES = Uint8Array.from([0xff, 0xd8, 0xff, 0xfb, 0xef, 0xbe, 0xff, 0xfe, 0x3f, 0xd8]);
const STANDARD = BYTES.toBase64();
const SPELLINGS = [
  STANDARD,
  BYTES.toBase64({ omitPadding: true }),
  BYTES.toBase64({ alphabet: "base64url" }),
  BYTES.toBase64({ alphabet: "base64url", omitPadding: true }),
  `${STANDARD.slice(0, 4)}\n${STANDARD.slice(4)}`,
];

const PROVIDERS: Readonly<Record<string, JsonObject>> = {
  openai: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-4.1"] },
  anthropic: { kind: "anthropic", api_key: VENDOR_KEY, models: ["claude-opus-4-8"] },
  ollama: { kind: "ollama", base_url: "http://o.test", models: ["llava"] },
  bedrock: {
    ...{ kind: "bedrock", api_key: VENDOR_KEY, region: "us-east-1" },
    models: ["anthropic.claude-opus-4-7"],
  },
};

function createWorld(id: string) {
  const sent: string[] = [];
  const provider = PROVIDERS[id] as JsonObject & { models: string[] };
  const gateway = createTestGateway({
    config: { providers: { [id]: provider } },
    fetch: async (url, { body }) => {
      sent.push(String(body));
      return await sayHello({ url, body: JSON.parse(String(body)) });
    },
  });
  const ask = (contents: readonly JsonObject[]) =>
    gateway.call(`/v1beta/models/${provider.models[0]}:generateContent`, {
      contents,
      tools: [{ functionDeclarations: [{ name: "see" }] }],
    });
  return { ask, sent };
}

const inUserTurn = (part: JsonObject): readonly JsonObject[] => [{ role: "user", parts: [part] }];
const inResult = (part: JsonObject): readonly JsonObject[] => [
  { role: "user", parts: [{ text: "Look" }] },
  { role: "model", parts: [{ functionCall: { name: "see", args: {} } }] },
  {
    role: "user",
    parts: [{ functionResponse: { name: "see", response: { output: "x" }, parts: [part] } }],
  },
];
const PLACES = [
  [inUserTurn, "contents[0].parts[0].inlineData.data"],
  [inResult, "contents[2].parts[0].functionResponse.parts[0].inlineData.data"],
] as const;

for (const id of Object.keys(PROVIDERS)) {
  Deno.test(`gemini to ${id}: data in every spelling of base64 is sent in the standard one`, async () => {
    for (const [place] of PLACES) {
      for (const data of SPELLINGS) {
        const { ask, sent } = createWorld(id);
        const response = await ask(place({ inlineData: { mimeType: "image/jpeg", data } }));
        assertEquals(response.status, 200, await response.text());
        assertStringIncludes(sent[0] ?? "", STANDARD);
      }
    }
  });

  Deno.test(`gemini to ${id}: text that is not base64 is refused with its path, and nothing is sent`, async () => {
    for (const [place, param] of PLACES) {
      for (const data of ["a", "a?b=", "====", "äöü0", `${STANDARD}!`]) {
        const { ask, sent } = createWorld(id);
        const response = await ask(place({ inlineData: { mimeType: "image/jpeg", data } }));
        assertEquals([response.status, sent], [400, []], data);
        assertStringIncludes(await response.text(), param);
      }
    }
  });
}

Deno.test("signatures are standard base64, and are read in both alphabets", () => {
  for (const format of ["?>", "?>?", "?>??"]) {
    const signature = toSignature({ details: [{ format, text: "ÿþÿþ" }] });
    assertMatch(signature, /^[A-Za-z0-9+/]+=*$/);
    assertEquals(signature.length % 4, 0);
    const bytes = Uint8Array.fromBase64(signature);
    for (const alphabet of ["base64", "base64url"] as const) {
      for (const omitPadding of [false, true]) {
        const back = bytes.toBase64({ alphabet, omitPadding });
        assertEquals(isOwnSignature(back), true);
        assertEquals(readSignature(back, new InnerJson()).details.length, 1);
      }
    }
  }
});

Deno.test("images of answers are standard base64", () => {
  for (const data of SPELLINGS) {
    const part = toImagePart({ image_url: { url: `data:image/jpeg;base64,${data}` } });
    assertEquals(part, { inlineData: { mimeType: "image/jpeg", data: STANDARD } });
  }
});
