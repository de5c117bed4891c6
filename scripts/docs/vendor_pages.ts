/** A page for each kind of provider, generated from its tables. */

import { OPERATIONS } from "../../src/gateway/execute/list.ts";
import type { Adapter } from "../../src/contract/adapter.ts";
import { listFacts, toMatrix } from "../../src/providers/support_matrix.ts";
import { toKindSettingsMarkdown } from "./kind_settings.ts";

/** How a kind handles a field, as `GET /v1/providers` says it. */
interface Printed {
  readonly verdict: string;
  readonly to?: string;
  readonly note?: string;
}

type Table = Readonly<Record<string, Printed>>;

/** The names of vendors in the catalog that differ from the kind. */
const CATALOGUE_NAMES = new Map([["gemini", "google"]]);

/** The page of a kind. */
export function vendorPage(kind: string): string {
  return `docs/vendors/${kind}.md`;
}

/** The generated part of a kind's page. */
export function toVendorMarkdown(
  adapter: Adapter,
  adapters: ReadonlyMap<string, Adapter>,
): string {
  const [matrix] = toMatrix([adapter], OPERATIONS.map(({ support }) => support));
  if (matrix === undefined) return "";
  const { operations, ...members } = matrix;
  const sections = OPERATIONS.flatMap(({ support: { group, contentMember } }) => {
    const tables = group === undefined ? members : members[group.member] as typeof members;
    if (tables === undefined || Object.keys(tables.parameters as Table).length === 0) return [];
    return [`## ${group?.title ?? "Chat"}`, ...toTables(tables, contentMember)];
  });
  const settings = toKindSettingsMarkdown(adapters, adapter.kind);
  return [
    `Operations: ${operations.join(", ")}. ${describeDefaults(adapter)}`,
    ...(settings === "" ? [] : ["## Settings of this kind", settings]),
    ...sections,
    ...toModels(adapter),
  ].join("\n\n");
}

function describeDefaults({ defaults }: Adapter): string {
  const { baseUrl, credentials, ambient } = defaults;
  const address = baseUrl === undefined
    ? "`base_url` is required."
    : baseUrl === ""
    ? "The URL is derived from the settings."
    : `\`base_url\` is \`${baseUrl}\` by default.`;
  const keys = credentials === "none"
    ? "It needs no key."
    : credentials === "optional"
    ? "A key is optional."
    : "Without a key, a provider of this kind is disabled" +
      (ambient === undefined ? "." : ", unless the machine has credentials.");
  return `${address} ${keys}`;
}

/** The tables of one operation. */
function toTables(tables: Readonly<Record<string, unknown>>, contentMember: string): string[] {
  const { parameters, extensions, adds } = tables as {
    parameters: Table;
    extensions: "all" | Table;
    adds: Readonly<Record<string, string>>;
  };
  const contents = tables[contentMember] as Table;
  const rows = [
    ...Object.entries(parameters).map(([name, value]) => toRow(`\`${name}\``, value)),
    ...Object.entries(contents).map(([name, value]) =>
      toRow(`_${name.replaceAll("_", " ")}_`, value)
    ),
    ...(extensions === "all"
      ? ["| _other fields_ | yes | |"]
      : Object.entries(extensions).map(([name, value]) => toRow(`\`${name}\``, value))),
  ];
  const added = Object.entries(adds).map(([name, why]) => `| \`${name}\` | ${escaped(why)} |`);
  return [
    ["| field | support | how |", "| --- | --- | --- |", ...rows].join("\n"),
    ...(added.length === 0 ? [] : [
      "The gateway may add:",
      ["| field | why |", "| --- | --- |", ...added].join("\n"),
    ]),
  ];
}

function toRow(label: string, { verdict, to, note }: Printed): string {
  const how = [
    ...(to === undefined ? [] : [`as \`${to}\``]),
    ...(note === undefined ? [] : [note]),
  ];
  return `| ${label} | ${verdict === "native" ? "yes" : verdict} | ${escaped(how.join("; "))} |`;
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** The models in the catalog. */
function toModels({ kind }: Adapter): string[] {
  const vendor = CATALOGUE_NAMES.get(kind) ?? kind;
  const models = listFacts().filter((row) => row.vendor === vendor);
  if (models.length === 0) return [];
  const rows = models.map((model) => {
    const { price_input_per_mtok: input, price_output_per_mtok: output } = model;
    const price = input == null ? "" : `${input} / ${output ?? "?"}`;
    return `| \`${model.id}\` | ${model.context_window ?? ""} | ${
      model.max_output_tokens ?? ""
    } | ` +
      `${price} | ${model.checked} |`;
  });
  return [
    "## Models in the catalog",
    "The gateway knows the limits and prices of these models; other models work too. Prices " +
    "are USD per million tokens of input and output. `sluice models` shows the sources.",
    ["| model | context | output | price | checked |", "| --- | --- | --- | --- | --- |", ...rows]
      .join("\n"),
  ];
}
