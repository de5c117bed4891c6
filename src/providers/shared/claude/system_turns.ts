/** System messages inside a conversation, for models that refuse the role in `messages`. */

import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { isText } from "../../../core/json/values.ts";

/**
 * A body of the Messages API without the role `system` in `messages`; the same one if it has none.
 * The first messages become `system`. A later one becomes a text in its place: at the end of the
 * user's message before it, else in the next one, after its tool results. The same body always
 * becomes the same, so that the vendor's cache of it stays valid.
 */
export function withoutSystemTurns(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(isSystem)) return body;
  const first = messages.findIndex((message) => !isSystem(message));
  const leading = messages.slice(0, first < 0 ? messages.length : first);
  const turns = new UserTexts();
  for (const message of messages.slice(leading.length)) {
    if (isSystem(message)) turns.addText(message);
    else turns.add(message);
  }
  const instructions = leading.flatMap(({ content }) => blocksOf(content));
  return {
    ...body,
    ...(instructions.length > 0 && { system: [...blocksOf(body.system), ...instructions] }),
    messages: turns.end(),
  };
}

class UserTexts {
  readonly #messages: unknown[] = [];
  /** Texts for the next message of the user. */
  #waiting: JsonObject[] = [];

  add(message: unknown): void {
    const isUser = isObject(message) && message.role === "user";
    if (!isUser || this.#waiting.length === 0) {
      this.#messages.push(message);
      return;
    }
    const blocks = blocksOf(message.content);
    const results = blocks.findLastIndex((block) =>
      isObject(block) && block.type === "tool_result"
    );
    const content = blocks.toSpliced(results + 1, 0, ...this.#waiting);
    this.#messages.push({ ...message, content });
    this.#waiting = [];
  }

  addText({ content }: JsonObject): void {
    const text = toText(blocksOf(content));
    const last = this.#messages.at(-1);
    if (!isObject(last) || last.role !== "user") {
      this.#waiting.push(text);
      return;
    }
    this.#messages[this.#messages.length - 1] = {
      ...last,
      content: [...blocksOf(last.content), text],
    };
  }

  end(): unknown[] {
    if (this.#waiting.length > 0) this.#messages.push({ role: "user", content: this.#waiting });
    return this.#messages;
  }
}

function isSystem(message: unknown): message is JsonObject {
  return isObject(message) && message.role === "system";
}

function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return isText(content) ? [{ type: "text", text: content }] : [];
}

/** One text, with the cache marker that was the last. */
function toText(blocks: readonly unknown[]): JsonObject {
  const texts = blocks.filter(isObject);
  const marked = texts.findLast(({ cache_control }) => isObject(cache_control));
  const text = texts.map(({ text }) => isText(text) ? text : "").join("\n\n");
  return {
    type: "text",
    text: `<system>${text}</system>`,
    ...(marked !== undefined && { cache_control: marked.cache_control }),
  };
}
