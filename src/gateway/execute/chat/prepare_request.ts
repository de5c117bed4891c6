/** Prepares a chat request for a target: applies the support tables, then converts it. */

import { type ChatRequest, REASONING_EFFORTS } from "../../../contract/chat.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import type { Target } from "../../../config/config.ts";
import { withoutLimits } from "../../../apis/chat/output_limits.ts";
import { traitsOf, withWebSearch } from "../../../apis/chat/web_search.ts";
import { copyTexts } from "../../../core/json/number_texts.ts";
import type { Adapter } from "../../../contract/adapter.ts";
import { applySupport, checkContent, placeField, type Support } from "../../../contract/support.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import type { RequestFeatures } from "../../request_features.ts";
import {
  type SupportedCall,
  withoutClientMembers,
  withoutRefused,
  withoutToolMedia,
  withOwnMarks,
} from "./refusals.ts";
import type {
  Call,
  ProviderSettings,
  TargetModel,
  VendorRequest,
} from "../../../contract/vendor_request.ts";
import { withinDepth } from "../../../core/errors.ts";

/** The members that the gateway handles. */
const FOLLOWED: ReadonlySet<string> = new Set(["sort", "order", "only", "max_price"]);

/**
 * The request without `provider`, unless the vendor supports it. The receipt lists these members as
 * converted and all others as ignored.
 */
function withoutProviderMember(
  request: ChatRequest,
  { takesProviderMember }: Adapter,
  settings: ProviderSettings,
  changes: RequestChanges,
): ChatRequest {
  if (!isObject(request.provider) || takesProviderMember?.(settings)) return request;
  const { provider, ...rest } = request;
  for (const [name, value] of Object.entries(provider as object)) {
    if (value == null) continue;
    if (FOLLOWED.has(name)) changes.convert(`provider.${name}`);
    else changes.ignore(`provider.${name}`);
  }
  return rest as ChatRequest;
}

/** A request in the target's format. */
export interface Prepared extends SupportedCall {
  readonly unsigned: VendorRequest;
}

/**
 * Converts a request for one target, without sending anything. Exported for tests.
 *
 * @param changes records everything that is ignored or converted
 * @throws {GatewayError} with status 400 for content that the target does not support.
 */
export function prepare(
  target: Target,
  original: ChatRequest,
  changes: RequestChanges,
  newId: Call["newId"],
): Prepared {
  const checked = check(target, original, changes, newId);
  return withinMarks(toUnsigned(checked), checked);
}

/**
 * The first half of {@linkcode prepare}: applies the target's support tables.
 *
 * @throws {GatewayError} `unsupported_content` for content that the target does not support.
 */
export function check(
  target: Target,
  original: ChatRequest,
  changes: RequestChanges,
  newId: Call["newId"],
): SupportedCall {
  const { provider, model, params } = target;
  const own = withoutProviderMember(original, provider.adapter, provider.settings, changes);
  const plain: ChatRequest = params === undefined ? own : { ...withoutLimits(params, own), ...own };
  const toOutline = (request: ChatRequest): Call => ({
    request,
    fields: {},
    model,
    provider: provider.settings,
    changes,
    stream: request.stream ?? false,
    newId,
  });
  const { adapter, outline } = route(provider.adapter, plain, toOutline);
  const { request } = outline;
  return withinDepth(() => {
    checkContent(request, adapter.supports, model.facts.capabilities?.vision);
    const { reasoning_effort: effort } = request;
    const isVendors = effort !== undefined && !REASONING_EFFORTS.includes(effort);
    const known = isVendors ? withoutEffort(request) : request;
    const overrides = adapter.supportFor?.(known, model, outline.provider) ?? {};
    const fields = applySupport(known, adapter.supports, overrides, changes);
    if (isVendors) placeEffort(effort, { adapter, model, overrides, changes, fields });
    return { adapter, call: { ...outline, request: known, fields } };
  });
}

/**
 * Chooses the adapter of a call. For a vendor without web search, it is removed from the request.
 */
