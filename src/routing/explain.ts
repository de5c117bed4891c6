/** Explains a request: its targets in order, the request that each would get, and why. */

import type { PathDeps } from "./failover.ts";
import { byAvailability, type RequestedModels, toChain } from "./fallback_chain.ts";
import type { ChatRequest, JsonObject } from "../chat/chat.ts";
import { TimeSlice } from "../core/clock.ts";
import type { Config, FallbackTarget, ServiceKey, Target } from "../config/config.ts";
import { redact } from "../upstream/credentials.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { withPlaceholders } from "../upstream/images/request_images.ts";
import { check, type Checked, convert, refuseIgnored } from "./prepare_request.ts";
import { contentKindsIn } from "../providers/contract/content_support.ts";
import type { VendorRequest } from "../providers/contract/adapter.ts";
import { ignored, isParameter, ruleFor } from "../providers/contract/support.ts";
import { Receipt } from "../providers/contract/receipt.ts";
import { addedRows, Notes, type Row, ruleOf } from "./explained_receipt.ts";
import { checkOperation } from "./target_operations.ts";

/** Who asks for the explanation, and how much it shows. */
export interface ExplainInput {
  /** As with `x-sluice-strict`. */
  readonly strict: boolean;
  readonly key: ServiceKey;
  readonly config: Config;
  /** Whether the addresses in config.yaml are shown. Callers must not see them. */
  readonly addresses: boolean;
  /** Bytes of the request. */
  readonly bytes: number;
}

/** The limit of the caller's request times the number of its targets, in bytes. */
const MAX_EXPLAINED_BYTES = 4 * 1024 * 1024;

/** What an explanation needs of the world. */
export type ExplainDeps = Pick<PathDeps, "newId" | "random" | "state" | "clock" | "reasoning">;

/** A request as a target would get it, and what became of its parameters. */
export interface ExplainedRequest {
  readonly unsigned: VendorRequest;
  readonly rows: readonly Row[];
  /** Into how many requests a batch is split; this is the first of them. */
  readonly parts?: number;
}

/** Converts a request for one target. Nothing is sent. */
export type ExplainFor = (target: Target, receipt: Receipt) => ExplainedRequest;

/**
 * Converts a chat request for each of its targets without sending anything. Credentials are neither
 * fetched nor shown.
 *
 * @throws {GatewayError} `model_not_found`, or `too_large` for so many targets.
 */
export async function explain(
  asked: ChatRequest,
  input: ExplainInput,
  deps: ExplainDeps,
): Promise<JsonObject> {
  const { models: _, ...request } = asked;
  return await explainChain(
    asked,
    input,
    deps,
    () => createChatExplainer(request as ChatRequest, input, deps),
  );
}

/** Converts one chat request for any target. */
export async function createChatExplainer(
  asked: ChatRequest,
  { config, key }: ExplainInput,
  deps: ExplainDeps,
): Promise<ExplainFor> {
  const { reasoningState, maxBody } = config.server;
  const reasoning = await deps.reasoning.read(asked, key.name, reasoningState, maxBody);
  return (target, receipt) => {
    checkOperation("chat", target);
    const { request } = reasoning;
    const checked = reasoning.restore(check(target, request, receipt, deps.newId));
    const { unsigned } = convert(withoutImages(checked));
    const rejections = deps.state.rejectionsOf(target);
    const body = rejections.apply(unsigned.body, request, receipt, deps.clock);
    return { unsigned: { ...unsigned, body }, rows: toRows(checked, request, receipt) };
  };
}

/**
 * Explains a request of any operation; see {@linkcode explain}.
 *
 * @param prepare runs once the request is known to be small enough
 */
export async function explainChain(
  asked: RequestedModels,
  input: ExplainInput,
  deps: ExplainDeps,
  prepare: () => ExplainFor | Promise<ExplainFor>,
): Promise<JsonObject> {
  const chain = byAvailability(toChain(asked, input.key, input.config, deps.random), deps);
  if (input.bytes * chain.length > MAX_EXPLAINED_BYTES) throw tooLarge(chain.length);
  const explainFor = await prepare();
  const slice = new TimeSlice();
  const targets: JsonObject[] = [];
  for (const [index, entry] of chain.entries()) {
    if (slice.isOver) await slice.next();
    targets.push({
      ...(index > 0 && { after: [...entry.onFailures] }),
      ...(entry.weight !== undefined && { weight: entry.weight }),
      ...toTarget(entry, input, explainFor),
    });
  }
  return { object: "explanation", model: asked.model, targets };
}

