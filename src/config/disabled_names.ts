/** Names that belong to a provider: `model@provider`, and the models of disabled providers. */

import type { FallbackEntry } from "./alias_schema.ts";
import type { DisabledProvider } from "./disabled_providers.ts";

/** A name of the form `model@provider`, which only this provider may serve. */
export interface PinnedName {
  readonly model: string;
  readonly provider: string;
}

/** The name that selects a model at one provider: `model@provider`. */
export function pinnedForm(model: string, provider: string): string {
  return `${model}@${provider}`;
}

/**
 * Splits a name at its last `@` if the text after it is the ID of a provider in config.yaml, even
 * if the provider is disabled; undefined for any other name. The exact names of aliases and of
 * listed models take precedence, so callers look these up first.
 *
 * @param providers the IDs of all providers in config.yaml
 */
export function readPinned(
  name: string,
  providers: { has(id: string): boolean },
): PinnedName | undefined {
  const at = name.lastIndexOf("@");
  if (at === -1) return undefined;
  const provider = name.slice(at + 1);
  return providers.has(provider) ? { model: name.slice(0, at), provider } : undefined;
}

/** A disabled provider's model. */
export interface DisabledModel {
  readonly id: string;
  readonly provider: DisabledProvider;
}

/** A name that resolves only to disabled providers, or to one that lacks the model. */
export interface DisabledName {
  readonly form: "alias" | "plain" | "pinned";
  readonly providers: readonly DisabledProvider[];
  /** The enabled provider in `pins` that does not offer the model. */
  readonly pin?: string;
}

/** The plain and pinned names of disabled providers' models. */
export function disabledModelNames(models: readonly DisabledModel[]): Map<string, DisabledName> {
  const names = new Map<string, DisabledName>();
  for (const { id, provider } of models) {
    const others = names.get(id)?.providers ?? [];
    names.set(id, { form: "plain", providers: [...others, provider] });
  }
  for (const { id, provider } of models) {
    const pinned = pinnedForm(id, provider.id);
    if (!names.has(pinned)) names.set(pinned, { form: "pinned", providers: [provider] });
  }
  return names;
}

/** Creates the entry for an alias without any usable model. */
export function disabledAlias(
  models: readonly FallbackEntry[],
  disabledModels: ReadonlyMap<string, DisabledName>,
): DisabledName {
  const providers = models.flatMap(({ model }) => disabledModels.get(model)?.providers ?? []);
  return { form: "alias", providers: [...new Set(providers)] };
}

/**
 * The reason why a name cannot be used, for clients: it names unset variables but no file paths.
 */
export function explainDisabled(name: string, { form, providers, pin }: DisabledName): string {
  const what = form === "alias" ? "Alias" : "Model";
  if (pin !== undefined) {
    return `${what} '${name}' is pinned to provider '${pin}', which does not offer it at present`;
  }
  if (providers.length === 0) return `${what} '${name}' is configured, but ${NOT_LISTED}`;
  const [only] = providers;
  if (only !== undefined && providers.length === 1) {
    const { id, publicReason } = only;
    return `${what} '${name}' is configured, but its provider '${id}' is disabled: ${publicReason}`;
  }
  const reasons = providers.map(({ id, publicReason }) => `'${id}' (${publicReason})`);
  return `${what} '${name}' is configured, but its providers are disabled: ${reasons.join(", ")}`;
}

const NOT_LISTED = "no provider lists its models at present";

/** Why an alias cannot be used, for the operator. */
export function aliasReason({ providers }: DisabledName): string {
  if (providers.length === 0) return NOT_LISTED;
  const reasons = providers.map(({ id, reason }) => `${id} (${reason})`);
  return `all of its providers are disabled: ${reasons.join(", ")}`;
}
