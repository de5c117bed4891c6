/**
 * Facts about vendors' models, from catalogue.json, embedding_models.json, and media_models.json
 * with the prices of images, audio, reranking and moderation.
 */

import { isObject } from "../../core/json/object.ts";
import { isText, toObject } from "../../core/json/values.ts";
import type {
  Capability,
  ModelFacts,
  ModelPrices,
  TokenPrices,
} from "../../contract/model_facts.ts";
import chatModels from "./catalogue.json" with { type: "json" };
import embeddingModels from "./embedding_models.json" with { type: "json" };
import mediaModels from "./media_models.json" with { type: "json" };
import { UNIT_PRICES, type Units } from "../../core/units.ts";

/** Factors for the input price, and for all prices. */
interface PriceRule {
  /** The vendor's name in the catalogue. */
  readonly vendor: string;
  /** The models that the rule applies to; all models of the vendor if omitted. */
  readonly models?: RegExp;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  readonly cacheWriteHour?: number;
  readonly tiers?: ReadonlyMap<string, number>;
}

const RULES: readonly PriceRule[] = [
  // Cache reads cost a tenth of regular input, cache writes 1.25 times as much, and hour-long cache
  // writes twice as much (https://docs.rs/claude-session-parser/0.2.3, 2026-11-22).
  { vendor: "anthropic", cachedInput: 0.1, cacheWrite: 1.25, cacheWriteHour: 2 },
  // For earlier models, cache writes cost the same as regular input
  // (https://github.com/coder/mux/issues/3705, 2026-11-22).
  { vendor: "openai", models: /^gpt-(?:5\.[6-9]|[6-9])/, cacheWrite: 1.25 },
  // Flex processing is billed at batch prices, which are half the regular prices
  // (https://platform.openai.com/docs/guides/flex-processing, 2026-11-22).
  { vendor: "openai", models: /^(?:gpt-[5-9]|o3$|o4-mini)/, tiers: new Map([["flex", 0.5]]) },
  // Cached input costs a tenth (https://docs.rs/tt-shared/0.1.2, 2026-11-22), and flex processing
  // half (https://ai.google.dev/gemini-api/docs/optimization, 2026-11-22).
  { vendor: "google", models: /^gemini-\d/, cachedInput: 0.1, tiers: new Map([["flex", 0.5]]) },
];

/** Adds the prices that follow from the vendor's rules to the known ones. */
function withRules(vendor: string, model: string, prices: ModelPrices): ModelPrices {
  return RULES
    .filter((rule) => rule.vendor === vendor && (rule.models?.test(model) ?? true))
    .reduce((known, rule) => ({
      ...derived(rule, known),
      ...(known.long_context && {
        long_context: { ...derived(rule, known.long_context), above: known.long_context.above },
      }),
      ...tiersOf(rule, known),
    }), prices);
}

/** The prices of tokens. Known prices take precedence. */
function derived(
  { cachedInput, cacheWrite, cacheWriteHour }: PriceRule,
  { input, output, cached_input, cache_write, cache_write_1h }: TokenPrices,
): TokenPrices {
  const cached = cached_input ?? times(input, cachedInput);
  const write = cache_write ?? times(input, cacheWrite);
  const writeHour = cache_write_1h ?? times(input, cacheWriteHour);
  return {
    ...{ input, output },
    ...(cached !== undefined && { cached_input: cached }),
    ...(write !== undefined && { cache_write: write }),
    ...(writeHour !== undefined && { cache_write_1h: writeHour }),
  };
}

/** A price times a factor, without binary rounding errors. */
function times(price: number, factor: number | undefined): number | undefined {
  return factor === undefined ? undefined : Math.round(price * factor * 1e6) / 1e6;
}

function tiersOf({ tiers }: PriceRule, known: ModelPrices): Pick<ModelPrices, "tiers"> {
  return known.tiers === undefined && tiers === undefined
    ? {}
    : { tiers: new Map([...tiers ?? [], ...known.tiers ?? []]) };
}

/** Facts about models, from one source. */
export interface Catalogue {
  /** The date of the newest row, such as `2026-11-24`. */
  readonly date: string;
  /** Facts by vendor and model. */
  readonly vendors: ReadonlyMap<string, ReadonlyMap<string, ModelFacts>>;
}

/**
 * A catalogue's facts about a model of one kind of provider; empty if it does not list the model.
 */
export function factsOf(
  kind: string,
  modelId: string,
  { vendors: rows }: Catalogue = BUILT_IN,
): ModelFacts {
  const vendors = VENDORS_OF_KIND.get(kind);
  if (vendors === undefined) return rows.get(kind)?.get(modelId) ?? UNKNOWN;
  for (const vendor of vendors) {
    const name = kind === "bedrock" ? bedrockId(modelId, vendor) : plainId(modelId);
    const facts = rows.get(vendor)?.get(name);
    if (facts !== undefined) return facts;
  }
  return UNKNOWN;
}

