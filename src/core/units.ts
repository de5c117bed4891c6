/**
 * Billing units other than tokens, such as images. Settings, limits, prices, metrics and ledger
 * columns have an entry for each unit.
 */

/** The units, in the order in which tables print them. */
export const UNIT_NAMES = ["searches", "images", "characters", "seconds"] as const;
export type UnitName = (typeof UNIT_NAMES)[number];

/** An amount for each unit; absent amounts are 0. */
export type Units = Readonly<Partial<Record<UnitName, number>>>;

/** The usage member that holds its units. As a symbol, no vendor's JSON can contain it. */
export const UNITS: unique symbol = Symbol("units");

/** The unit in which vendors state prices, and its setting. */
interface UnitPrice {
  readonly unit: UnitName;
  /** The name in settings. */
  readonly setting: string;
  /** The number of units to which the price applies. */
  readonly per: number;
  readonly description: string;
}

/** Unit prices, as settings. */
export const UNIT_PRICES = [
  {
    unit: "searches",
    setting: "thousand_searches",
    per: 1000,
    description: "USD per thousand searches with a reranking model",
  },
  { unit: "images", setting: "image", per: 1, description: "USD per generated image" },
  {
    unit: "characters",
    setting: "million_characters",
    per: 1_000_000,
    description: "USD per million characters of synthesized text",
  },
  {
    unit: "seconds",
    setting: "minute",
    per: 60,
    description: "USD per minute of transcribed audio",
  },
] as const satisfies readonly UnitPrice[];

/** The sum of two amounts. */
export function addUnits(one: Units | undefined, other: Units | undefined): Units | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const sum: Partial<Record<UnitName, number>> = {};
  for (const name of UNIT_NAMES) {
    if (one[name] !== undefined || other[name] !== undefined) {
      sum[name] = (one[name] ?? 0) + (other[name] ?? 0);
    }
  }
  return sum;
}

/** Whether any amount is not 0. */
export function hasUnits(units: Units | undefined): units is Units {
  return units !== undefined && UNIT_NAMES.some((name) => (units[name] ?? 0) !== 0);
}

/** The tokens and other units that a request may use. */
export interface TokenEstimate {
  readonly input: number;
  /** The caller's limit on each answer's output; undefined without a limit. */
  readonly maxOutput: number | undefined;
  /** The number of answers that the caller requests; 1 if omitted. */
  readonly choices?: number | undefined;
  /** Units other than tokens. */
  readonly units?: Units | undefined;
}
