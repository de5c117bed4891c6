/** The content of a request in the form in which its tokens are estimated. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { toList } from "../../core/json/values.ts";

/** The messages of a chat, or the system message and the prompt: texts, images and arguments. */
export function toCountedContent(body: JsonObject): readonly unknown[] {
  const { messages, system, prompt, context, images } = body;
  if (messages === undefined) return [system, prompt, context, ...toList(images).map(toMedium)];
  return toList(messages).map((message) => {
    if (!isObject(message)) return message;
    const { role, content, thinking, tool_calls } = message;
    const media = toList(message.images).map(toMedium);
    const calls = toList(tool_calls).map((call) =>
      isObject(call) && isObject(call.function)
        ? { name: call.function.name, arguments: call.function.arguments }
        : call
    );
    return { role, parts: [content, thinking, ...media, ...calls] };
  });
}

function toMedium(data: unknown): JsonObject {
  return { type: "image_url", image_url: data };
}
