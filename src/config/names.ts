/** Every name a caller can give a model, and where it leads. */

import { didYouMean } from "../core/validation_messages.ts";
import { isAllowed, type ModelPattern, type ServiceKey } from "./keys.ts";
import type { Target } from "./providers.ts";
import type { FailureClass, LinkEntry } from "./schema.ts";

/** A model as callers see it: one row of `GET /v1/models`. */
export interface ModelEntry {
  /** The name as it was asked. */
  readonly id: string;
  /** Where a request goes first. */
  readonly target: Target;
  /** The plain model ID: another than {@linkcode id} for an alias and a pinned form. */
  readonly root: string;
  /** Unix seconds. */
  readonly created: number;
}

/** An alias whose models are all off, which is no fault. */
export interface OffAlias {
  readonly id: string;
  readonly reason: string;
}

/** What names are made from; only providers that are on. */
export interface Naming {
  /** In the order of config.yaml. */
  readonly targets: readonly Target[];
  /** Provider IDs by plain model ID. */
  readonly pins: ReadonlyMap<string, string>;
  readonly aliases: ReadonlyMap<string, readonly LinkEntry[]>;
  /** Unix seconds; the release date of models that have none. */
  readonly loadedAt: number;
}

/** One target of a chain, and when it is its turn. */
export interface Link {
  readonly target: Target;
  /** Its share of the first choice; the chain keeps its order where nothing has one. */
  readonly weight?: number | undefined;
  /** The failures before it after which it is asked. */
  readonly when: ReadonlySet<FailureClass>;
}

/** Most failures are worth another target; the last two would fail anywhere alike. */
export const USUAL_WHEN: ReadonlySet<FailureClass> = new Set([
  "rate_limited",
  "quota",
  "auth",
  "not_found",
  "unavailable",
  "timeout",
]);

interface Name {
  readonly entry: ModelEntry;
  readonly chain: readonly Link[];
  readonly form: "alias" | "plain" | "pinned";
}

/** Looks up names. An alias hides a model ID, and that a pinned form, of the same spelling. */
export class Names {
  /** Plain IDs, then pinned forms of models that several providers have, then aliases. */
  readonly models: readonly ModelEntry[];
  readonly off: readonly OffAlias[];
  readonly #names: ReadonlyMap<string, Name>;

  constructor(naming: Naming) {
    const plain = plainNames(naming);
    const pinned = pinnedNames(naming);
    // Provider IDs hold no '@', so a full name is cut at its last '@' in one way only.
    const ofModels = new Map([...pinned, ...plain]);
    const { aliases, off } = aliasNames(naming, ofModels);
    this.#names = new Map([...ofModels, ...aliases]);
    this.off = off;
    const counts = new Map<string, number>();
    for (const { model } of naming.targets) counts.set(model.id, (counts.get(model.id) ?? 0) + 1);
    const shared = [...pinned].filter(([, { entry }]) => (counts.get(entry.root) ?? 0) > 1);
    this.models = [...plain, ...shared, ...aliases]
      .filter(([id, name]) => this.#names.get(id) === name)
      .map(([, { entry }]) => entry);
  }

  /** Where a request for this model goes: one target, or an alias's chain. */
  resolve(model: string): readonly Link[] | undefined {
    return this.#names.get(model)?.chain;
  }

  find(model: string): ModelEntry | undefined {
    return this.#names.get(model)?.entry;
  }

  /** Every name that fits a pattern: by its spelling, or by the plain ID of a pinned form. */
  matching(patterns: readonly ModelPattern[]): Set<string> {
    const fits = (name: string) => patterns.some((pattern) => pattern.matches(name));
    const names = [...this.#names].filter(([id, { entry, form }]) =>
      fits(id) || (form === "pinned" && fits(entry.root))
    );
    return new Set(names.map(([id]) => id));
  }

  /** The name that an unknown one may have been meant to be, among those the key may know. */
  suggest(model: string, key?: ServiceKey): string | undefined {
    const names = [...this.#names.keys()];
    return didYouMean(model, key ? names.filter((name) => isAllowed(key, name)) : names);
  }
}

/** The name of one provider's model. */
export function pinnedForm(model: string, provider: string): string {
  return `${model}@${provider}`;
}

function plainNames(naming: Naming): Map<string, Name> {
  const names = new Map<string, Name>();
  for (const target of naming.targets) {
    const { id } = target.model;
    const isPinned = naming.pins.get(id) === target.provider.settings.id;
    if (isPinned || !names.has(id)) names.set(id, nameFor(id, [linkTo(target)], "plain", naming));
  }
  return names;
}

function pinnedNames(naming: Naming): Map<string, Name> {
  return new Map(naming.targets.map((target) => {
    const id = pinnedForm(target.model.id, target.provider.settings.id);
    return [id, nameFor(id, [linkTo(target)], "pinned", naming)];
  }));
}

function aliasNames(naming: Naming, ofModels: ReadonlyMap<string, Name>) {
  const aliases = new Map<string, Name>();
  const off: OffAlias[] = [];
  for (const [id, models] of naming.aliases) {
    const chain = models.flatMap(({ model, weight, when }) => {
      const target = ofModels.get(model)?.entry.target;
      return target === undefined ? [] : linkTo(target, weight, when);
    });
    if (chain.length > 0) aliases.set(id, nameFor(id, chain, "alias", naming));
    else off.push({ id, reason: `${namesOf(models)} ${models.length > 1 ? "are" : "is"} off` });
  }
  return { aliases, off };
}

function linkTo(target: Target, weight?: number, when?: readonly FailureClass[]): Link {
  return { target, weight, when: when === undefined ? USUAL_WHEN : new Set(when) };
}

function namesOf(models: readonly LinkEntry[]): string {
  return models.map(({ model }) => model).join(", ");
}

function nameFor(
  id: string,
  chain: readonly Link[],
  form: Name["form"],
  { loadedAt }: Naming,
): Name {
  const [first] = chain;
  if (first === undefined) throw new TypeError("A name leads to at least one target");
  const { target } = first;
  const { facts, id: root } = target.model;
  return { entry: { id, target, root, created: facts.created ?? loadedAt }, chain, form };
}
