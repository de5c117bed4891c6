/**
 * Prompt caching as an interceptor: marks what the vendor may cache, unless the caller does so, and
 * learns whether that pays. README.md of this folder says when it stops.
 */

import type { Clock } from "../../core/clock.ts";
import { isText } from "../../core/json/values.ts";
import type {
  CallerRequest,
  EndedAnswer,
  Interception,
  Interceptor,
  TargetRequest,
} from "../../gateway/feature.ts";
import type { VendorRequest } from "../../providers/contract/adapter.ts";
import type { ModelPrices } from "../../providers/contract/model_facts.ts";
import { cacheEffectOf, type MarkScope } from "./payoff.ts";
import { type MarkedPlace, Payoffs } from "./payoffs.ts";

/** The part of the configuration that the interceptor reads. */
interface CachingConfig {
  route(model: string): { readonly policy: { readonly prompt_caching?: Mode } } | undefined;
  /** The alias with a `*` that a name resolves by. */
  patternOf(model: string): string | undefined;
}

type Mode = "auto" | "client" | "off" | undefined;

/** Marks requests of one thread. */
export function promptCaching(clock: Clock): Interceptor<CachingConfig> {
  const payoffs = new Payoffs();
  return {
    name: "prompt_caching",
    intercept(request, config) {
      const { model = request.body.model } = request;
      const name = isText(model) ? model : "";
      const mode = config.route(name)?.policy.prompt_caching ?? "auto";
      if (mode === "client") return undefined;
      if (mode === "off") return { request: withoutMarks };
      return new RequestMarker(request, config.patternOf(name) ?? name, payoffs, clock);
    },
  };
}

/** A decision for one target, so that each attempt gets the same. */
interface Decision {
  readonly place: MarkedPlace;
  readonly scope: MarkScope;
  readonly prices: ModelPrices | undefined;
  /** Whether the last request to the target had marks of the gateway. */
  isMarked: boolean;
}

/** Marks the prompts of one request's attempts. */
class RequestMarker implements Interception {
  readonly #key: string;
  readonly #model: string;
  readonly #payoffs: Payoffs;
  readonly #clock: Clock;
  /** The decisions by target; undefined until a target takes marks. */
  #decisions: Map<string, Decision> | undefined;

  constructor({ key }: CallerRequest, model: string, payoffs: Payoffs, clock: Clock) {
    this.#key = key;
    this.#model = model;
    this.#payoffs = payoffs;
    this.#clock = clock;
  }

  request(request: VendorRequest, target: TargetRequest): VendorRequest {
    const marks = target.api.promptMarks?.(target.model);
    if (marks === undefined) return request;
    const decision = this.#decide(target);
    const body = decision.scope === "none"
      ? undefined
      : marks.place(request.body, decision.scope === "prefix");
    decision.isMarked = body !== undefined;
    if (decision.scope === "none") target.receipt.promptMarks = "stopped";
    if (body === undefined) return request;
    target.receipt.promptMarks = decision.scope === "prefix" ? "prefix" : "all";
    target.receipt.addByChoice(marks.field);
    return { ...request, body };
  }

  #decide({ provider: { id: provider }, model: { upstream, facts } }: TargetRequest): Decision {
    const name = nameOf(provider, upstream);
    const made = this.#decisions?.get(name);
    if (made !== undefined) return made;
    const place = { key: this.#key, model: this.#model, provider, upstream };
    const scope = this.#payoffs.find(place)?.scope(this.#clock.now()) ?? "all";
    const decision = { place, scope, prices: facts.prices, isMarked: false };
    (this.#decisions ??= new Map()).set(name, decision);
    return decision;
  }

  /** Learns from the usage that the vendor reports. */
  ended({ target, usage }: EndedAnswer): void {
    if (this.#decisions === undefined || target === undefined || usage === undefined) return;
    const decision = this.#decisions.get(nameOf(target.provider, target.model));
    if (!decision?.isMarked) return;
    const { place, prices, scope } = decision;
    this.#payoffs.of(place).answered(cacheEffectOf(usage, prices), scope, this.#clock.now());
  }
}

function nameOf(provider: string, upstream: string): string {
  return JSON.stringify([provider, upstream]);
}

/** `prompt_caching: off`: the marks of callers are left out, and reported. */
function withoutMarks(
  request: VendorRequest,
  { api, model, receipt }: TargetRequest,
): VendorRequest {
  const marks = api.promptMarks?.(model);
  const body = marks?.remove(request.body);
  if (marks === undefined || body === undefined) return request;
  receipt.ignore(CACHE_CONTROL);
  return { ...request, body };
}

/** What callers name the marks. */
const CACHE_CONTROL = "cache_control";
