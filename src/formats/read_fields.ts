/** Reads the body of a request by a schema. */

import * as z from "zod";
import { isObject, type JsonObject } from "../core/json/object.ts";
import { GatewayError } from "../core/errors.ts";
import { copyTexts, withTextsOf } from "../core/json/number_texts.ts";
import { invalidValue } from "../core/invalid_value.ts";
import { sentenceOf, shortPathOf, worstIssue } from "../core/validation_messages.ts";

/** The maximum number of fallback models of one request. */
const MAX_MODELS = 16;

/** The members that choose the models of a request. */
export const modelMembers = {
  model: z.string().min(1),
  models: z.array(z.string().min(1)).max(MAX_MODELS).nullish(),
};

/**
 * A body that is an object.
 *
 * @throws {GatewayError} `invalid_request` for any other.
 */
export function readObject(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw new GatewayError("invalid_request", "The request body must be a JSON object");
}

/**
 * Checks the members of a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readFields<Schema extends z.ZodObject>(
  members: JsonObject,
  schema: Schema,
): z.infer<Schema> {
  const result = schema.safeParse(members, { reportInput: true });
  if (result.success) return withTextsOf(members, result.data);
  const issue = worstIssue(result.error.issues);
  throw invalidValue(shortPathOf(issue.path), sentenceOf(issue));
}

/** A copy without members that are null, which means that they are absent. */
export function withoutNulls(members: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const name in members) if (members[name] !== null) copy[name] = members[name];
  copyTexts(members, copy);
  return copy;
}