/**
 * Reads a catalogue in the format of catalogue.json. Its rows replace the built-in rows of the same
 * models.
 *
 * @throws {TypeError} when it is not such a catalogue, with the first fault.
 */
export function readCatalogue(text: string): Catalogue {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    throw new TypeError("it is not JSON");
  }
  if (!Array.isArray(rows)) throw new TypeError("it is not a list of models");
  const own = rows.map((row: unknown, index) => {
    const fault = faultOf(row);
    if (fault !== undefined) throw new TypeError(`entry ${index} ${fault}`);
    return row as CatalogueRow;
  });
  return { date: dateOf(own), vendors: byVendor([...ROWS, ...own]) };
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
  /** The prices of requests with more input tokens than `above`. Absent if there are none. */
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
  /** The date when the source was read. */
  readonly checked: string;
}

/** Kinds whose models the catalogue lists under the names of other vendors. */
const VENDORS_OF_KIND = new Map([
  ["azure", ["openai"]],
  ["bedrock", ["anthropic", "bedrock"]],
  ["gemini", ["google"]],
  ["vertex", ["google", "anthropic"]],
]);

/** Removes the publisher and the version from Google's `publisher/model@version`. */
function plainId(id: string): string {
  return id.replace(/^.*\/|@.*$/g, "");
}

/**
 * Removes an inference profile's ARN and the region from Bedrock's model ID. For a Claude model,
 * returns Anthropic's ID, without the vendor and the version.
 */
function bedrockId(id: string, vendor: string): string {
  if (vendor !== "anthropic") return id.replace(/^arn:.*\//, "").replace(REGION, "");
  return id.replace(/^(?:arn:.*\/)?(?:[a-z-]+\.)?anthropic\./, "").replace(/-v\d+(?::\d+)?$/, "");
}

/** The region in the ID of an inference profile, which comes before the vendor. */
const REGION = /^(?:[a-z]{2,4}|global|us-gov)\.(?=[a-z]+\.)/;

const UNKNOWN: ModelFacts = {};

/** Prices by the settings of units. */
type UnitPrices = Readonly<
  Partial<Record<(typeof UNIT_PRICES)[number]["setting"], number | undefined>>
>;

/** A row of media_models.json, which may have further members. */
interface MediaRow
  extends Pick<CatalogueRow, "id" | "vendor" | "unit_prices" | "source" | "checked"> {
  readonly price_input_per_mtok?: number | undefined;
  readonly price_output_per_mtok?: number | undefined;
  readonly capabilities: Readonly<Partial<Record<Capability, boolean | undefined>>>;
}

const MEDIA: readonly MediaRow[] = mediaModels;
const ROWS: readonly CatalogueRow[] = [...chatModels, ...embeddingModels, ...MEDIA.map(toRow)];

/** The catalogue of this version of the gateway. */
export const BUILT_IN: Catalogue = { date: dateOf(ROWS), vendors: byVendor(ROWS) };

function dateOf(rows: readonly CatalogueRow[]): string {
  return rows.reduce((newest, { checked }) => checked > newest ? checked : newest, "");
}

/** Members of a row that are a number or null. */
const NUMBERS = [
  "created",
  "context_window",
  "max_output_tokens",
  "price_input_per_mtok",
  "price_output_per_mtok",
  "price_cached_input_per_mtok",
] as const satisfies readonly (keyof CatalogueRow)[];

/** The error of a row; undefined if it is valid. */
function faultOf(row: unknown): string | undefined {
  if (!isObject(row)) return "is not an object";
  if (!isText(row.id) || !isText(row.vendor)) return "has no 'id' or no 'vendor'";
  if (!isText(row.checked) || !/^\d{4}-\d\d-\d\d$/.test(row.checked)) {
    return "has no date in 'checked'";
  }
  const wrong = NUMBERS.find((name) => !isNumberOrNull(row[name]));
  if (wrong !== undefined) return `has a '${wrong}' that is neither a positive number nor null`;
  const { capabilities, long_context: long } = row;
  const isFlag = (value: unknown) => value === null || typeof value === "boolean";
  if (!isObject(capabilities) || !Object.values(capabilities).every(isFlag)) {
    return "has 'capabilities' that are not true, false or null";
  }
  const units = row.unit_prices === undefined ? [] : Object.values(toObject(row.unit_prices));
  if (!units.every(isNumberOrNull)) return "has 'unit_prices' that are not positive numbers";
  const prices = isObject(long) ? [long.above, long.input, long.output] : [];
  const isLong = long === undefined ||
    (prices.length > 0 && prices.every((price) => typeof price === "number"));
  return isLong ? undefined : "has a 'long_context' without its prices";
}

function isNumberOrNull(value: unknown): boolean {
  return value === null || (typeof value === "number" && value >= 0);
}

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
    // A chat model does not support embeddings.
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

/** Prices per unit. */
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
