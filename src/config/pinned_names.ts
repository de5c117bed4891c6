/** Names of the form `model@provider`: the one place that says what an `@` in a name means. */

/** A name of the form `model@provider`: only this provider may serve it. */
export interface PinnedName {
  readonly model: string;
  readonly provider: string;
}

/** The name that selects a model at one provider: `model@provider`. */
export function pinnedForm(model: string, provider: string): string {
  return `${model}@${provider}`;
}

/**
 * Splits a name at its last `@` if the text after it is the ID of a provider of config.yaml, whether
 * or not the provider is enabled; undefined for any other name. The exact names of aliases and of
 * listed models take precedence, so callers look these up first.
 *
 * @param providers the IDs of all providers of config.yaml
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
