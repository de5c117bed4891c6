/** The settings that only one kind of provider has, as Markdown, from the JSON Schema. */

import type { Adapter } from "../../src/contract/adapter.ts";
import { configSchema } from "../../src/config/config.ts";

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

interface Row {
  readonly path: string;
  readonly description: string;
  readonly defaultValue: string;
}

/** The settings that only one kind has; empty without any. */
export function toKindSettingsMarkdown(
  adapters: ReadonlyMap<string, Adapter>,
  name: string,
): string {
  const schema = configSchema(adapters) as Schema;
  const perProvider = schema.properties?.providers?.additionalProperties;
  const kinds = (typeof perProvider === "object" ? perProvider.oneOf : undefined) ?? [];
  const kind = kinds.find(({ properties }) => properties?.kind?.const === name);
  const rows = kind === undefined
    ? []
    : rowsOfKind(kind, sharedMembers(kinds), schema.definitions ?? {});
  return rows.length === 0 ? "" : table(rows);
}

/** The members that every kind has. */
function sharedMembers(kinds: readonly Schema[]): Record<string, Schema> {
  const [first] = kinds;
  return Object.fromEntries(
    Object.entries(first?.properties ?? {}).filter(([name]) =>
      name !== "kind" && kinds.every(({ properties }) => properties?.[name] !== undefined)
    ),
  );
}

function rowsOfKind(
  kind: Schema,
  common: Readonly<Record<string, Schema>>,
  definitions: Readonly<Record<string, Schema>>,
): Row[] {
  const name = String(kind.properties?.kind?.const);
  const own = Object.entries(kind.properties ?? {})
    .filter(([member]) => member !== "kind" && !(member in common));
  return rowsOf({ properties: Object.fromEntries(own) }, "", definitions)
    .map((row) => ({ ...row, path: `${name}: ${row.path}` }));
}

function rowsOf(
  schema: Schema,
  prefix: string,
  definitions: Readonly<Record<string, Schema>>,
  flat: ReadonlySet<string> = ONE_LINE,
): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const inner = flat.has(name) ? undefined : membersOf(member, definitions);
    const row = { path, description: describe(member), defaultValue: defaultOf(member) };
    if (inner === undefined || inner.length === 0) return [row];
    const rows = inner.flatMap(([place, members]) =>
      rowsOf(members, `${path}${place}.`, definitions, ONE_LINE)
    );
    return member.description === undefined ? rows : [row, ...rows];
  });
}

/** Members whose entries another row describes. */
const ONE_LINE: ReadonlySet<string> = new Set(["targets"]);

/** The nested objects of a member, and what stands before their members in paths. */
function membersOf(
  member: Schema,
  definitions: Readonly<Record<string, Schema>>,
): (readonly [string, Schema])[] {
  const direct = resolve(member, definitions);
  if (direct.properties !== undefined) return [["", direct]];
  const lists = [member, ...member.anyOf ?? []].flatMap(({ items }) => items ?? []);
  const entries = lists.flatMap((items) => [items, ...items.anyOf ?? []]);
  const perName = typeof member.additionalProperties === "object"
    ? member.additionalProperties
    : {};
  const forms = perName.anyOf ?? [];
  const inMap = forms.flatMap(({ items }) => items?.anyOf ?? []);
  const places = [["[]", entries], [".<name>[]", inMap], [".<name>", forms]] as const;
  return places.flatMap(([place, options]) => {
    const object = options.map((option) => resolve(option, definitions))
      .find(({ properties }) => properties !== undefined);
    return object === undefined ? [] : [[place, object] as const];
  });
}

function resolve(schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema {
  const [inner] = schema.allOf ?? [];
  const name = (schema.$ref ?? inner?.$ref)?.replace("#/definitions/", "");
  return name === undefined ? schema : definitions[name] ?? schema;
}

function describe({ description = "", enum: values }: Schema): string {
  if (values === undefined) return description;
  const allowed = values.map((value) => `\`${value}\``).join(", ");
  return description === "" ? `One of ${allowed}` : `${description}. One of ${allowed}`;
}

function defaultOf({ default: value }: Schema): string {
  if (value === undefined) return "";
  if (typeof value === "object") return "";
  return `\`${value}\``;
}

function table(rows: readonly Row[]): string {
  return [
    "| setting | meaning | default |",
    "| --- | --- | --- |",
    ...rows.map(({ path, description, defaultValue }) =>
      `| \`${path}\` | ${description.replaceAll("|", "\\|")} | ${defaultValue} |`
    ),
  ].join("\n");
}
