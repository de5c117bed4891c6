/**
 * Facts about vendors' models, from catalogue.json, embedding_models.json, and media_models.json with
 * the prices of images, audio, reranking and moderation.
 */

import type { Capability, ModelFacts, ModelPrices } from "../contract/model_facts.ts";
import chatModels from "./catalogue.json" with { type: "json" };
import embeddingModels from "./embedding_models.json" with { type: "json" };
import mediaModels from "./media_models.json" with { type: "json" };
import { UNIT_PRICES, type Units } from "../../core/units.ts";
import { withRules } from "./price_rules.ts";

/**
 * The catalogue's facts about a model of one kind of provider; empty if it does not list the model.
 */
export function factsOf(kind: string, modelId: string): ModelFacts {
  const vendors = VENDORS_OF_KIND.get(kind);
  if (vendors === undefined) return CATALOGUE.get(kind)?.get(modelId) ?? UNKNOWN;
  for (const vendor of vendors) {
    const name = kind === "bedrock" ? bedrockId(modelId, vendor) : plainId(modelId);
    const facts = CATALOGUE.get(vendor)?.get(name);
    if (facts !== undefined) return facts;
  }
  return UNKNOWN;
}

/** The rows of the catalogue, ordered by vendor. */
export function listCatalogue(): readonly CatalogueRow[] {
  return ROWS;
}

/** One row of catalogue.json. Unknown values are null. */
export interface CatalogueRow {
  readonly id: string;
  readonly vendor: string;
  readonly created: number | null;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  /** The length of a vector. Only embedding models have it. */
  readonly dimensions?: number;
  /** USD per million tokens. */
  readonly price_input_per_mtok: number | null;
  readonly price_output_per_mtok: number | null;
  readonly price_cached_input_per_mtok: number | null;
  /** USD by the setting of a unit, such as `image`. */
  readonly unit_prices?: UnitPrices | undefined;
  /** The prices of requests with more input tokens than `above`. Absent where there are none. */
  readonly long_context?: {
    readonly above: number;
    readonly input: number;
    readonly output: number;
    readonly cached_input?: number;
  };
  readonly capabilities: Readonly<Partial<Record<Capability, boolean | null>>>;
  readonly rejects_sampling_params: boolean | null;
  /** The URL of the source. */
  readonly source: string;
  /** The date on which the source was read. */
  readonly checked: string;
}

/** Kinds whose models the catalogue lists under the names of other vendors. */
const VENDORS_OF_KIND = new Map([
  ["azure", ["openai"]],
  ["bedrock", ["anthropic", "bedrock"]],
  ["gemini", ["google"]],
  ["vertex", ["google", "anthropic"]],
]);

/** Removes the publisher and the version from Google's `publisher/model` and `model@version`. */
function plainId(id: string): string {
  return id.replace(/^.*\/|@.*$/g, "");
}

/**
 * Removes the ARN of an inference profile and the region from Bedrock's ID of a model. For a Claude
 * model, returns Anthropic's ID, without the vendor and the version.
 */
function bedrockId(id: string, vendor: string): string {
  if (vendor !== "anthropic") return id.replace(/^arn:.*\//, "").replace(REGION, "");
  return id.replace(/^(?:arn:.*\/)?(?:[a-z-]+\.)?anthropic\./, "").replace(/-v\d+(?::\d+)?$/, "");
}

/** The region in the ID of an inference profile, which precedes the vendor. */
const REGION = /^(?:[a-z]{2,4}|global|us-gov)\.(?=[a-z]+\.)/;

const UNKNOWN: ModelFacts = {};

/** Prices by the settings of units. */
type UnitPrices = Readonly<
  Partial<Record<(typeof UNIT_PRICES)[number]["setting"], number | undefined>>
>;

/** A row of media_models.json: what other rows have besides is unknown. */
interface MediaRow
  extends Pick<CatalogueRow, "id" | "vendor" | "unit_prices" | "source" | "checked"> {
  readonly price_input_per_mtok?: number | undefined;
  readonly price_output_per_mtok?: number | undefined;
  readonly capabilities: Readonly<Partial<Record<Capability, boolean | undefined>>>;
}

const MEDIA: readonly MediaRow[] = mediaModels;
const ROWS: readonly CatalogueRow[] = [...chatModels, ...embeddingModels, ...MEDIA.map(toRow)];
const CATALOGUE = byVendor(ROWS);

function byVendor(rows: readonly CatalogueRow[]): Map<string, Map<string, ModelFacts>> {
  const vendors = new Map<string, Map<string, ModelFacts>>();
  for (const row of rows) {
    const models = vendors.get(row.vendor) ?? new Map<string, ModelFacts>();
    models.set(row.id, toFacts(row));
    vendors.set(row.vendor, models);
  }
  return vendors;
}

function toRow(
  { price_input_per_mtok: input, price_output_per_mtok: output, capabilities, ...row }: MediaRow,
): CatalogueRow {
  return {
    ...row,
    created: null,
    context_window: null,
    max_output_tokens: null,
    price_input_per_mtok: input ?? null,
    price_output_per_mtok: output ?? null,
    price_cached_input_per_mtok: null,
    capabilities: Object.fromEntries(Object.entries(capabilities)),
    rejects_sampling_params: null,
  };
}

function toFacts(row: CatalogueRow): ModelFacts {
  return withoutNulls({
    created: row.created,
    context_window: row.context_window,
    max_output_tokens: row.max_output_tokens,
    dimensions: row.dimensions ?? null,
    // A model that chats has no embeddings.
    capabilities: { embeddings: false, ...withoutNulls(row.capabilities) },
    rejects_sampling_params: row.rejects_sampling_params,
    prices: toPrices(row),
  });
}

/** Without a price for input and output, or for a unit, the cost is unknown. */
function toPrices(row: CatalogueRow): ModelPrices | null {
  const { price_input_per_mtok: input, price_output_per_mtok: output, long_context } = row;
  if (row.unit_prices !== undefined) {
    return { input: input ?? 0, output: output ?? 0, units: toUnits(row.unit_prices) };
  }
  if (input === null || output === null) return null;
  const cached_input = row.price_cached_input_per_mtok;
  const prices = withoutNulls({ input, output, cached_input });
  return withRules(row.vendor, row.id, { ...prices, ...(long_context && { long_context }) });
}

/** The prices of single units. */
function toUnits(prices: UnitPrices): Units {
  return Object.fromEntries(UNIT_PRICES.flatMap(({ unit, setting, per }) => {
    const price = prices[setting];
    return price === undefined ? [] : [[unit, price / per]];
  }));
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
