/** Counts the input tokens of a request with the target's counter. */

import type { ConvertedRequest } from "../../apis/chat/caller_format.ts";
import type { FieldPaths } from "../../apis/chat/field_paths.ts";
import type { Target } from "../../config/config.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { MAX_BYTES_AT_ONCE } from "../../core/json/writer.ts";
import type { NativeApi, TokenCounter } from "../../contract/native.ts";
import { needsImages } from "../../upstream/images/request_images.ts";
import { parseAnswer } from "../../upstream/vendor_answer.ts";
import { explainRows } from "./chat/explain_chat.ts";
import { nativeCaller } from "../rejected_fields.ts";
import { explainUnchanged, type Row } from "../explained_changes.ts";
import type { RequestFeatures } from "../request_features.ts";
import { tokenFamilyOf } from "../../apis/token_families.ts";
import type {
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../operation.ts";
import { check } from "./chat/prepare_request.ts";
import { type NativeRequest, NO_HEADERS } from "./native.ts";
import { type FormatChat, nativeApiOf } from "./native_or_converted.ts";
import { withoutRefused } from "./chat/refusals.ts";
import type { VendorSession } from "../vendor_session.ts";
import type { VendorRequest } from "../../contract/vendor_request.ts";
import { withinDepth } from "../../core/errors.ts";

/** A request to count tokens, in one caller format. */
export interface CountRequest {
  /** The request whose tokens are counted. */
  readonly chat: FormatChat;
  /** The API that counts in place of the format's own, for a target without it. */
  counterOf?(target: Target): CountingApi | undefined;
  /** Whether a request that cannot be converted is refused even if the target has no counter. */
  readonly mustConvert?: boolean;
  write(tokens: number): JsonObject;
}

type CountingApi = Pick<NativeApi, "counter" | "optional" | "toError">;

/** A request to a vendor's counter, and the function that reads its answer. */
interface Counting {
  readonly request: VendorRequest;
  readonly counter: Pick<TokenCounter<never>, "mayRefuse" | "read">;
  readonly toError: NativeApi["toError"];
  /** How the parameters were handled, for an explanation. */
  readonly rows: () => readonly Row[];
  /** The caller's fields, if the request was converted. */
  readonly origins?: FieldPaths;
}

/** The request to a target's counter; undefined if it has none for this request. */
async function toCounting(
  { chat, counterOf, mustConvert }: CountRequest,
  features: RequestFeatures,
  target: Target,
  context: ExplainContext,
): Promise<Counting | undefined> {
  const { changes } = context;
  const other = features.allowsNative ? counterOf?.(target) : undefined;
  const api = nativeApiOf(chat, target, features) ?? other;
  if (api !== undefined) {
    const native = await chat.toNative(target, changes);
    return toNativeCounting(api, { ...native, features }, target, context);
  }
  const convert = () => {
    const converted = withinDepth(() => chat.convert(target));
    changes.include(converted.changes);
    return converted;
  };
  const converted = mustConvert ? convert() : undefined;
  return await toChatCounting(() => converted ?? convert(), features, target, context);
}

/** The request to the token counter of a native API; undefined if it has none. */
function toNativeCounting(
  { counter, optional, toError }: CountingApi,
  { body, headers = NO_HEADERS, features }: Pick<NativeRequest, "body" | "headers" | "features">,
  target: Target,
  { clock, changes, state }: Pick<ExplainContext, "clock" | "changes" | "state">,
): Counting | undefined {
  if (counter === undefined) return undefined;
  const { provider: { adapter, settings: provider }, model } = target;
  const caller = { body, headers, params: {}, model, provider, changes, stream: false };
  const call = features.nativeCall(caller);
  const converted = withinDepth(() => counter.toRequest(call));
  const rejections = state.rejectionsOf(target);
  const request = rejections?.apply(converted, nativeCaller(call.body, optional), changes, clock) ??
    converted;
  const rows = () => explainUnchanged(call.body, {}, changes, adapter.adds);
  return { request, counter, toError, rows };
}

/** The converted request to a target's counter; undefined if it has none for this request. */
async function toChatCounting(
  convert: () => ConvertedRequest,
  features: RequestFeatures,
  target: Target,
  { changes, newId }: Pick<ExplainContext, "newId" | "changes">,
): Promise<Counting | undefined> {
  const { adapter, settings } = target.provider;
  const counter = adapter.counter?.(settings, target.model);
  if (counter === undefined) return undefined;
  const { chat, origins } = convert();
  const featured = await features.readChat(chat);
  const { api } = counter;
  const counted = api === undefined ? target : { ...target, model: { ...target.model, api } };
  return withinDepth(() =>
    origins.locating(() => {
      const { request: own } = featured;
      const checked = withoutRefused(featured.call(check(counted, own, changes, newId)));
      const { adapter: { imageSources, toError }, call } = checked;
      // Images are not downloaded to be counted.
      if (needsImages(call.request.messages, imageSources)) return undefined;
      const rows = () => explainRows(checked, own, changes);
      return { request: counter.toRequest(call), counter, toError, origins, rows };
    })
  );
}

/**
 * Calls a vendor's token counter.
 *
 * @param body the caller's body, for errors
 * @param isLarge whether the request is written in time slices
 * @returns undefined if the vendor has no such endpoint
 */
async function askCounter(
  { request, counter, toError, origins }: Counting,
  body: JsonObject,
  session: VendorSession,
  isLarge: boolean,
): Promise<number | undefined> {
  const response = await session.send(request, isLarge);
  if (!response.ok) {
    const error = await session.readError(response, toError);
    const isRefused = counter.mayRefuse === true && error.kind === "invalid_request";
    if (isRefused || error.kind === "model_not_found") return undefined;
    const failure = session.toCallerError(error, body, response);
    throw origins?.locate(failure) ?? failure;
  }
  const answer = parseAnswer(await session.readText(response));
  session.deadline.end();
  return isObject(answer) ? counter.read(answer) : undefined;
}

/**
 * Counts the input tokens of one request with the target's counter, or estimates them. It does not
 * call a model, so only the request limits of the key apply, not model limits, budgets or speed
 * measurements.
 */
export class CountOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly callsNoModel = true;
  readonly #request: CountRequest;
  readonly #features: RequestFeatures;
  readonly #onEstimate: () => void;

  /** @param onEstimate called if the answer is an estimate */
  constructor(request: CountRequest, features: RequestFeatures, onEstimate: () => void) {
    this.#request = request;
    this.#features = features;
    this.#onEstimate = onEstimate;
  }

  /** A count generates nothing, so it uses no tokens of a limit. */
  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const request = this.#request;
    const counting = await toCounting(request, this.#features, target, context);
    const isLarge = context.record.bodyBytes > MAX_BYTES_AT_ONCE;
    return {
      adapter: target.provider.adapter,
      stream: false,
      execute: async (session) => {
        const count = counting && await askCounter(counting, request.chat.body, session, isLarge);
        return {
          type: "text",
          text: JSON.stringify(request.write(count || this.#estimateFor(target))),
          usage: undefined,
          summary: { id: "", model: "", finishReasons: [] },
        };
      },
    };
  }

  async explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    const counting = await toCounting(this.#request, this.#features, target, context);
    const { request, rows, origins } = counting ?? {};
    return { unsigned: request, rows: rows?.() ?? [], ...(origins && { origins }) };
  }

  #estimateFor({ model }: Target): number {
    this.#onEstimate();
    return this.#request.chat.estimate(tokenFamilyOf(model.base)).input;
  }
}
