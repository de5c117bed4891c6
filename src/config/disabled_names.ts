/** Names of models that are configured and cannot be used, because their providers are disabled. */

import { type OffProvider, pinnedForm } from "./providers.ts";
import type { LinkEntry } from "./schema.ts";

/** A model of a provider that is disabled. */
export interface DisabledModel {
  readonly id: string;
  readonly provider: OffProvider;
}

/** A name that leads only to providers that are disabled. */
export interface DisabledName {
  readonly form: "alias" | "plain" | "pinned";
  readonly providers: readonly OffProvider[];
}

/** The names that the models of disabled providers would have. */
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

/** An alias none of whose models can be used. */
export function disabledAlias(
  models: readonly LinkEntry[],
  ofModels: ReadonlyMap<string, DisabledName>,
): DisabledName {
  const providers = models.flatMap(({ model }) => ofModels.get(model)?.providers ?? []);
  return { form: "alias", providers: [...new Set(providers)] };
}

/** Why a name cannot be used, for callers: variables are named, paths of files are not. */
export function explainDisabled(name: string, { form, providers }: DisabledName): string {
  const what = form === "alias" ? "Alias" : "Model";
  const [only] = providers;
  if (only !== undefined && providers.length === 1) {
    const { id, publicReason } = only;
    return `${what} '${name}' is configured, but its provider '${id}' is disabled: ${publicReason}`;
  }
  const reasons = providers.map(({ id, publicReason }) => `'${id}' (${publicReason})`);
  return `${what} '${name}' is configured, but its providers are disabled: ${reasons.join(", ")}`;
}

/** Why an alias cannot be used, for the operator. */
export function aliasReason({ providers }: DisabledName): string {
  const reasons = providers.map(({ id, reason }) => `${id} (${reason})`);
  return `all of its providers are disabled: ${reasons.join(", ")}`;
}
