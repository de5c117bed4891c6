/** `POST /v1beta/models/{model}:countTokens`. */

import { countInput } from "../../chat/token_estimate.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { toCountedContent, withoutOwnState } from "../../formats/gemini/native_body.ts";
import { readGenerateRequest } from "../../formats/gemini/read_request.ts";
import type { ConversionDeps } from "../conversion_deps.ts";
import { type CountRequest, toChatCounting, toNativeCounting } from "../counting.ts";

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** A request of Gemini's API. */
interface GeminiCount {
  /** The body as it came. */
  readonly body: JsonObject;
  /** The request whose tokens are counted: the body, or its `generateContentRequest`. */
  readonly counted: JsonObject;
  readonly model: string;
}

/** The count of a request of Gemini's API. */
export function toGeminiCount(
  { body, counted, model }: GeminiCount,
  { interceptions }: Pick<ConversionDeps, "interceptions">,
): CountRequest {
  /** The body as it came, with the vendor's name of the model inside a whole request. */
  const forVendor = (upstream: string): JsonObject => {
    const clean = withoutOwnState(counted);
    if (counted === body) return clean;
    const name = upstream.includes("/") ? upstream : `models/${upstream}`;
    return { generateContentRequest: { ...clean, model: name } };
  };
  return {
    body,
    async toCounting(target, context) {
      const { provider: { adapter, settings }, model: configured } = target;
      const api = adapter.native?.("gemini", configured, settings);
      if (api !== undefined) {
        const request = {
          body: forVendor(configured.upstream),
          headers: NO_HEADERS,
          interceptions,
        };
        return toNativeCounting(api, request, target, context);
      }
      const convert = () => {
        const converted = readGenerateRequest(counted, { model, stream: false });
        context.receipt.include(converted.receipt);
        return converted;
      };
      return await toChatCounting(convert, interceptions, target, context);
    },
    estimate: (family) => countInput(toCountedContent(counted), [counted.tools]).tokens(family),
    write: (totalTokens) => ({ totalTokens }),
  };
}
