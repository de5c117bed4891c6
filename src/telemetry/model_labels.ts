/** The names of models in labels of metrics, which are bounded: clients may choose them. */

/** The number of different models of a provider in labels. */
const MAX_MODELS = 1000;

/** What stands for all others. */
const OTHER = "other";

/** Bounds the names of each provider's models. */
export class ModelLabels {
  readonly #known = new Map<string, Set<string>>();

  /** The name itself, unless too many others of the provider were used before. */
  of(provider: string, model: string): string {
    let models = this.#known.get(provider);
    if (models === undefined) this.#known.set(provider, models = new Set());
    if (models.has(model)) return model;
    if (models.size >= MAX_MODELS) return OTHER;
    models.add(model);
    return model;
  }
}
