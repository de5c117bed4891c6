/** Builds the tables for looking up model names. */

import type { Target, UnlistedSource } from "./providers.ts";
import { type ModelLabel, toLabel } from "./model_patterns.ts";
import type { DisabledProvider } from "./disabled_providers.ts";
import {
  disabledAlias,
  type DisabledModel,
  type DisabledName,
  pinnedForm,
} from "./disabled_names.ts";
import type { AliasRule } from "./alias_schema.ts";
import type { RoutingPolicy } from "./routing_schema.ts";
import { type FallbackTarget, isSimulated, type Route, toGroups, toModelRoute } from "./routes.ts";
import type { UnlistedModels } from "./model_sources.ts";
import { eachInSteps, type Steps } from "../core/steps.ts";
import type { Candidate } from "./suggestions.ts";

/** A model under one of its names, which is one row of `GET /v1/models`. */
export interface ModelEntry {
  /** The name under which it was looked up. */
  readonly id: string;
  /** The first target of a request. */
  readonly target: Target;
  /** The plain model ID; differs from {@linkcode id} for aliases and pinned forms. */
  readonly root: string;
  /** Release date in Unix seconds. */
  readonly created: number;
  /** The display name, if config.yaml sets one. */
  readonly label: ModelLabel | undefined;
}

/** The parts of a configuration that define model names. */
export interface NameSources {
  /** The enabled providers' targets, in config.yaml order. */
  readonly targets: readonly Target[];
  /** The providers that accept unlisted models. */
  readonly unlisted: readonly UnlistedSource[];
  /** The disabled providers, and their models in the same order. */
  readonly disabled: readonly DisabledProvider[];
  readonly disabledModels: readonly DisabledModel[];
  /** The IDs of all providers in config.yaml, enabled or not. */
  readonly ids: ReadonlySet<string>;
  /** Provider IDs by plain model ID. */
  readonly pins: ReadonlyMap<string, string>;
  readonly aliases: ReadonlyMap<string, AliasRule>;
  /** The policy for all names that are not aliases. */
  readonly routing: RoutingPolicy;
  /** Unix seconds; used for models without a release date. */
  readonly loadedAt: number;
}

export interface Name {
  readonly entry: ModelEntry;
  readonly route: Route;
  /** The targets in every group. */
  readonly chain: readonly FallbackTarget[];
  readonly form: "alias" | "plain" | "pinned";
}

/** The plain names, and the names pinned to a provider that lacks the model. */
export function* plainNames(
  sources: NameSources,
  pins: ReadonlyMap<string, string>,
  unlisted: UnlistedModels,
): Steps<{
  readonly names: ReadonlyMap<string, Name>;
  readonly withoutTarget: ReadonlyMap<string, DisabledName>;
}> {
  const names = new Map<string, Name>();
  const withoutTarget = new Map<string, DisabledName>();
  const byId = Map.groupBy(sources.targets, ({ model }) => model.id);
  yield* eachInSteps(byId, ([id, targets]) => {
    const pin = pins.get(id);
    const pinned = pin === undefined
      ? undefined
      : targets.find((target) => target.provider.settings.id === pin) ??
        unlisted.at({ model: id, provider: pin });
    if (pin !== undefined && pinned === undefined) {
      withoutTarget.set(id, { form: "plain", providers: [], pin });
      return;
    }
    const offering = pinned === undefined ? targets : [pinned];
    const route = toModelRoute(offering, sources.routing, [id]);
    names.set(id, nameFor(id, route, "plain", sources));
  });
  return { names, withoutTarget };
}

export function* pinnedNames(sources: NameSources): Steps<ReadonlyMap<string, Name>> {
  const names = new Map<string, Name>();
  yield* eachInSteps(sources.targets, (target) => {
    const id = pinnedForm(target.model.id, target.provider.settings.id);
    names.set(id, nameFor(id, toModelRoute([target], sources.routing), "pinned", sources));
  });
  return names;
}

export function* aliasNames(
  sources: NameSources,
  unlisted: UnlistedModels,
  modelNames: ReadonlyMap<string, Name>,
  disabledNames: ReadonlyMap<string, DisabledName>,
): Steps<{
  readonly aliases: ReadonlyMap<string, Name>;
  readonly disabled: ReadonlyMap<string, DisabledName>;
}> {
  const aliases = new Map<string, Name>();
  const disabled = new Map<string, DisabledName>();
  const hasVendor = sources.targets.some((target) => !isSimulated(target));
  const groupOf = (model: string) => {
    const group = modelNames.get(model)?.route.groups[0];
    const target = group === undefined ? unlisted.find(model) : undefined;
    if (target === undefined || disabledNames.has(model)) return group;
    return toModelRoute([target], sources.routing).groups[0];
  };
  yield* eachInSteps(sources.aliases, ([id, { groups: rules, policy, label }]) => {
    const groups = toGroups({ groups: rules, policy }, groupOf, hasVendor);
    const entries = rules.flatMap((rule) => rule.entries);
    if (groups.length > 0) {
      const movable = entries.flatMap(({ model }) => modelNames.get(model)?.route.movable ?? []);
      const name = nameFor(id, { groups, policy, movable }, "alias", sources);
      aliases.set(id, { ...name, entry: { ...name.entry, label } });
    } else disabled.set(id, disabledAlias(entries, disabledNames));
  });
  return { aliases, disabled };
}

/** Enabled names come first; within each group, plain IDs, then aliases, then pinned forms. */
export function* candidatesOf(
  names: ReadonlyMap<string, Name>,
  disabled: ReadonlyMap<string, DisabledName>,
): Steps<readonly Candidate[]> {
  const forms = { plain: 0, alias: 1, pinned: 2 } as const;
  const groups: Candidate[][] = Array.from({ length: 6 }, () => []);
  yield* eachInSteps(names, ([name, { entry: { target }, form }]) =>
    groups[forms[form]]?.push({
      name,
      // The model IDs of an alias's first target do not resolve to the alias.
      spellings: form === "alias" ? [] : [target.model.id, target.model.upstream],
      vendors: [target.provider.settings.id, target.provider.adapter.kind],
    }));
  yield* eachInSteps(disabled, ([name, { form, providers }]) =>
    groups[3 + forms[form]]?.push({
      name,
      spellings: [],
      vendors: providers.flatMap(({ id, kind }) => [id, kind]),
    }));
  return groups.flat();
}

export function nameFor(
  id: string,
  route: Route,
  form: Name["form"],
  { loadedAt }: NameSources,
): Name {
  const chain = route.groups.flatMap(({ targets }) => targets);
  const [first] = chain;
  if (first === undefined) throw new TypeError("A name needs at least one target");
  const { target } = first;
  const { facts, id: root } = target.model;
  const entry = { id, target, root, created: facts.created ?? loadedAt, label: toLabel(facts) };
  return { entry, route, chain, form };
}
