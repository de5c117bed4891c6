/** The targets that one request may go to, in their order, and what leads from one to the next. */

import type { ChatRequest } from "../chat/chat.ts";
import {
  type Config,
  DEFAULT_ON_FAILURES,
  type FallbackTarget,
  type ServiceKey,
} from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";

/**
 * The chain for a request: that of its model, then the models of its own
 * `models` list. Its first target is drawn by weight where weights are given.
 *
 * @throws {GatewayError} `model_not_found`, with `model` or `models[i]`.
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

/** The longest name that is repeated in a message. */
const MAX_NAME = 200;

function linksOf(
  model: string,
  param: string,
  key: ServiceKey,
  config: Config,
): readonly FallbackTarget[] {
  const links = config.isAllowed(key, model) ? config.resolve(model) : undefined;
  if (links === undefined) throw unknownModel(model, param, key, config);
  return links;
}

/**
 * The error for a model that does not exist, as far as the key may know: it says the
 * same of one that the key may not use.
 */
export function unknownModel(
  model: string,
  param: string,
  key: ServiceKey,
  config: Config,
): GatewayError {
  return new GatewayError("model_not_found", explainUnknown(model, key, config), { param });
}

/** Why a name cannot be used, what may have been meant, and where every name is listed. */
function explainUnknown(model: string, key: ServiceKey, config: Config): string {
  const disabled = config.isAllowed(key, model) ? config.explainDisabled(model) : undefined;
  const near = config.suggest(model, key);
  const hint = near === undefined ? "" : `; did you mean '${near}'?`;
  if (disabled !== undefined) return `${disabled}${hint}`;
  const name = shortened(model);
  // A key that is limited to models cannot tell a hidden model from none.
  const unknown = key.models === undefined
    ? `The model '${name}' does not exist${hint}`
    : `The model \`${name}\` does not exist or you do not have access to it${hint}`;
  if (near === undefined) return `${unknown}; see GET /v1/models`;
  return `${unknown} ${config.explainDisabled(near) ?? "See GET /v1/models"}`;
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
