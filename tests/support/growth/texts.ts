/** Long texts that reveal regular expressions and searches with backtracking. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import type { MakeRequest } from "./requests.ts";

/** Pieces of long texts: each is repeated, and followed by text that does not match. */
export const FILLERS: readonly string[] = [
  ...["a", "1", " ", "\n", ".", "/", "_", ":", ";", ",", "=", "%", "`", "<", "{", "[", '"', "'"],
  ...["\\", "@", "é", "💥", "\ud800", "\u0000", "a.", "a/", "a ", "~1", "%41", "\r\n", "1.", "1m"],
  ...["12:34:56 ", "data:", ";base64,", "<think>", "</think>", "```json\n", "tokens ", "maximum "],
  ...["retry in 1", "try again in 1", "exceeds the ", "input token count ", "thinking "],
  ...["unknown field: parameter 'a' "],
];

/** A text of about this length. */
export function longText(filler: string, length: number): string {
  return `${filler.repeat(length / filler.length)}\u0001`;
}

type MakeTextRequest = (text: string) => JsonObject;

const user = (...content: unknown[]): JsonObject => ({ messages: [{ role: "user", content }] });
const image = (url: string): JsonObject => user({ type: "image_url", image_url: { url } });
const file = (file_data: string, filename: string): JsonObject =>
  user({ type: "file", file: { file_data, filename } });

/** The places of a caller's text; several at once if none of them rejects it. */
const PLACES: Readonly<Record<string, MakeTextRequest>> = {
  "what is said": (text) => ({
    messages: [
      { role: "system", content: text, name: text },
      { role: "user", content: [{ type: "text", text, [text]: text }] },
      {
        role: "assistant",
        content: text,
        refusal: text,
        reasoning_content: text,
        tool_calls: [{
          id: text,
          type: "function",
          function: { name: text, arguments: text },
          extra_content: { google: { thought_signature: text } },
        }],
        reasoning_details: [{ format: text, type: text, text, signature: text, data: text }],
      },
      { role: "tool", tool_call_id: text, content: text },
      { role: "user", content: text },
    ],
  }),
  "fields": (text) => ({
    messages: [{ role: "user", content: "Hi" }],
    ...{ stop: text, user: text, metadata: { [text]: text }, service_tier: text },
    ...{ safety_identifier: text, [text]: text, logit_bias: { [text]: 1 }, modalities: [text] },
  }),
  "names of tools": (text) => ({
    messages: [{ role: "user", content: "Hi" }],
    tools: [{ type: "function", function: { name: text, description: text, strict: true } }],
    tool_choice: { type: "function", function: { name: text } },
  }),
  ...Object.fromEntries(
    [true, false].map((strict): [string, MakeTextRequest] => [
      `a schema that is ${strict ? "" : "not "}strict`,
      (text) => {
        const schema = {
          ...{ type: "object", description: text, $schema: text, $id: text },
          required: [text],
          additionalProperties: false,
          properties: {
            [text]: { type: "string", pattern: text, format: text, title: text, enum: [text] },
            ref: { $ref: text },
            inner: { $ref: `#/$defs/${text}` },
            outer: { $ref: `#/${text}` },
          },
          $defs: { [text]: { type: "string", default: text, [text]: text } },
        };
        return {
          messages: [{ role: "user", content: "Hi" }],
          tools: [{ type: "function", function: { name: "f", strict, parameters: schema } }],
          response_format: { type: "json_schema", json_schema: { name: text, strict, schema } },
        };
      },
    ]),
  ),
  "an image's address": image,
  "an image's https address": (text) => image(`https://${text}`),
  "an image's https path": (text) => image(`https://host.test/${text}`),
  "an image's s3 address": (text) => image(`s3://${text}`),
  "an image's gs address": (text) => image(`gs://${text}`),
  "an image's data URL": (text) => image(`data:${text}`),
  "an image's data": (text) => image(`data:image/png;base64,${text}`),
  "an image's percent-encoded data": (text) => image(`data:image/png,${text}`),
  "a file's data": (text) => file(text, "a.pdf"),
  "a file's data URL": (text) => file(`data:${text}`, "a.pdf"),
  "a file's name": (text) => file("data:application/pdf;base64,JVBERi0xLjQ=", text),
  "audio": (text) => user({ type: "input_audio", input_audio: { data: text, format: "wav" } }),
};

/** Requests with a long text, by its place and its piece. */
export function textRequests(): [name: string, make: MakeRequest][] {
  return Object.entries(PLACES).flatMap(([place, make]) =>
    FILLERS.map((filler): [string, MakeRequest] => [
      `${place}, of ${JSON.stringify(filler)}`,
      (size) => make(longText(filler, size)),
    ])
  );
}
