/** What is known of vendors' models, from catalogue.json. */

import type { Capability, ModelFacts } from "../contract/adapter.ts";
import data from "./catalogue.json" with { type: "json" };

/** What the catalogue says of a model as one kind of provider serves it; empty when nothing. */
export function factsOf(kind: string, modelId: string): ModelFacts {
  const vendors = VENDORS_OF_KIND.get(kind);
  if (vendors === undefined) return CATALOGUE.get(kind)?.get(modelId) ?? UNKNOWN;
  const name = kind === "bedrock" ? claudeId(modelId) : plainId(modelId);
  for (const vendor of vendors) {
    const facts = CATALOGUE.get(vendor)?.get(name);
    if (facts !== undefined) return facts;
  }
  return UNKNOWN;
}

/** What the catalogue says of each model, vendor by vendor. */
export function listCatalogue(): readonly CatalogueRow[] {
  return data;
}

/** One row of catalogue.json; null stands for unknown. */
export interface CatalogueRow {
  readonly id: string;
  readonly vendor: string;
  readonly created: number | null;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  /** USD per million tokens. */
  readonly price_input_per_mtok: number | null;
  readonly price_output_per_mtok: number | null;
  readonly price_cached_input_per_mtok: number | null;
  readonly capabilities: Readonly<Record<Capability, boolean | null>>;
  readonly rejects_sampling_params: boolean | null;
  /** Who says so. */
  readonly source: string;
  /** The date as of which they said so. */
  readonly checked: string;
}

/** Kinds whose models are listed under other names than their own. */
const VENDORS_OF_KIND = new Map([
  ["azure", ["openai"]],
  ["bedrock", ["anthropic"]],
  ["gemini", ["google"]],
  ["vertex", ["google", "anthropic"]],
]);

/** Google names models by `publisher/model` and `model@version` too. */
function plainId(id: string): string {
  return id.replace(/^.*\/|@.*$/g, "");
}

/**
 * Bedrock's id of a Claude model as Anthropic writes it: without the ARN of an
 * inference profile, the region, the vendor and the version.
 */
function claudeId(id: string): string {
  return id.replace(/^(?:arn:.*\/)?(?:[a-z-]+\.)?anthropic\./, "").replace(/-v\d+(?::\d+)?$/, "");
}

const UNKNOWN: ModelFacts = {};

const CATALOGUE = byVendor(data);

function byVendor(rows: readonly CatalogueRow[]): Map<string, Map<string, ModelFacts>> {
  const vendors = new Map<string, Map<string, ModelFacts>>();
  for (const row of rows) {
    const models = vendors.get(row.vendor) ?? new Map<string, ModelFacts>();
    models.set(row.id, toFacts(row));
    vendors.set(row.vendor, models);
  }
  return vendors;
}

function toFacts(row: CatalogueRow): ModelFacts {
  const { price_input_per_mtok: input, price_output_per_mtok: output } = row;
  return withoutNulls({
    created: row.created,
    context_window: row.context_window,
    max_output_tokens: row.max_output_tokens,
    capabilities: withoutNulls(row.capabilities),
    rejects_sampling_params: row.rejects_sampling_params,
    prices: input === null || output === null
      ? null
      : withoutNulls({ input, output, cached_input: row.price_cached_input_per_mtok }),
  });
}

type Known<Members> =
  & { [Name in keyof Members as null extends Members[Name] ? never : Name]: Members[Name] }
  & {
    [Name in keyof Members as null extends Members[Name] ? Name : never]?: NonNullable<
      Members[Name]
    >;
  };

function withoutNulls<Members extends object>(members: Members): Known<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null),
  ) as Known<Members>;
}
