/** The JSON Schema of a zod schema, with the lists and maps that stop at the first error. */

import * as z from "zod";
import { entryOf } from "../../contract/first_fault.ts";

/** What callers may send, as a JSON Schema. What only code checks is left out. */
export function toJsonSchema(schema: z.core.$ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // Any number of JSON is at most this; it says nothing.
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
