/** The content of a request in the form in which its tokens are estimated. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { memberOf } from "../member_spellings.ts";

/** The system instruction and the contents: their texts, media, arguments and results. */
export function toCountedContent(body: JsonObject): readonly unknown[] {
  const system = memberOf(body, "systemInstruction");
  const contents = Array.isArray(body.contents) ? body.contents : [];
  return [system, ...contents].map((content: unknown) => {
    if (!isObject(content)) return content;
    const parts = Array.isArray(content.parts) ? content.parts : [];
    return { role: content.role, parts: parts.map(toCountedPart) };
  });
}

function toCountedPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  const call = memberOf(part, "functionCall");
  if (isObject(call)) return { name: call.name, arguments: call.args };
  const result = memberOf(part, "functionResponse");
  if (isObject(result)) return { input: result.response, parts: result.parts };
  const inline = memberOf(part, "inlineData");
  if (isObject(inline)) return toMedium(inline, inline.data);
  const file = memberOf(part, "fileData");
  if (isObject(file)) return toMedium(file, memberOf(file, "fileUri"));
  return part.text;
}

function toMedium(holder: JsonObject, data: unknown): JsonObject {
  const type = memberOf(holder, "mimeType");
  return { type: "document", source: { media_type: isText(type) ? type : "", data } };
}