function route(
  own: Adapter,
  plain: ChatRequest,
  toOutline: (request: ChatRequest) => Call,
): { readonly adapter: Adapter; readonly outline: Call } {
  const { webSearch } = traitsOf(plain);
  const routed = (request: ChatRequest) => {
    const outline = toOutline(request);
    return { adapter: own.route?.(outline) ?? own, outline };
  };
  if (webSearch === undefined) return routed(plain);
  const searching = routed(withWebSearch(plain, webSearch));
  const { extensions } = searching.adapter.supports;
  if (extensions !== "all" && Object.hasOwn(extensions, "web_search_options")) return searching;
  searching.outline.changes.ignore(webSearch.tool);
  return routed(plain);
}

function withoutEffort(request: ChatRequest): ChatRequest {
  const { reasoning_effort: _, ...known } = request;
  return known as ChatRequest;
}

interface EffortTarget {
  readonly adapter: Adapter;
  readonly model: TargetModel;
  readonly overrides: Readonly<Record<string, Support>>;
  readonly changes: RequestChanges;
  readonly fields: JsonObject;
}

/** An effort that OpenAI does not define is forwarded unchanged or ignored. */
function placeEffort(word: string, target: EffortTarget): void {
  const { adapter: { supports, takesEffort }, model, overrides, changes, fields } = target;
  const rule = Object.hasOwn(overrides, EFFORT) ? overrides[EFFORT] : supports.parameters[EFFORT];
  const passes = rule?.level === "native" || rule?.level === "renamed";
  if (rule !== undefined && passes && (takesEffort?.(word, model) ?? true)) {
    placeField(fields, EFFORT, { [EFFORT]: word }, rule, changes);
  } else if (word !== MODELS_OWN_EFFORT) changes.ignore(EFFORT);
}

const EFFORT = "reasoning_effort";
/** The effort that means the model's default. */
const MODELS_OWN_EFFORT = "default";

/**
 * The second half of {@linkcode prepare}.
 *
 * @param features change the request in the target's format
 * @param own the adapter of the provider, which may have chosen another one for the call
 */
export function convert(
  checked: SupportedCall,
  features: RequestFeatures,
  own: Adapter,
): Prepared | Promise<Prepared> {
  const sent = withFeatures(toUnsigned(checked), features, own);
  return sent instanceof Promise
    ? sent.then((late) => withinMarks(late, checked))
    : withinMarks(sent, checked);
}

function toUnsigned(checked: SupportedCall): Prepared {
  const { adapter, call } = withoutRefused(
    withoutToolMedia(withoutClientMembers(withOwnMarks(checked))),
  );
  return { adapter, call: checked.call, unsigned: withinDepth(() => adapter.toRequest(call)) };
}

function withinMarks({ adapter, call, unsigned }: Prepared, checked: SupportedCall): Prepared {
  const marked = withFewMarks(unsigned, checked);
  copyTexts(call.request, marked.body);
  return { adapter, call, unsigned: marked };
}

/** The same request with the changes of features in the target's format. */
export function withFeatures(
  prepared: Prepared,
  features: RequestFeatures,
  own: Adapter,
): Prepared | Promise<Prepared> {
  if (!features.sends) return prepared;
  const { adapter, call, unsigned } = prepared;
  const { model, provider, changes } = call;
  const target = { api: adapter, adapter: own, model, provider, changes };
  const changed = withinDepth(() => features.send(unsigned, target));
  return changed instanceof Promise
    ? changed.then((late) => ({ adapter, call, unsigned: late }))
    : { adapter, call, unsigned: changed };
}

/** Keeps as many of the caller's cache breakpoints as the vendor accepts. */
function withFewMarks(request: VendorRequest, { adapter, call }: SupportedCall): VendorRequest {
  const limited = adapter.promptMarks?.(call.model)?.limit(request.body);
  if (limited === undefined) return request;
  call.changes.convert("cache_control", limited.from, limited.to);
  return { ...request, body: limited.body };
}
