/** Converts a conversation to Ollama's messages. */

import type { JsonObject, Message } from "../../contract/chat.ts";
import type { ConversionPlan } from "./answers.ts";
import { contentPath, withoutLegacy } from "../shared/messages.ts";
import { pairTools } from "../../apis/tool_pairing.ts";
import { readMedia } from "../../apis/media.ts";
import { present } from "../../core/json/values.ts";
import { unsupportedContent } from "../shared/errors.ts";
import type { Call } from "../../contract/vendor_request.ts";

/**
 * Converts the messages. There is one system message at the start, since the templates of many
 * models support no other. Records in the receipt how tool choice and format were converted.
 */
export function toMessages(call: Call, plan: ConversionPlan): readonly JsonObject[] {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, (id) => id || "call");
  const system: string[] = [];
  const sent: JsonObject[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.changes.ignore("messages.name");
    const { text, images } = toContent(message, index);
    if (message.role === "system" || message.role === "developer") {
      if (text.trim() !== "") system.push(text);
    } else if (message.role === "assistant") {
      const { reasoning_content: thinking } = message;
      const calls = pairing.calls.get(index) ?? [];
      sent.push(present({
        role: "assistant",
        content: text,
        thinking: typeof thinking === "string" && thinking !== "" ? thinking : undefined,
        tool_calls: calls.length === 0 ? undefined : calls.map(({ id, name, input }) => ({
          id,
          function: { name, arguments: input },
        })),
      }));
    } else if (message.role === "tool") {
      const answered = pairing.results.get(index);
      if (answered === undefined) continue;
      const { id, name } = answered;
      sent.push({ role: "tool", content: text, tool_name: name, tool_call_id: id });
    } else sent.push(present({ role: "user", content: text, images }));
  }
  noteHints(call, plan);
  const all = [...system, ...plan.hints];
  return all.length > 0 ? [{ role: "system", content: all.join("\n\n") }, ...sent] : sent;
}

function noteHints(
  { request, changes }: Call,
  { tools, format, instructed }: ConversionPlan,
): void {
  const { tool_choice, function_call, response_format } = request;
  const chosen = request.tools ? tool_choice : function_call;
  const parameter = request.tools ? "tool_choice" : "function_call";
  if ((request.tools ?? request.functions) && chosen !== undefined && chosen !== "auto") {
    const isForced = tools.length > 0 && (chosen === "required" || typeof chosen !== "string");
    changes.rename(parameter, isForced ? "messages" : "tools");
  }
  const type = response_format?.type;
  if (type === undefined || type === "text") return;
  if (format !== undefined) changes.rename("response_format", "format");
  else if (instructed) changes.rename("response_format", "messages");
  else changes.ignore("response_format");
}

interface ConvertedContent {
  readonly text: string;
  readonly images: readonly string[] | undefined;
}

/** The content: one text, and images. */
function toContent({ role, content, refusal }: Message, index: number): ConvertedContent {
  if (typeof content === "string") return { text: content, images: undefined };
  const texts: string[] = [];
  const images: string[] = [];
  for (const [at, part] of content?.entries() ?? []) {
    if (part.type === "text") texts.push(part.text);
    else if (part.type === "refusal") texts.push(part.refusal);
    else if (role !== "user") {
      throw unsupportedContent(
        contentPath(index, at),
        `messages of role '${role}' may contain only text`,
      );
    } else {
      const media = readMedia(part, contentPath(index, at));
      if ("url" in media) {
        throw unsupportedContent(contentPath(index, at), "images must be data URLs");
      }
      if (!IMAGE_TYPES.has(media.mediaType)) {
        throw unsupportedContent(contentPath(index, at), "only jpeg, png and webp are taken");
      }
      images.push(media.data);
    }
  }
  if (role === "assistant" && typeof refusal === "string") texts.push(refusal);
  return { text: texts.join("\n"), images: images.length > 0 ? images : undefined };
}

/** https://docs.ollama.com/capabilities/vision (2026-08). */
const IMAGE_TYPES = new Set(["image/jpeg", "image/jpg", "image/png", "image/webp"]);
