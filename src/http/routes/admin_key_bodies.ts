/** The bodies of the routes for keys: their size, their schemas and their errors. */

import { invalidValue } from "../../core/invalid_value.ts";
import * as z from "zod";
import { isObject } from "../../chat/chat.ts";
import { keySettings } from "../../config/keys.ts";
import { duration } from "../../config/values.ts";
import { GatewayError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { sentenceOf, shortPathOf, worstIssue } from "../../core/validation_messages.ts";
import { readJson } from "../request_body.ts";
import type { RouteContext } from "./route.ts";

const MAX_BODY_BYTES = 64 * 1024;
const JSON_LIMITS = { elements: 2000, members: 1000, depth: 16 };
const MAX_NAME_CHARS = 100;
const MAX_PATTERNS = 1000;

const name = z.string().min(1).refine(isName, {
  error: `must be 1 to ${MAX_NAME_CHARS} printable characters without spaces at its ends`,
});

const models = keySettings.shape.models.refine((list) => (list?.length ?? 0) <= MAX_PATTERNS, {
  error: `must have at most ${MAX_PATTERNS} entries`,
});

/** The body of `POST /v1/admin/keys`: an entry of `server.keys` without `key`. */
export const newKeyBody = z.strictObject({ name, ...keySettings.shape, models });

/** The body of `PATCH /v1/admin/keys/{key_id}`: null removes a setting. */
export const keyChangesBody = z.strictObject({
  models: models.nullable(),
  limits: keySettings.shape.limits.nullable(),
  budget: keySettings.shape.budget.nullable(),
  expires: z.union([z.null(), keySettings.shape.expires]),
  priority: keySettings.shape.priority.nullable(),
  weight: keySettings.shape.weight.nullable(),
});

/** The body of `POST /v1/admin/keys/{key_id}/rotate`; it may be absent. */
export const rotationBody = z.strictObject({
  overlap: duration("How long the text before stays valid", "0s").prefault("0s"),
});

/**
 * Reads and validates a body.
 *
 * @throws {GatewayError} `invalid_value` with the path in `param`, `invalid_request` for anything
 * but a JSON object, and the errors of {@linkcode readJson}.
 */
export async function readAdminBody<Schema extends z.ZodType>(
  request: Request,
  { config: { server }, deps, incoming }: RouteContext,
  schema: Schema,
  maxBytes = MAX_BODY_BYTES,
): Promise<z.output<Schema>> {
  const rules = {
    maxBytes,
    maxPauseMs: server.bodyTimeout,
    json: JSON_LIMITS,
    incoming: server.bodies.incoming,
  };
  const { value } = await readJson(request, rules, {
    incoming,
    deps,
    record: { memory: undefined },
  });
  return parseAdminBody(value, schema);
}

/** Validates a body. @throws {GatewayError} as {@linkcode readAdminBody}. */
export function parseAdminBody<Schema extends z.ZodType>(
  body: unknown,
  schema: Schema,
): z.output<Schema> {
  if (!isObject(body)) {
    throw new GatewayError("invalid_request", "The request body must be a JSON object");
  }
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  const issue = worstIssue(result.error.issues);
  throw invalidValue(shortPathOf(issue.path), sentenceOf(issue));
}

/** Control characters could forge lines of a terminal or a log. */
function isName(text: string): boolean {
  return text.length <= MAX_NAME_CHARS && text.trim() === text && !text.includes("\n") &&
    printable(text) === text;
}
