/** Moderation in the OpenAI dialect: `POST /moderations`. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { GatewayError } from "../../core/errors.ts";
import type { OperationTables } from "../../contract/operation_api.ts";
import type {
  ModerationApi,
  ModerationBody,
  ModerationCall,
  ModerationRequest,
} from "../../contract/rerank.ts";
import { native, refused } from "../../contract/support.ts";
import { countIn } from "../shared/rerank.ts";
import type { VendorAnswer } from "../../contract/vendor_request.ts";

/** Moderation with OpenAI's inputs: https://platform.openai.com/docs/api-reference/moderations (2026-11). */
export const OPENAI_MODERATIONS = dialectModerations(true, "all");

/**
 * Moderation for a vendor of the dialect.
 *
 * @param takesParts whether an input may consist of texts and images; otherwise only of texts
 */
export function dialectModerations(
  takesParts: boolean,
  extensions: OperationTables["extensions"],
): ModerationApi {
  return {
    supports: { parameters: {}, extensions },
    contents: { image_url: takesParts ? native : refused("text only") },
    adds: {},
    toRequest: (call) => ({
      url: `${call.provider.baseUrl}/moderations`,
      headers: {},
      auth: { type: "bearer" },
      body: {
        model: call.model.upstream,
        input: takesParts ? call.request.input : textsOf(call),
        ...call.fields,
      },
    }),
    toBody,
  };
}

/** Parts of text are one text. */
function textsOf(
  { request: { input }, changes }: ModerationCall,
): ModerationRequest["input"] {
  if (typeof input === "string") return input;
  const parts = input.filter(isObject);
  if (parts.length === 0) return input;
  const at = parts.findIndex(({ type }) => type !== "text");
  if (at !== -1) {
    throw new GatewayError("unsupported_content", "The provider judges only text", {
      param: `input[${at}]`,
    });
  }
  changes.convert("input");
  return parts.map(({ text }) => String(text)).join("\n");
}

function toBody({ body }: VendorAnswer): ModerationBody | undefined {
  if (!isObject(body)) return undefined;
  const { id, model, results, ...extra } = body;
  if (!Array.isArray(results) || !results.every(isJudgement)) return undefined;
  return {
    results,
    id: isText(id) ? id : undefined,
    model: isText(model) ? model : undefined,
    tokens: countIn(extra.usage, "prompt_tokens", "total_tokens"),
    extra,
  };
}

function isJudgement(result: unknown): result is JsonObject {
  return isObject(result) && isObject(result.categories);
}
