/** Budget periods: calendar hours, days, weeks and months in UTC. */

/** How often a budget renews. */
export const BUDGET_PERIODS = ["hour", "day", "week", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The state of a budget in its current period. */
export interface BudgetState {
  /** US dollars per period. */
  readonly usd: number;
  readonly per: BudgetPeriod;
  /** US dollars. */
  readonly spent: number;
  /** When the budget renews, in milliseconds since the Unix epoch; undefined if it does not. */
  readonly renewsAt: number | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 1970-01-01 was a Thursday; weeks start on Monday (ISO 8601). */
const DAYS_FROM_MONDAY = 3;

/**
 * The number of the period that contains a time. Consecutive periods have consecutive numbers.
 *
 * @param time milliseconds since the Unix epoch
 */
export function periodNumber(period: BudgetPeriod, time: number): number {
  const days = Math.floor(time / DAY_MS);
  switch (period) {
    case "hour":
      return Math.floor(time / HOUR_MS);
    case "day":
      return days;
    case "week":
      return Math.floor((days + DAYS_FROM_MONDAY) / 7);
    case "month":
      return monthNumber(days);
    case "total":
      return 0;
  }
}

/** Caches the last day whose month was computed, since nearly all lookups are for today. */
let known = { day: NaN, month: NaN };

function monthNumber(day: number): number {
  if (known.day !== day) {
    const date = new Date(day * DAY_MS);
    known = { day, month: date.getUTCFullYear() * 12 + date.getUTCMonth() };
  }
  return known.month;
}

/** The start of the period that contains a time, in milliseconds since the Unix epoch. */
export function periodStart(period: BudgetPeriod, time: number): number {
  return startOf(period, periodNumber(period, time));
}

/**
 * The start of the next period, in milliseconds since the Unix epoch. Undefined for a budget that
 * never renews.
 */
export function nextPeriod(period: BudgetPeriod, time: number): number | undefined {
  return period === "total" ? undefined : startOf(period, periodNumber(period, time) + 1);
}

function startOf(period: BudgetPeriod, number: number): number {
  switch (period) {
    case "hour":
      return number * HOUR_MS;
    case "day":
      return number * DAY_MS;
    case "week":
      return (number * 7 - DAYS_FROM_MONDAY) * DAY_MS;
    case "month":
      return Date.UTC(Math.floor(number / 12), number % 12);
    case "total":
      return 0;
  }
}
