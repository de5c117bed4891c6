/**
 * Custom tools, whose input is text that may have to match a grammar: only OpenAI has them
 * (https://platform.openai.com/docs/guides/function-calling#custom-tools, 2026-11-26). For other
 * vendors, they are functions with one text argument.
 */

import { InnerJson } from "../../core/json/inner_json.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText, toText } from "../../core/json/values.ts";
import type { FunctionDefinition } from "../../contract/chat.ts";
import * as z from "zod";
import { entryOf } from "../../contract/first_fault.ts";

/** The member of the arguments that contains the input. */
const INPUT = "input";

/**
 * A custom tool as a function.
 *
 * @param tool with its grammar as in the Responses API, or one level deeper as in chat completions
 */
export function toTextFunction(
  { description, format }: JsonObject,
  name: string,
): FunctionDefinition {
  const outer = isObject(format) ? format : {};
  const grammar = isObject(outer.grammar) ? outer.grammar : outer;
  const texts = [
    toText(description),
    `Pass the whole input of the tool as text in \`${INPUT}\`.`,
    isText(grammar.definition)
      ? `The text must match this ${toText(grammar.syntax)} grammar:\n${grammar.definition}`
      : "",
  ];
  return {
    name,
    description: texts.filter(isText).join("\n\n"),
    parameters: {
      type: "object",
      properties: { [INPUT]: { type: "string" } },
      required: [INPUT],
      additionalProperties: false,
    },
  };
}

/** The input of a custom tool as arguments of the function. */
export function toTextArguments(input: string): string {
  return JSON.stringify({ [INPUT]: input });
}

/**
 * The input of a custom tool, from the arguments that the model wrote; unchanged if they do not
 * have that form, or contain too much JSON.
 */
export function toTextInput(text: string): string {
  try {
    const parsed = new InnerJson().parse(text);
    if (isObject(parsed) && typeof parsed[INPUT] === "string") return parsed[INPUT];
  } catch {
    // The model wrote the input itself.
  }
  return text;
}

/** What callers may send, as a JSON Schema. Rules that only code checks are omitted. */
export function toJsonSchema(schema: z.core.$ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // Every JSON number is at most this, so the bound has no effect.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      const collection = entryOf(zodSchema);
      if (collection === undefined) return;
      const entry = toJsonSchema(collection.entry);
      Object.assign(
        jsonSchema,
        collection.bounds === undefined ? { type: "object", additionalProperties: entry } : {
          type: "array",
          items: entry,
          ...(collection.bounds.min && { minItems: collection.bounds.min }),
          ...(collection.bounds.max !== undefined && { maxItems: collection.bounds.max }),
        },
      );
    },
  });
  return json;
}
