/** Events, lists and media as several formats write them. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import type { Part, Token } from "./conversation.ts";

/** Events of a stream, by the data of each. */
export function dataOf(text: string): JsonObject[] {
  return text.split("\n").filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

/** Server-sent events, named by their member `type`. */
export function toEvents(events: readonly JsonObject[]): string {
  return events.map((event) =>
    `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`
  ).join("");
}

/** A list of JSON values, which may be absent. */
export function list(value: unknown) {
  return Array.isArray(value) ? value : [];
}

/** Parts of media by the type and data of a data URL. */
export function toMedia(type: string, data: string, name = "a.pdf"): Part {
  if (type.startsWith("image/")) return { image: data };
  return type.startsWith("audio/") ? { audio: data } : { file: data, name };
}

/** A part by its URL, which may have the data. */
export function toImage(url: string): Part {
  const [, type, data] = /^data:([^;]*);base64,(.*)$/s.exec(url) ?? [];
  return type === undefined || data === undefined ? { imageUrl: url } : toMedia(type, data);
}

/** The type and data of a part, as base64. */
export function mediaOf(part: Part): { type: string; data: string } | undefined {
  if ("image" in part) return { type: "image/png", data: part.image };
  if ("file" in part) return { type: "application/pdf", data: part.file };
  return "audio" in part ? { type: "audio/wav", data: part.audio } : undefined;
}

/** Tokens as OpenAI and Ollama write them. */
export function toTokens(tokens: readonly Token[]): JsonObject[] {
  const withBytes = (token: string, logprob: number) => ({
    ...{ token, logprob, bytes: [...new TextEncoder().encode(token)] },
  });
  return tokens.map(({ token, logprob, top }) => ({
    ...withBytes(token, logprob),
    top_logprobs: top.map((likely) => withBytes(likely.token, likely.logprob)),
  }));
}

export function readTokens(tokens: unknown): Token[] {
  return list(tokens).map(({ token, logprob, top_logprobs: top }) => ({
    ...{ token, logprob },
    top: list(top).map((likely) => ({ token: likely.token, logprob: likely.logprob })),
  }));
}
