/**
 * Rate limits and budgets as the Messages API writes them in headers.
 *
 * Names and values: https://docs.aws.amazon.com/claude-platform/latest/userguide/rate-limits.html
 * (2026-11-20). Those of accounts (`unified`):
 * https://github.com/anthropics/claude-code/issues/42108 and
 * https://www.claudecodecamp.com/p/i-tried-to-reverse-engineer-claude-code-s-usage-limits
 * (2026-11-25). Anthropic's gateway reports spending limits as `overage`, which has a period:
 * https://code.claude.com/docs/en/claude-apps-gateway-spend-limits and
 * https://www.npmjs.com/package/@anthropic-ai/claude-code (2.1.332, 2026-11-25).
 */

import type { BudgetPeriod, BudgetState } from "../../core/budget_period.ts";
import type { RateLimitHeaders } from "../chat/caller_format.ts";

/** A header of chat completions: the meaning of its value, the limited unit, and the window. */
const CHAT_NAME = /^x-ratelimit-(limit|remaining|reset)-(requests|tokens)(-minute|-hour|-day)?$/;

/** The prefix of the account headers. */
const ACCOUNT = "anthropic-ratelimit-unified-";

/** The two windows that an account has. */
const WINDOWS = {
  short: { name: "5h", claim: "five_hour" },
  long: { name: "7d", claim: "seven_day" },
} as const;

/**
 * The window in which clients show a budget. There are no other windows: only the share and the
 * renewal time describe the budget.
 */
const WINDOW_OF: Readonly<Record<BudgetPeriod, keyof typeof WINDOWS>> = {
  hour: "short",
  day: "short",
  week: "long",
  month: "long",
  total: "long",
};

/** The possible periods of a spending limit. */
const SPENDING_PERIODS: ReadonlyMap<BudgetPeriod, string> = new Map([
  ["day", "daily"],
  ["week", "weekly"],
  ["month", "monthly"],
]);

/** The share of a budget at which clients warn. */
const WARNING_SHARE = 0.9;

/** The limit of one window. */
interface Limit {
  /** What remains; infinite if that is unknown. */
  left: number;
  readonly headers: Record<string, string>;
}

/**
 * Replaces the headers of chat completions. The Messages API has no names for windows, and shows
 * the "most restrictive limit currently in effect"
 * (https://platform.claude.com/docs/en/api/rate-limits, 2026-11-28): of several, the one with the
 * least left, and of these the longest.
 */
export const rateLimitHeaders: RateLimitHeaders = {
  prefix: "anthropic-ratelimit-",
  rename(headers, now) {
    let limits: Map<string, Map<string, Limit>> | undefined;
    for (const [name, value] of Object.entries(headers)) {
      if (!name.startsWith("x-ratelimit-")) continue;
      delete headers[name];
      const [, meaning, what, window = ""] = CHAT_NAME.exec(name) ?? [];
      const own = meaning === "reset" ? toTime(value, now) : value;
      if (what === undefined || own === undefined) continue;
      limits ??= new Map();
      const windows = limits.get(what) ?? new Map<string, Limit>();
      limits.set(what, windows);
      const limit = windows.get(window) ?? { left: Infinity, headers: {} };
      windows.set(window, limit);
      if (meaning === "remaining") limit.left = Number(value);
      limit.headers[`anthropic-ratelimit-${what}-${meaning}`] = own;
    }
    if (limits === undefined) return;
    for (const windows of limits.values()) {
      const tightest = [...windows.values()].reduce((one, next) =>
        next.left <= one.left ? next : one
      );
      for (const name in tightest.headers) headers[name] ??= tightest.headers[name] as string;
    }
  },
  addBudget(headers, budget) {
    for (const name of Object.keys(headers)) if (name.startsWith(ACCOUNT)) delete headers[name];
    Object.assign(headers, toAccount(budget));
  },
};

/** A budget as the state of an account: in one of its two windows, and as a spending limit. */
function toAccount({ usd, per, spent, renewsAt }: BudgetState): Record<string, string> {
  const { name, claim } = WINDOWS[WINDOW_OF[per]];
  const share = spent / usd;
  const status = share >= 1 ? "rejected" : share >= WARNING_SHARE ? "allowed_warning" : "allowed";
  // At most 1, as clients expect; the last request may exceed the budget.
  const utilization = String(Math.min(1, Math.floor(share * 10_000) / 10_000));
  const period = SPENDING_PERIODS.get(per);
  const members: Record<string, string> = {
    status,
    "representative-claim": claim,
    [`${name}-status`]: status,
    [`${name}-utilization`]: utilization,
    ...(share >= WARNING_SHARE && { [`${name}-surpassed-threshold`]: String(WARNING_SHARE) }),
    "overage-utilization": utilization,
    ...(share < 1 ? { "overage-status": status } : SPENT),
    ...(share >= 1 && period !== undefined && { "overage-period": period }),
  };
  if (renewsAt !== undefined) {
    const reset = String(Math.ceil(renewsAt / 1000));
    Object.assign(members, { reset, [`${name}-reset`]: reset, "overage-reset": reset });
  }
  return Object.fromEntries(
    Object.entries(members).map(([what, value]) => [ACCOUNT + what, value]),
  );
}

/** Why the budget is blocked. */
const SPENT = { "overage-disabled-reason": "org_spend_cap_reached" };

/** A duration such as `1m30.5s` or `20ms`. */
const DURATION =
  /^(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)s)?(?:(\d{1,12})ms)?$/;

/** The time after a duration, in seconds as RFC 3339 writes it; undefined for any other text. */
function toTime(text: string, now: number): string | undefined {
  const [all = "", hours = 0, minutes = 0, seconds = 0, ms = 0] = DURATION.exec(text) ?? [];
  if (all === "") return undefined;
  const end = now + (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000 +
    Number(ms);
  return new Date(Math.ceil(end / 1000) * 1000).toISOString().replace(".000Z", "Z");
}
