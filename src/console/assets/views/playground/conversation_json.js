/** A conversation as the JSON of its messages, which a person can copy, change and paste. */

import { parseJson } from "../../lib/json_text.js";

/** The bytes of a character of base64. */
const BYTES_PER_CHAR = 0.75;

/**
 * Reads the messages of a conversation.
 *
 * @param {string} text a JSON list of messages, or a body with `messages`
 * @returns {{ error?: undefined, system: string, turns: { user: { text: string, images: object[] },
 *   steps: { message: object, toolAnswers: Map<string, string> }[] }[] } | { error: string }}
 */
export function readConversation(text) {
  const read = parseJson(text);
  if ("error" in read) return read;
  const messages = Array.isArray(read.value) ? read.value : read.value?.messages;
  if (!Array.isArray(messages)) return { error: "Must be a JSON list of messages" };
  const conversation = { system: "", turns: [] };
  for (const [index, message] of messages.entries()) {
    const fault = addMessage(conversation, message, index);
    if (fault !== undefined) return { error: `messages[${index}]: ${fault}` };
  }
  return conversation;
}

/** Returns what is wrong with a message. */
function addMessage(conversation, message, index) {
  const { turns } = conversation;
  switch (message?.role) {
    case "system":
    case "developer":
      if (index > 0) return "a system message must be the first";
      conversation.system = textOf(message.content);
      return undefined;
    case "user": {
      const user = readUser(message.content);
      if (user === undefined) return "only texts and images can be shown here";
      turns.push({ user, steps: [] });
      return undefined;
    }
    case "assistant":
      if (turns.length === 0) return "a message of the user must come before it";
      turns.at(-1).steps.push({ message, toolAnswers: new Map() });
      return undefined;
    case "tool": {
      const step = turns.at(-1)?.steps.at(-1);
      const called = step?.message.tool_calls?.some(({ id }) => id === message.tool_call_id);
      if (!called) return "no tool call before it has this 'tool_call_id'";
      step.toolAnswers.set(message.tool_call_id, textOf(message.content));
      return undefined;
    }
    default:
      return "'role' must be system, user, assistant or tool";
  }
}

function readUser(content) {
  if (typeof content === "string") return { text: content, images: [] };
  if (!Array.isArray(content)) return undefined;
  const images = [];
  for (const part of content) {
    if (part?.type === "image_url" && typeof part.image_url?.url === "string") {
      const { url } = part.image_url;
      images.push({ name: "image", size: Math.round(url.length * BYTES_PER_CHAR), url });
    } else if (part?.type !== "text") return undefined;
  }
  return { text: textOf(content), images };
}

function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => typeof part?.text === "string" ? part.text : "").join("");
}
