/** Explains a request: its targets in order, the request for each target, and the reasons. */

import { planOf, toChain } from "./fallback_chain.ts";
import type { JsonObject } from "../contract/chat.ts";
import { TimeSlice } from "../core/clock.ts";
import type { Balance, Config, FallbackTarget, Target } from "../config/config.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import type { SentRequest } from "./feature.ts";
import type { AttemptRules } from "./feature_attempts.ts";
import type { Principal } from "../identity/principal.ts";
import { startRequest } from "./plan.ts";
import { priceUnknown } from "../governance/refusals.ts";
import { isBilled, isCostKnown, maxOutputOf, UsualOutput } from "../governance/reservation.ts";
import type { Credentials } from "../upstream/credentials/credentials.ts";
import { REDACTED } from "../upstream/credentials/scheme.ts";
import type { ParsedRequest } from "./parsed_request.ts";
import { checkOperation, type ExplainableOperation } from "./operation.ts";
import { tokensOfChars } from "../apis/chat/token_estimate.ts";
import { estimateOf } from "./request_limits.ts";
import { tokenFamilyOf } from "../apis/token_families.ts";
import { RouteTrace, type SkippedTarget, withBalance } from "./order/route_trace.ts";
import { TargetQueue } from "./order/target_queue.ts";
import { RequestChanges } from "../contract/request_changes.ts";
import type { VendorRequest } from "../contract/vendor_request.ts";
import { type PathDeps, refuseIgnored } from "./attempt.ts";
import { usdOf } from "../governance/cost.ts";
import { UNITS } from "../core/units.ts";
import { readOnly } from "./order/rank.ts";

/** The request whose usage is estimated. */
export interface EstimatedRequest {
  readonly operation: ExplainableOperation;
  /** Its size; 0 if it is unknown. */
  readonly bytes: number;
  /** The typical output of models; undefined before their first answer. */
  readonly usualOutput: UsualOutput | undefined;
}

/** The caller and the level of detail of an explanation. */
export interface ExplainInput {
  /** The value of `x-sluice-strict`. */
  readonly strict: boolean;
  /** The value of `x-sluice-order`. */
  readonly balance?: Balance | undefined;
  readonly principal: Principal;
  readonly config: Config;
  /** Whether the addresses in config.yaml are shown. Callers must not see them. */
  readonly addresses: boolean;
  /** The size of the request in bytes. */
  readonly bytes: number;
  /** The options of the request. */
  readonly sent?: SentRequest | undefined;
}

/** The maximum product of the request's size in bytes and the number of its targets. */
const MAX_EXPLAINED_BYTES = 4 * 1024 * 1024;

/** The dependencies of an explanation. Nothing is sent or downloaded. */
export type ExplainDeps =
  & Partial<Pick<PathDeps, "limiter">>
  & Pick<
    PathDeps,
    | "answers"
    | "clock"
    | "credentials"
    | "download"
    | "newId"
    | "operations"
    | "plans"
    | "random"
    | "reasoning"
    | "state"
    | "unsettled"
  >;

/**
 * Shows the request that each target would receive, without sending it. Credentials are neither
 * fetched nor shown.
 *
 * @throws {GatewayError} `model_not_found`, or `too_large` for too many targets.
 */
export async function explain(
  parsed: ParsedRequest,
  input: ExplainInput,
  deps: ExplainDeps,
): Promise<JsonObject> {
  const { bytes: bodyBytes, config, principal, sent, strict } = input;
  const { key } = principal;
  const { clock, random, state } = deps;
  const notes = new RouteTrace();
  const chosen = withBalance(parsed.routeOptions, input.balance);
  const { stream } = parsed;
  const tokens = tokensOfChars(bodyBytes);
  const known = readOnly(state);
  const plan = planOf(parsed.models, key, config, deps.plans);
  const caller = { principal, options: { strict, sent }, record: { bodyBytes } };
  const features = startRequest(parsed, plan, caller, chosen);
  const context = { principal, config, deps, record: { bodyBytes, features } };
  const order = {
    ...{ clock, random, state: known, stream, tokens, options: chosen, notes },
    order: features.order,
  };
  const found = toChain(parsed.models, key, config, order, {
    plan,
    providerOf: () => parsed.providerOf?.(context),
  });
  const isAvailable = (target: Target) => !state.isOpen(target, clock.now());
  const chain = new TargetQueue(found, isAvailable, notes).drain();
  if (bodyBytes * chain.length > MAX_EXPLAINED_BYTES) throw tooLarge(chain.length);
  // Done last, since converting large requests takes long.
  const operation = await parsed.createOperation(context);
  const rules = features.rules({
    ...{
      key,
      notes,
      first: chain[0]?.target,
      estimates: { forecast: undefined, bodyBytes },
    },
    tier: operation.chat?.service_tier ?? undefined,
    estimateFor: ({ model }) => estimateOf(operation, tokenFamilyOf(model.base), bodyBytes),
  });
  const slice = new TimeSlice();
  const targets: JsonObject[] = [];
  for (const [index, entry] of chain.entries()) {
    if (slice.isOver) await slice.next();
    targets.push({
      ...(index > 0 && { after: [...entry.onFailures] }),
      ...(entry.weight !== undefined && { weight: entry.weight }),
      // The notes assume that the first target answers.
      ...await explainTarget(entry, operation, input, deps, rules, index === 0 ? notes : undefined),
    });
  }
  const { model } = parsed.models;
  return {
    object: "explanation",
    model,
    ...(plan.pattern !== undefined && { alias: plan.pattern }),
    ...(notes.text !== undefined && { route: notes.text }),
    ...features.explain(chain, rules),
    targets,
    ...(notes.skipped.length > 0 && { skipped: notes.skipped.map(toSkipped) }),
  };
}

