/** What a request would come to: its targets in their order, what each is sent, and why so. */

import type { AttemptDeps } from "./attempt.ts";
import { toChain } from "./fallback_chain.ts";
import type { ChatRequest, JsonObject } from "../chat/chat.ts";
import { TimeSlice } from "../core/clock.ts";
import type { Config, FallbackTarget, ServiceKey, Target } from "../config/config.ts";
import { redact } from "../upstream/credentials.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { withPlaceholders } from "../upstream/images/request_images.ts";
import { inTurn } from "./failover.ts";
import { check, type Checked, convert, type Prepared, refuseIgnored } from "./prepare_request.ts";
import { contentKindsIn } from "../providers/contract/content_support.ts";
import {
  ignored,
  isParameter,
  Receipt,
  ruleFor,
  type Support,
} from "../providers/contract/support.ts";

/** Who asks, and what he is told. */
export interface Inquiry {
  /** As with `x-sluice-strict`. */
  readonly strict: boolean;
  readonly key: ServiceKey;
  readonly config: Config;
  /** Whether the addresses of config.yaml are told; callers have no business with them. */
  readonly addresses: boolean;
  /** Bytes of the request. */
  readonly bytes: number;
}

/** The limit of the caller's request times the number of its targets, in bytes. */
const MAX_EXPLAINED_BYTES = 4 * 1024 * 1024;

/** What became of one parameter, and the rule in the vendor's table that says so. */
interface Row {
  readonly parameter: string;
  readonly fate: "as is" | "renamed" | "converted" | "ignored" | "added";
  /** The vendor's name for it, or its value before and after. */
  readonly to?: string;
  readonly change?: string;
  readonly rule?: string;
  /** `config` for what the caller did not send. */
  readonly from?: "config";
}

type Deps = Pick<AttemptDeps, "newId" | "random" | "state" | "clock">;

/**
 * Converts a request for each of its targets and sends nothing. Credentials are
 * neither fetched nor shown.
 *
 * @throws {GatewayError} `model_not_found`, or `too_large` for so many targets.
 */
export async function explain(
  asked: ChatRequest,
  inquiry: Inquiry,
  deps: Deps,
): Promise<JsonObject> {
  const links = inTurn(toChain(asked, inquiry.key, inquiry.config, deps.random), deps);
  if (inquiry.bytes * links.length > MAX_EXPLAINED_BYTES) throw tooLarge(links.length);
  const { models: _, ...request } = asked;
  const slice = new TimeSlice();
  const targets: JsonObject[] = [];
  for (const [index, link] of links.entries()) {
    if (slice.isOver) await slice.next();
    targets.push({
      ...(index > 0 && { after: [...link.onFailures] }),
      ...(link.weight !== undefined && { weight: link.weight }),
      ...toTarget(link, request as ChatRequest, inquiry, deps),
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
  request: ChatRequest,
  inquiry: Inquiry,
  deps: Deps,
): JsonObject {
  const { settings, adapter } = target.provider;
  const who = { provider: settings.id, kind: adapter.kind, model: target.model.upstream };
  const receipt = new Receipt();
  try {
    const checked = check(target, request, receipt, deps.newId);
    const prepared = convert(withoutImages(checked));
    const { unsigned } = prepared;
    const rejections = deps.state.rejectionsOf(target);
    const body = rejections.apply(unsigned.body, request, receipt, deps.clock);
    if (inquiry.strict) refuseIgnored(receipt);
    return {
      ...who,
      request: {
        method: "POST",
        url: toUrl(unsigned.url, target, inquiry.addresses),
        headers: toHeaders(prepared, target),
        body,
      },
      receipt: toRows(checked, request, receipt),
    };
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.kind === "internal") throw error;
    return { ...who, error: { status: error.status, ...error.toBody().error } };
  }
}

/** Nothing is fetched for an explanation: where an image's bytes would go there is a pixel. */
function withoutImages({ adapter, call }: Checked): Checked {
  const messages = withPlaceholders(call.request.messages, adapter.imageSources);
  return { adapter, call: { ...call, request: { ...call.request, messages } } };
}

/** Callers see what stands behind the base URL, operators all of it. */
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

/** What the adapter sends, config.yaml's headers without their values, and where the key goes. */
function toHeaders({ unsigned }: Prepared, { provider }: Target): Record<string, string> {
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
  // What only some vendors know may be gone from the request as adapters see it.
  const given: ChatRequest = { ...call.request, ...asked };
  const rows = Object.keys(given)
    .filter((name) => isParameter(name) && given[name] !== undefined)
    .map((name): Row => {
      const passed = call.request[name] !== undefined || call.fields[name] !== undefined;
      const rule = ruleFor(name, given, adapter.supports, overrides);
      return {
        ...notes.take(name, passed || rule?.verdict === "renamed" ? rule : LEFT_OUT),
        ...(asked[name] === undefined && { from: "config" }),
      };
    });
  const content = contentKindsIn(call.request).map((kind): Row => {
    const support = adapter.supports.content[kind];
    const fate = support.verdict === "converted" ? "converted" : "as is";
    return {
      parameter: kind,
      fate: support.verdict === "ignored" ? "ignored" : fate,
      ...ruleOf(support),
    };
  });
  const added = [...receipt.added].map((path): Row => ({
    parameter: path,
    fate: "added",
    ...(Object.hasOwn(adapter.adds, path) && { rule: adapter.adds[path] ?? "" }),
  }));
  return [...rows, ...content, ...notes.rest(), ...added];
}

const LEFT_OUT = ignored("the vendor does not know this value");

function ruleOf({ note }: { readonly note?: string }): { readonly rule?: string } {
  return note === undefined ? {} : { rule: note };
}

/** A receipt's entries, by the parameter that each is about. */
class Notes {
  readonly #ignored: Set<string>;
  readonly #converted = new Map<string, string>();

  constructor(receipt: Receipt) {
    this.#ignored = new Set(receipt.ignored);
    // An entry is `name`, `name->other` or `name before->after`.
    for (const entry of receipt.converted) {
      const [name = ""] = entry.split(/->| /, 1);
      this.#converted.set(name, entry.slice(name.length));
    }
  }

  /** What became of one parameter; what is told here is not told again. */
  take(parameter: string, rule: Support | undefined): Row {
    const why = rule === undefined ? { rule: NOT_KNOWN } : ruleOf(rule);
    const isIgnored = this.#ignored.delete(parameter);
    const change = this.#converted.get(parameter);
    this.#converted.delete(parameter);
    if (isIgnored) return { parameter, fate: "ignored", ...why };
    if (change !== undefined) return { ...toChange(parameter, change), ...why };
    if (rule === undefined || rule.verdict === "ignored") {
      // Nobody needs to be told of it in a header.
      return { parameter, fate: "ignored", rule: `${why.rule}; the value is the default` };
    }
    return { parameter, fate: rule.verdict === "converted" ? "converted" : "as is", ...why };
  }

  /** Entries about parts of a message or of a tool. */
  rest(): readonly Row[] {
    return [
      ...[...this.#converted].map(([name, change]) => toChange(name, change)),
      ...[...this.#ignored].map((parameter): Row => ({ parameter, fate: "ignored" })),
    ];
  }
}

const NOT_KNOWN = "the vendor has no such parameter";

function toChange(parameter: string, change: string): Row {
  if (change.startsWith("->")) return { parameter, fate: "renamed", to: change.slice(2) };
  if (change === "") return { parameter, fate: "converted" };
  return { parameter, fate: "converted", change: change.trim() };
}
