/**
 * Google's `generateContent` as a native API: the body is forwarded unchanged, apart from
 * configured defaults.
 *
 * Shapes: https://ai.google.dev/api/generate-content and https://ai.google.dev/api/tokens
 * (2026-11-24).
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { snakeCase } from "../../core/text.ts";
import type { NativeApi, NativeCall } from "../../contract/native.ts";
import { readCount } from "../../contract/model_facts.ts";
import { toGeminiError } from "./errors.ts";
import type { Auth, Call } from "../../contract/vendor_request.ts";

/** The differences between Google's two APIs. */
export interface GenerateEndpoint {
  /** The URL before the method. */
  resource(call: Pick<Call, "model" | "provider">): string;
  auth(call: Pick<Call, "provider">): Auth;
  /** Whether each content must have a role; callers may omit the user's. */
  readonly requiresRoles?: boolean;
}

/** The native API of one endpoint. */
export function nativeGenerate(endpoint: GenerateEndpoint): NativeApi {
  const request = (call: NativeCall, method: string, body: JsonObject) => ({
    url: `${endpoint.resource(call)}:${method}`,
    headers: {},
    auth: endpoint.auth(call),
    body: endpoint.requiresRoles ? withRoles(body, call) : body,
  });
  return {
    framing: "sse",
    toRequest: (call) =>
      request(
        call,
        call.stream ? "streamGenerateContent?alt=sse" : "generateContent",
        withoutModel(withParams(call), call),
      ),
    counter: {
      toRequest: (call) => request(call, "countTokens", call.body),
      read: readCount("totalTokens"),
    },
    toError: toGeminiError,
    optional: OPTIONAL,
  };
}

/** Members that clients add on their own: settings and call IDs. */
const OPTIONAL: ReadonlySet<string> = new Set(["contents", "generationConfig"]);

/** The names of chat parameters in `generationConfig`, for configured defaults. */
const PARAMETERS = new Map([
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["top_k", "topK"],
  ["max_tokens", "maxOutputTokens"],
  ["max_completion_tokens", "maxOutputTokens"],
  ["stop", "stopSequences"],
  ["seed", "seed"],
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
]);

/** The caller's body with the configured defaults that it lacks. */
function withParams({ body, params, changes }: NativeCall): JsonObject {
  const entries = Object.entries(params);
  if (entries.length === 0) return body;
  const spelling = body.generation_config === undefined ? "generationConfig" : "generation_config";
  const config = isObject(body[spelling]) ? body[spelling] : {};
  const added: JsonObject = {};
  for (const [name, value] of entries) {
    const native = PARAMETERS.get(name);
    if (native === undefined) changes.ignore(name);
    else if (config[native] === undefined && config[snakeCase(native)] === undefined) {
      added[native] = name === "stop" && typeof value === "string" ? [value] : value;
    }
  }
  return Object.keys(added).length === 0 ? body : { ...body, [spelling]: { ...config, ...added } };
}

/**
 * Removes the model from the body: the path names it, and a proxy might use the one in the body.
 */
function withoutModel(body: JsonObject, { changes }: NativeCall): JsonObject {
  if (body.model === undefined && body.models === undefined) return body;
  const { model: _, models: __, ...others } = body;
  if (body.model !== undefined) changes.ignore("model");
  if (body.models !== undefined) changes.ignore("models");
  return others;
}

/** Adds the user role to contents without a role. */
function withRoles(body: JsonObject, { changes }: NativeCall): JsonObject {
  const { contents } = body;
  const lacksRole = (content: unknown) => isObject(content) && content.role === undefined;
  if (!Array.isArray(contents) || !contents.some(lacksRole)) return body;
  changes.add("contents");
  const complete = contents.map((content: unknown) =>
    isObject(content) && lacksRole(content) ? { role: "user", ...content } : content
  );
  return { ...body, contents: complete };
}