function tooLarge(targets: number): GatewayError {
  const most = Math.floor(MAX_EXPLAINED_BYTES / targets);
  const message = `Only requests of at most ${most} bytes are explained for a chain of ${targets}`;
  return new GatewayError("too_large", message);
}

function toTarget(
  { target }: FallbackTarget,
  input: ExplainInput,
  explainFor: ExplainFor,
): JsonObject {
  const { settings, adapter } = target.provider;
  const who = { provider: settings.id, kind: adapter.kind, model: target.model.upstream };
  const receipt = new Receipt();
  try {
    const { unsigned, rows, parts } = explainFor(target, receipt);
    if (input.strict) refuseIgnored(receipt);
    return {
      ...who,
      request: {
        method: "POST",
        url: toUrl(unsigned.url, target, input.addresses),
        headers: toHeaders(unsigned, target),
        body: unsigned.body,
        ...(parts !== undefined && { parts }),
      },
      receipt: rows,
    };
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.kind === "internal") throw error;
    return { ...who, error: { status: error.status, ...error.toDetails() } };
  }
}

/** Replaces images that would be downloaded with a placeholder of one pixel. */
function withoutImages({ adapter, call }: Checked): Checked {
  const messages = withPlaceholders(call.request.messages, adapter.imageSources);
  return { adapter, call: { ...call, request: { ...call.request, messages } } };
}

/** Callers see the path after the base URL; operators see the whole URL. */
function toUrl(url: string, { provider }: Target, addresses: boolean): string {
  const clean = redact(url, provider);
  if (addresses) return clean;
  const { baseUrl } = provider.settings;
  if (baseUrl !== "" && clean.startsWith(baseUrl)) {
    return `{base_url}${clean.slice(baseUrl.length)}`;
  }
  return clean.replace(/^[a-z]+:\/\/[^/]*/, "{origin}");
}

const REDACTED = "[redacted]";

/** The adapter's headers, the names of the headers in config.yaml, and where the key goes. */
function toHeaders(unsigned: VendorRequest, { provider }: Target): Record<string, string> {
  const { auth } = unsigned;
  const own = Object.keys(provider.headers).map((name) => [name, REDACTED]);
  const headers: Record<string, string> = { ...unsigned.headers, ...Object.fromEntries(own) };
  const hasKey = provider.keys.length > 0 || Object.keys(provider.secrets).length > 0;
  switch (auth.type) {
    case "none":
      return headers;
    case "header":
      if (hasKey) headers[auth.name] = REDACTED;
      return headers;
    case "bearer":
      if (hasKey) headers.authorization = `Bearer ${REDACTED}`;
      return headers;
    case "google":
    case "sigv4":
      headers.authorization = REDACTED;
      return headers;
    default:
      return auth satisfies never;
  }
}

function toRows({ adapter, call }: Checked, asked: ChatRequest, receipt: Receipt): readonly Row[] {
  const overrides = adapter.supportFor?.(call.request, call.model, call.provider) ?? {};
  const notes = new Notes(receipt);
  // A value that only some vendors know may have been removed from the adapter's request.
  const given: ChatRequest = { ...call.request, ...asked };
  const rows = Object.keys(given)
    .filter((name) => isParameter(name) && given[name] !== undefined)
    .map((name): Row => {
      const passed = call.request[name] !== undefined || call.fields[name] !== undefined;
      const rule = ruleFor(name, given, adapter.supports, overrides);
      return {
        ...notes.take(name, passed || rule?.level === "renamed" ? rule : LEFT_OUT),
        ...(asked[name] === undefined && { from: "config" }),
      };
    });
  const content = contentKindsIn(call.request).map((kind): Row => {
    const support = adapter.supports.content[kind];
    const fate = support.level === "converted" ? "converted" : "as is";
    return {
      parameter: kind,
      fate: support.level === "ignored" ? "ignored" : fate,
      ...ruleOf(support),
    };
  });
  return [...rows, ...content, ...notes.rest(), ...addedRows(receipt, adapter.adds)];
}

const LEFT_OUT = ignored("the vendor does not know this value");