function toSkipped({ target: { provider, model }, reason }: SkippedTarget): JsonObject {
  return { provider: provider.settings.id, model: model.upstream, reason };
}

function tooLarge(targets: number): GatewayError {
  const most = Math.floor(MAX_EXPLAINED_BYTES / targets);
  const message = `Only requests of at most ${most} bytes are explained for a chain of ${targets}`;
  return new GatewayError("too_large", message);
}

async function explainTarget(
  { target }: FallbackTarget,
  operation: ExplainableOperation,
  input: ExplainInput,
  { clock, credentials, limiter, newId, operations, state }: ExplainDeps,
  rules: AttemptRules | undefined,
  notes: RouteTrace | undefined,
): Promise<JsonObject> {
  const { settings, adapter } = target.provider;
  const who = {
    provider: settings.id,
    kind: adapter.kind,
    model: target.model.upstream,
    ...explainOrigin(target),
  };
  const changes = new RequestChanges();
  try {
    checkOperation(operation.name, target, operations);
    refuseUnknownPrice(target, operation, input);
    const allowed = rules?.allow(target);
    allowed?.note?.(changes);
    const context = { changes, clock, newId, state };
    const explained = await operation.explain(allowed?.target ?? target, context);
    const { unsigned, rows, parts, origins } = explained;
    notes?.addMarks(changes);
    if (input.strict) refuseIgnored(changes, origins);
    return {
      ...who,
      ...(unsigned === undefined ? { request: null, estimated: true } : {
        request: {
          method: "POST",
          url: toUrl(unsigned.url, target, input.addresses),
          headers: toHeaders(unsigned, target, credentials),
          body: unsigned.body,
          ...(parts !== undefined && { parts }),
        },
      }),
      receipt: rows,
      ...explainEstimate(allowed?.target ?? target, {
        ...{ operation, bytes: input.bytes, usualOutput: limiter?.usualOutput },
      }),
    };
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.kind === "internal") throw error;
    return { ...who, error: { status: error.status, ...error.toDetails() } };
  }
}

/** @throws {GatewayError} `price_unknown`, if the key's limits refuse the target. */
function refuseUnknownPrice(
  target: Target,
  operation: ExplainableOperation,
  { bytes, principal: { key } }: ExplainInput,
): void {
  if (key.budget === undefined || operation.callsNoModel || isCostKnown(key.budget, target)) return;
  if (!isBilled(estimateOf(operation, tokenFamilyOf(target.model.base), bytes))) return;
  throw priceUnknown(target.model.id, key.name);
}

/**
 * The source of the model, if it is unlisted or from the vendor's list, and since when that list
 * has failed to refresh.
 */
function explainOrigin({ origin, provider: { list } }: Target): JsonObject {
  if (origin === "config") return {};
  if (origin === "caller") return { listed: false };
  const { failure, readAt } = list ?? {};
  return {
    listed_by: origin,
    ...(readAt !== undefined && { listed_at: new Date(readAt).toISOString() }),
    ...(failure !== undefined && { list_is_stale: true }),
  };
}

/** Callers see the path after the base URL; operators see the whole URL. */
function toUrl(url: string, { provider }: Target, addresses: boolean): string {
  const clean = provider.redactor.redact(url);
  if (addresses) return clean;
  const { baseUrl } = provider.settings;
  if (baseUrl !== "" && clean.startsWith(baseUrl)) {
    return `{base_url}${clean.slice(baseUrl.length)}`;
  }
  return clean.replace(/^[a-z]+:\/\/[^/]*/, "{origin}");
}

/** The adapter's headers, the names of the headers in config.yaml, and the location of the key. */
function toHeaders(
  { auth, headers }: VendorRequest,
  { provider }: Target,
  credentials: Credentials,
): Record<string, string> {
  const own = Object.keys(provider.headers).map((name) => [name, REDACTED]);
  return { ...headers, ...Object.fromEntries(own), ...credentials.describe(auth, provider) };
}

/**
 * The member `estimate` of an explained target, which limits and budgets use for admission:
 * `input_tokens`, the typical and the maximum `output_tokens`, and the cost for each in US dollars,
 * null if the price is unknown. Empty for a request that vendors do not bill, such as a token
 * count.
 */
function explainEstimate(
  target: Target,
  { operation, bytes, usualOutput = new UsualOutput() }: EstimatedRequest,
): JsonObject {
  const isKnown = operation.estimate !== undefined || bytes > 0;
  if (operation.callsNoModel || !isKnown) return {};
  const estimate = estimateOf(operation, tokenFamilyOf(target.model.base), bytes);
  if (!isBilled(estimate)) return {};
  const { input, units } = estimate;
  const typical = usualOutput.of(target, estimate);
  const most = maxOutputOf(target, estimate);
  const costOf = (output: number) =>
    usdOf({
      usage: {
        prompt_tokens: input,
        completion_tokens: output,
        total_tokens: input + output,
        [UNITS]: units,
      },
      prices: target.model.facts.prices,
      tier: operation.chat?.service_tier ?? undefined,
    }) ?? null;
  return {
    estimate: {
      input_tokens: input,
      output_tokens: Math.min(typical, most),
      max_output_tokens: most,
      cost_usd: costOf(Math.min(typical, most)),
      max_cost_usd: costOf(most),
    },
  };
}
