/** The reference of config.yaml: an entry with an anchor for each setting. */

import { stringify } from "@std/yaml";
import type { Adapter } from "../../src/contract/adapter.ts";
import { EXAMPLES } from "./examples.ts";
import {
  anchorOf,
  CONFIG_PARTS,
  type ConfigPart,
  listSettings,
  partOfSetting,
  type Schema,
  type Setting,
} from "./settings.ts";

/** The version that first had each setting: the paths of each version. */
export type Since = Readonly<Record<string, readonly string[]>>;

/** The entries of one part of config.yaml. */
export function toConfigMarkdown(
  adapters: ReadonlyMap<string, Adapter>,
  part: ConfigPart,
  since: Since,
): string {
  const versions = new Map(
    Object.entries(since).flatMap(([version, paths]) => paths.map((path) => [path, version])),
  );
  const settings = listSettings(adapters).filter(({ path }) => partOfSetting(path) === part);
  const sorted = CONFIG_PARTS[part].flatMap((start) =>
    settings.filter(({ path }) => ownerOf(path, part) === start)
  );
  return sorted.map((setting) => toEntry(setting, versions.get(setting.path), part)).join("\n\n");
}

/** The beginning of a path that puts it into a part. */
function ownerOf(path: string, part: ConfigPart): string | undefined {
  const starts: readonly string[] = CONFIG_PARTS[part];
  return starts.filter((start) => path.startsWith(start))
    .toSorted((one, other) => other.length - one.length)[0];
}

function toEntry(setting: Setting, version: string | undefined, part: ConfigPart): string {
  const { path, schema, isRequired, kinds, like } = setting;
  const example = exampleOf(setting);
  const facts = [
    ["Type", typeOf(schema)],
    ["Default", isRequired ? "required" : toDefault(schema)],
    ["Example", example === undefined ? "" : code(`${lastOf(path)}: ${toFlow(example)}`)],
    ["Since", version ?? ""],
    ["Kinds", kinds?.map((kind) => `[${kind}](../../vendors/${kind}.md)`).join(", ") ?? ""],
  ].filter(([, value]) => value !== "");
  return [
    `<a id="${anchorOf(path)}"></a>`,
    `### \`${path}\``,
    ...(schema.description === undefined ? [] : [`${escaped(schema.description)}.`]),
    ...(like === undefined ? [] : [describeLike(like, part)]),
    facts.map(([name, value]) => `- ${name}: ${value}`).join("\n"),
  ].join("\n\n");
}

function describeLike({ path, members }: NonNullable<Setting["like"]>, part: ConfigPart): string {
  const other = partOfSetting(path) ?? part;
  const link = `${other === part ? "" : `${other}.md`}#${anchorOf(path)}`;
  return `Members as in [\`${path}\`](${link}): ${
    members.map((name) => `\`${name}\``).join(", ")
  }.`;
}

/** The example of a setting; undefined for an object whose members have examples. */
export function exampleOf({ path, schema }: Setting): unknown {
  if (path in EXAMPLES) return EXAMPLES[path];
  const { default: value } = schema;
  const values = valuesOf(schema);
  if (values.length > 0) return values.findLast((one) => one !== value);
  if (schema.type === "boolean") return value !== true;
  return typeof value === "object" ? undefined : value;
}

/** The values that a setting allows, if it has a list of them. */
function valuesOf({ enum: values, anyOf = [] }: Schema): readonly unknown[] {
  return values ?? anyOf.flatMap((option) => option.enum ?? option.const ?? []);
}

function typeOf(schema: Schema): string {
  const { type, pattern = "", anyOf, items, additionalProperties, properties } = schema;
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(", ");
  if (schema.const !== undefined) return code(String(schema.const));
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(", or ");
  if (/\(\?:?ms|\(ms/.test(pattern)) return "duration";
  if (/MiB|[KkM]B/.test(pattern)) return "size";
  if (schema.$ref !== undefined || properties !== undefined) return "object";
  if (items !== undefined) return `list of ${plural(typeOf(items))}`;
  if (typeof additionalProperties === "object") {
    return `map from names to ${plural(typeOf(additionalProperties))}`;
  }
  const types = [type ?? "object"].flat().filter((name, _, all) =>
    name !== "string" || all.length === 1
  );
  return types.join(" or ");
}

/** The plural of a type, or of each alternative of a type. */
function plural(type: string): string {
  const names = new Set(
    type.split(", or ").map((name) => {
      if (name.startsWith("list of ")) return name.replace("list", "lists");
      return /^(?:string|object|integer|number|boolean)$/.test(name) ? `${name}s` : name;
    }),
  );
  return new Intl.ListFormat("en-US", { type: "disjunction" }).format(names);
}

function toDefault({ default: value }: Schema): string {
  if (value === undefined) return "none";
  if (typeof value !== "object") return code(String(value));
  return Array.isArray(value) && value.length > 0 ? code(toFlow(value)) : "empty";
}

/** A value as YAML in one line. */
function toFlow(value: unknown): string {
  return stringify(value, { flowLevel: 0, lineWidth: -1 }).trim();
}

function lastOf(path: string): string {
  return path.replace(/\[\]$/, "").split(".").at(-1) ?? path;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Text in which angle brackets and braces are no markup of the site. */
function escaped(text: string): string {
  return text.replaceAll(/<[^>]*>|\{[^}]*\}/g, (found) => code(found));
}
