/** The targets that one request may go to, in their order, and what leads from one to the next. */

import type { ChatRequest } from "../chat/chat.ts";
import {
  type Config,
  DEFAULT_ON_FAILURES,
  type FailureClass,
  type FallbackTarget,
  type ServiceKey,
} from "../config/config.ts";
import { type ErrorKind, GatewayError } from "../core/errors.ts";

/**
 * The chain for a request: that of its model, then the models of its own
 * `models` list. Its first target is drawn by weight where weights are given.
 *
 * @throws {GatewayError} `model_not_found` or `model_not_allowed`, with `model` or `models[i]`.
 */
export function toChain(
  request: ChatRequest,
  key: ServiceKey,
  config: Config,
  random: () => number,
): readonly FallbackTarget[] {
  const links = [...drawn(linksOf(request.model, "model", key, config), random)];
  (request.models ?? []).forEach((model, index) => {
    const [first, ...others] = drawn(linksOf(model, `models[${index}]`, key, config), random);
    // What leads to an alias's first target is not for the alias to say.
    if (first !== undefined) links.push({ ...first, onFailures: DEFAULT_ON_FAILURES }, ...others);
  });
  const seen = new Set<FallbackTarget["target"]>();
  return links.filter(({ target }) => !seen.has(target) && seen.add(target));
}

/** How a chain sees a failure; undefined for those that no other target would mend. */
export function classOf(kind: ErrorKind): FailureClass | undefined {
  return CLASSES.get(kind);
}

const CLASSES = new Map<ErrorKind, FailureClass>([
  ["rate_limited", "rate_limited"],
  ["quota", "quota"],
  ["upstream_auth", "auth"],
  ["model_not_found", "not_found"],
  ["upstream_error", "unavailable"],
  ["upstream_unavailable", "unavailable"],
  ["upstream_timeout", "timeout"],
  ["context_length", "context_length"],
  ["content_filter", "content_filter"],
]);

/** The longest name that is repeated in a message. */
const MAX_NAME = 200;

function linksOf(
  model: string,
  param: string,
  key: ServiceKey,
  config: Config,
): readonly FallbackTarget[] {
  const links = config.resolve(model);
  if (links === undefined) throw unknownModel(model, param, key, config);
  if (!config.isAllowed(key, model)) {
    const message = `This key may not use the model '${shortened(model)}'`;
    throw new GatewayError("model_not_allowed", message, { param });
  }
  return links;
}

/** The error for a model that there is not, as far as the key may know. */
export function unknownModel(
  model: string,
  param: string,
  key: ServiceKey,
  config: Config,
): GatewayError {
  const disabled = config.isAllowed(key, model) ? config.explainDisabled(model) : undefined;
  const message = disabled ??
    `The model '${shortened(model)}' does not exist${hintFor(model, key, config)}`;
  return new GatewayError("model_not_found", message, { param });
}

/** What the caller may have meant, and where every name is listed. */
function hintFor(model: string, key: ServiceKey, config: Config): string {
  const near = config.suggest(model, key);
  if (near === undefined) return "; see GET /v1/models";
  const disabled = config.explainDisabled(near);
  return disabled === undefined
    ? `; did you mean '${near}'? See GET /v1/models`
    : `; did you mean '${near}'? ${disabled}`;
}

function shortened(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

/** Draws the first link by weight; the rest keep their order. */
function drawn(links: readonly FallbackTarget[], random: () => number): readonly FallbackTarget[] {
  const total = links.reduce((sum, { weight = 0 }) => sum + weight, 0);
  if (total === 0) return links;
  let at = random() * total;
  const first = links.find(({ weight = 0 }) => (at -= weight) < 0);
  return first === undefined ? links : [first, ...links.filter((link) => link !== first)];
}
