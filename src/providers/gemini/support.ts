/** The support levels for Gemini in both of Google's APIs. */

import {
  converted,
  ignored,
  native,
  nativeAs,
  RARE_CONTENT,
  renamed,
  type Support,
  type SupportTable,
} from "../../contract/support.ts";
import { toServiceTier } from "../../apis/usage.ts";
import type { Call } from "../../contract/vendor_request.ts";
import type { Parameter } from "../../contract/chat.ts";

/** Parameters that Google's two APIs for Gemini support differently. */
export type OwnParameter = "metadata" | "store" | "service_tier";

/** The support levels that both APIs share. */
export const GEMINI_SUPPORTS = {
  parameters: {
    stream: nativeAs("another method of the model"),
    stream_options: converted("usage is always reported; the caller gets it only on request"),
    max_tokens: renamed("generationConfig.maxOutputTokens", "at most the model's maximum"),
    max_completion_tokens: renamed(
      "generationConfig.maxOutputTokens",
      "takes precedence over max_tokens",
    ),
    temperature: renamed("generationConfig.temperature"),
    top_p: renamed("generationConfig.topP"),
    n: renamed("generationConfig.candidateCount", "at most 8, not in a stream"),
    stop: renamed("generationConfig.stopSequences", "at most 5"),
    seed: renamed("generationConfig.seed", "32 bits"),
    frequency_penalty: renamed("generationConfig.frequencyPenalty", "before 2.5 only"),
    presence_penalty: renamed("generationConfig.presencePenalty", "before 2.5 only"),
    logit_bias: ignored("no such field"),
    logprobs: renamed("generationConfig.responseLogprobs"),
    top_logprobs: renamed("generationConfig.logprobs"),
    tools: nativeAs("functions, as functionDeclarations"),
    tool_choice: renamed("toolConfig.functionCallingConfig"),
    parallel_tool_calls: converted("only the first call of an answer is passed on"),
    functions: converted("tools"),
    function_call: converted("toolConfig.functionCallingConfig"),
    response_format: converted("generationConfig.responseJsonSchema, else an instruction"),
    reasoning_effort: converted("generationConfig.thinkingConfig: a level or a budget"),
    verbosity: ignored("no such field"),
    user: ignored("no such field"),
    prediction: ignored("no such field"),
    modalities: converted("generationConfig.responseModalities: text and image"),
    audio: ignored("no audio answers"),
  },
  content: {
    developer_message: converted("moved into systemInstruction"),
    message_name: converted("omitted, and reported"),
    image_url: converted("downloaded and sent as bytes; Google's own URLs are sent unchanged"),
    image_data: native,
    input_audio: native,
    file: nativeAs("as a data URL"),
    ...RARE_CONTENT,
    video_url: converted("fileData, or bytes for a data URL"),
    file_url: converted("fileData, or bytes for a data URL"),
  },
  extensions: {
    top_k: renamed("generationConfig.topK"),
    thinking: converted("generationConfig.thinkingConfig"),
    safety_settings: renamed("safetySettings"),
    cached_content: renamed("cachedContent"),
    web_search_options: converted(
      "googleSearch, no options; with functions only Gemini 3 of Gemini's API",
    ),
    extra_body: converted("google.thinking_config, cached_content and safety_settings"),
  },
} satisfies Omit<SupportTable, "parameters"> & {
  readonly parameters: Readonly<Record<Exclude<Parameter, OwnParameter>, Support>>;
};

const SERVICE_TIERS = new Map([
  ["flex", "flex"],
  ["priority", "priority"],
  ["default", "standard"],
  ["standard", "standard"],
]);

/**
 * The vendor's service tier; undefined if none is sent.
 *
 * @param to the vendor's field, for the receipt
 */
export function toGeminiTier(call: Call, to: string): string | undefined {
  const sent = toServiceTier(call, SERVICE_TIERS);
  const isSame = sent !== undefined && sent === call.request.service_tier;
  if (isSame) call.changes.rename("service_tier", to);
  return sent;
}
