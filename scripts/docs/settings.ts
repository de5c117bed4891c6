/** The settings of config.yaml, one entry each, from its JSON Schema. */

import type { Adapter } from "../../src/contract/adapter.ts";
import { configSchema } from "../../src/config/config.ts";

/** The members of JSON Schema that the schema of config.yaml uses. */
export interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** A setting. */
export interface Setting {
  /** Such as `server.keys[].limits`; `<id>` and `<name>` stand for names that users choose. */
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** The kinds of providers that have it; undefined for all of them. */
  readonly kinds?: readonly string[];
  /** The setting whose members this one has too, and which members those are. */
  readonly like?: { readonly path: string; readonly members: readonly string[] };
}

/** The parts of config.yaml, each a page, and the beginnings of the paths of its settings. */
export const CONFIG_PARTS = {
  server: ["server", "upstream"],
  keys: ["server.keys", "server.admin_keys", "server.end_users"],
  providers: ["providers"],
  models: ["providers.<id>.models", "pins", "catalogue"],
  aliases: ["aliases"],
  routing: ["routing"],
  governance: ["limits", "store", "keep", "shared_store", "limits_store"]
    .concat("on_store_failure", "share"),
  telemetry: ["log", "telemetry", "alerts"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ConfigPart = keyof typeof CONFIG_PARTS;

/** The part that describes a setting: the one with the longest beginning. */
export function partOfSetting(path: string): ConfigPart | undefined {
  const length = (starts: readonly string[]) =>
    Math.max(
      -1,
      ...starts.filter((start) =>
        path === start || /^[.[]/.test(path.slice(start.length)) &&
          path.startsWith(start)
      ).map((start) => start.length),
    );
  const parts = Object.entries(CONFIG_PARTS) as [ConfigPart, readonly string[]][];
  const [best] = parts.toSorted(([, one], [, other]) => length(other) - length(one));
  return best !== undefined && length(best[1]) > 0 ? best[0] : undefined;
}

/** The anchor of a setting in its page. */
export function anchorOf(path: string): string {
  return path.replaceAll(/\[\]|\.<\w+>/g, "");
}

/** Settings with this many members in common refer to each other. */
const MIN_LIKE = 2;

/** All settings. Each group of members is described where it comes first. */
export function listSettings(adapters: ReadonlyMap<string, Adapter>): readonly Setting[] {
  return readSettings(configSchema(adapters) as Schema);
}

/** The settings of a schema, which may be that of an earlier version. */
export function readSettings(schema: Schema): readonly Setting[] {
  return new Reader(schema).read();
}

class Reader {
  readonly #root: Schema;
  readonly #settings: Setting[] = [];
  /** The groups so far, by the path of their owner: each member as JSON, by its name. */
  readonly #groups = new Map<string, ReadonlyMap<string, string>>();

  constructor(root: Schema) {
    this.#root = root;
  }

  read(): readonly Setting[] {
    const { providers, routing, limits, ...others } = this.#root.properties ?? {};
    // These come first: others have members of them.
    this.#readMember("limits", limits ?? {}, false);
    this.#readMember("routing", routing ?? {}, false);
    for (const [name, member] of Object.entries(others)) this.#readMember(name, member, false);
    this.#readProviders(providers ?? {});
    return this.#settings;
  }

  #readProviders(providers: Schema): void {
    const perProvider = providers.additionalProperties;
    const kinds = (typeof perProvider === "object" ? perProvider.oneOf : undefined) ?? [];
    this.#settings.push({ path: "providers", schema: providers, isRequired: true });
    const names = kinds.map(({ properties }) => String(properties?.kind?.const));
    this.#settings.push({
      path: "providers.<id>.kind",
      schema: {
        type: "string",
        description: kinds[0]?.properties?.kind?.description ?? "",
        enum: names,
      },
      isRequired: true,
    });
    for (const group of groupMembers(kinds)) {
      const isCommon = group.kinds.length === kinds.length;
      this.#readMember(
        `providers.<id>.${group.name}`,
        group.schema,
        group.isRequired,
        isCommon ? undefined : group.kinds,
      );
    }
  }

  #readMember(path: string, schema: Schema, isRequired: boolean, kinds?: readonly string[]): void {
    const setting = { path, schema: this.#merged(schema), isRequired, ...(kinds && { kinds }) };
    const groups = (RECURSIVE.has(path) ? [] : this.#groupsOf(schema))
      .map(([place, group]) => ({ place, group, known: this.#similarGroup(group) }));
    const like = groups.find(({ known }) => known !== undefined)?.known;
    this.#settings.push(like === undefined ? setting : { ...setting, like });
    for (const { place, group: { properties = {}, required = [] }, known } of groups) {
      const described = Object.entries(properties)
        .filter(([name]) => known !== like || !known?.members.includes(name));
      this.#groups.set(
        `${path}${place}`,
        new Map(described.map(([name, member]) => [name, JSON.stringify(member)])),
      );
      for (const [name, member] of described) {
        this.#readMember(`${path}${place}.${name}`, member, required.includes(name), kinds);
      }
    }
  }

  /** The first group with enough members in common. */
  #similarGroup({ properties = {} }: Schema): Setting["like"] {
    for (const [path, group] of this.#groups) {
      const members = Object.entries(properties)
        .filter(([name, member]) => group.get(name) === JSON.stringify(member))
        .map(([name]) => name);
      if (members.length >= MIN_LIKE) return { path, members };
    }
    return undefined;
  }

  /** A schema with the definition that it refers to. */
  #merged(schema: Schema): Schema {
    return { ...this.#resolve(schema), ...schema };
  }

  #resolve(schema: Schema): Schema {
    const [inner] = schema.allOf ?? [];
    const name = (schema.$ref ?? inner?.$ref)?.replace("#/definitions/", "");
    return name === undefined ? schema : this.#root.definitions?.[name] ?? schema;
  }

  /** The nested objects of a member, and what stands before their members in paths. */
  #groupsOf(member: Schema): (readonly [string, Schema])[] {
    const direct = this.#resolve(member);
    if (direct.properties !== undefined) return [["", direct]];
    const perName = typeof member.additionalProperties === "object"
      ? member.additionalProperties
      : {};
    const forms = [member, ...member.anyOf ?? []];
    const entries = forms.flatMap(({ items }) => items ?? [])
      .flatMap((items) => [items, ...items.anyOf ?? []]);
    const perNameForms = [perName, ...perName.anyOf ?? []];
    const inMap = perNameForms.flatMap(({ items }) => items?.anyOf ?? []);
    const places = [["", member.anyOf ?? []], ["[]", entries], [".<name>[]", inMap]] as const;
    return [...places, [".<name>", perNameForms] as const].flatMap(([place, options]) => {
      const object = options.map((option) => this.#resolve(option))
        .find(({ properties }) => properties !== undefined);
      return object === undefined ? [] : [[place, object] as const];
    });
  }
}

/** Settings whose entries another setting describes. */
const RECURSIVE: ReadonlySet<string> = new Set(["aliases.<name>.targets"]);

interface KindMember {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly kinds: readonly string[];
}

/** The members of all kinds, those of most kinds first. */
function groupMembers(kinds: readonly Schema[]): KindMember[] {
  const groups = new Map<string, KindMember>();
  for (const { properties = {}, required = [] } of kinds) {
    const kind = String(properties.kind?.const);
    for (const [name, schema] of Object.entries(properties)) {
      if (name === "kind") continue;
      const known = groups.get(name);
      groups.set(name, {
        name,
        schema: known === undefined ? schema : joined(known.schema, schema),
        isRequired: required.includes(name) && (known?.isRequired ?? true),
        kinds: [...known?.kinds ?? [], kind],
      });
    }
  }
  return [...groups.values()].toSorted((one, other) => other.kinds.length - one.kinds.length);
}

/** A member that two kinds have, with the values that either of them allows. */
function joined(one: Schema, other: Schema): Schema {
  if (one.enum === undefined || other.enum === undefined) return one;
  return { ...one, enum: [...new Set([...one.enum, ...other.enum])] };
}
