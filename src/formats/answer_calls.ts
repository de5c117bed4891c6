/** Tool calls of answers, for formats whose arguments are an object. */

import type { AnswerToolCall } from "../chat/chat.ts";
import { JsonError } from "../core/json/error.ts";
import type { InnerJson } from "../core/json/inner_json.ts";
import type { JsonObject } from "../core/json/object.ts";
import { parseArguments } from "../providers/shared/tool_pairing.ts";

/** A call whose arguments are still text. */
export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** The name and the arguments of a call. The input of a custom tool is one argument. */
export function readCall(call: AnswerToolCall): WrittenCall {
  if (call.type === "function") {
    return { id: call.id, name: call.function.name, text: call.function.arguments };
  }
  const text = JSON.stringify({ input: call.custom.input });
  return { id: call.id, name: call.custom.name, text };
}

/**
 * The arguments as an object. Arguments that hold too much JSON stay text, as malformed ones do.
 *
 * @param json the budget of all calls of the answer
 */
export function argumentsOf(text: string, json: InnerJson): JsonObject {
  try {
    return parseArguments(text, json);
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    return { arguments: text };
  }
}
