/**
 * The prompt caching feature: sets cache breakpoints, unless the caller does, and measures whether
 * they pay off. docs/features/prompt_caching.md describes when it stops.
 */

import type { Target } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type {
  CallerRequest,
  EndedAnswer,
  Feature,
  RequestFeature,
  TargetRequest,
} from "../../gateway/feature.ts";
import type { NativeFormat } from "../../contract/native.ts";
import type { ModelPrices } from "../../contract/model_facts.ts";
import { cacheEffectOf, type MarkedPlace, type MarkScope, Payoffs } from "./payoff.ts";
import type { VendorRequest } from "../../contract/vendor_request.ts";

/** Marks the requests of one thread. */
export function promptCaching(clock: Clock): Feature {
  const payoffs = new Payoffs();
  return {
    name: "prompt_caching",
    plan({ configuredName, policy, targets }, { format }) {
      const { prompt_caching: mode = "auto" } = policy;
      if (mode === "client" || !targets.some((target) => takesMarks(target, format))) {
        return undefined;
      }
      if (mode === "off") return { start: () => WITHOUT_MARKS };
      return {
        start: (request) => new RequestMarker(request, configuredName, payoffs, clock),
      };
    },
  };
}

/** Whether cache breakpoints may be added to requests in a caller format for a target. */
function takesMarks({ provider: { adapter, settings }, model }: Target, format: string): boolean {
  // Adapters have no API for other formats.
  const api = adapter.native?.(format as NativeFormat, model, settings);
  return adapter.promptMarks?.(model) !== undefined || api?.promptMarks?.(model) !== undefined;
}

/** A decision for one target, which applies to each attempt. */
interface Decision {
  readonly place: MarkedPlace;
  readonly scope: MarkScope;
  readonly prices: ModelPrices | undefined;
  /** Whether the last request to the target had marks from the gateway. */
  isMarked: boolean;
}

/** Marks the prompts of one request's attempts. */
class RequestMarker implements RequestFeature {
  readonly #key: string;
  readonly #model: string;
  readonly #payoffs: Payoffs;
  readonly #clock: Clock;
  /** The decisions by target; undefined until a target supports marks. */
  #decisions: Map<string, Decision> | undefined;

  constructor({ key }: CallerRequest, model: string, payoffs: Payoffs, clock: Clock) {
    this.#key = key;
    this.#model = model;
    this.#payoffs = payoffs;
    this.#clock = clock;
  }

  send(request: VendorRequest, target: TargetRequest): VendorRequest {
    const marks = target.api.promptMarks?.(target.model);
    if (marks === undefined) return request;
    const decision = this.#decide(target);
    const body = decision.scope === "none"
      ? undefined
      : marks.place(request.body, decision.scope === "prefix");
    decision.isMarked = body !== undefined;
    if (decision.scope === "none") target.changes.promptMarks = "stopped";
    if (body === undefined) return request;
    target.changes.promptMarks = decision.scope === "prefix" ? "prefix" : "all";
    target.changes.addByChoice(marks.field);
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

  /** Updates the payoff from the usage reported by the vendor. */
  end({ target, usage }: EndedAnswer): void {
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

/** `prompt_caching: off`: callers' marks are removed and reported. */
function withoutMarks(
  request: VendorRequest,
  { api, model, changes }: TargetRequest,
): VendorRequest {
  const marks = api.promptMarks?.(model);
  const body = marks?.remove(request.body);
  if (marks === undefined || body === undefined) return request;
  changes.ignore(CACHE_CONTROL);
  return { ...request, body };
}

const WITHOUT_MARKS: RequestFeature = { send: withoutMarks };

/** The callers' names for the marks. */
const CACHE_CONTROL = "cache_control";
