/**
 * How requests to a model or an alias are routed. Each member has one entry here: the `routing`
 * section holds the defaults, and an alias that is an object may override each of them.
 */

import * as z from "zod";
import { amount, duration, durationOr, integer, percent, usd } from "./values.ts";

/** How a group's targets are ordered for a request. */
export const BALANCES = ["in_order", "weighted", "p2c", "ttft", "throughput", "price"] as const;
export type Balance = (typeof BALANCES)[number];

/** Whether a string is the name of a {@linkcode Balance}. */
export function isBalance(word: string): word is Balance {
  return (BALANCES as readonly string[]).includes(word);
}

const dollars = (description: string) => z.number().min(0).optional().describe(description);

/** A target's maximum token prices, in USD per million. */
const maxPrice = z.strictObject({
  input: dollars("USD per million prompt tokens"),
  output: dollars("USD per million response tokens"),
}).meta({ id: "max_price" });

/** A cap on prices; absent members are unlimited. */
export type MaxPrice = Readonly<z.infer<typeof maxPrice>>;

/** How sessions stay with a target. */
const affinity = z.strictObject({
  ttl: z.union([
    z.literal("auto"),
    duration("How long a session that has moved stays with its new target"),
  ])
    .optional().describe(
      "How long a session that has moved to another target stays there after its last request; " +
        "'auto', the default, is 5 minutes, the lifetime of vendors' caches",
    ),
  leave: z.strictObject({
    wait: duration(
      "Maximum time that a session waits for its target before it moves, at most the provider's 'max_wait'",
    ).optional(),
    ttft_worse_by: duration(
      "A session moves if the time to first token of another equal target is lower by this much",
    ).optional(),
  }).optional().describe("When a session leaves a working target"),
}).meta({ id: "affinity" });

/** How sessions stay with a target. */
export type AffinityPolicy = Readonly<z.infer<typeof affinity>>;

/** Who sets the cache breakpoints in a prompt. */
const PROMPT_CACHING = ["auto", "client", "off"] as const;

/** Which answers are reused for identical requests. */
const cache = z.strictObject({
  ttl: duration("Time for which an answer is reused; 0s disables the cache", "0s"),
  temperature: z.enum(["zero", "any"]).default("zero").describe(
    "Which requests are cached: only those with temperature 0 (zero), or all (any)",
  ),
  scope: z.enum(["key", "group"]).default("key").describe(
    "Who shares a cached answer: only the service key that requested it (key), or all keys of its group (group)",
  ),
  single_flight: z.boolean().default(false).describe(
    "Whether identical concurrent requests wait for a single answer",
  ),
}).meta({ id: "cache" });

/** How identical requests are answered. */
export type CachePolicy = Readonly<z.infer<typeof cache>>;

const queue = z.strictObject({
  max_wait: duration("Maximum time that a request waits").default(20_000),
  max_requests: integer("Maximum number of waiting requests", 1).default(200),
  max_tokens: amount("Maximum number of input tokens of the waiting requests combined").default(
    2_000_000,
  ),
});

/** How long requests wait for a limit, and how many may wait. */
export type QueueRules = Readonly<z.infer<typeof queue>>;

/** When a second target is called because the first one has not answered yet. */
const hedge = z.strictObject({
  after: durationOr(
    "p90",
    "How long to wait for the first target's first content: a duration, or p90 (the default), " +
      "the 90th percentile of that target's times for similar requests, once it is known",
  ).default("p90"),
  min: duration("The minimum of 'p90'").default(500),
  max: duration("The maximum of 'p90'").default(15_000),
  share: percent("The maximum share of requests that are hedged").default(0.05),
  usd_per_hour: usd("Maximum hourly cost of hedges for one model or alias, in each process")
    .optional(),
}).meta({ id: "hedge" });

/** When a second target is called, and how often. */
export type HedgeRule = Readonly<z.infer<typeof hedge>>;

/** Every member is optional. An absent one is disabled or has the documented default. */
export const routingMembers = {
  balance: z.enum(BALANCES).optional().describe(
    "How a target is chosen among equal ones: in order (in_order, the default), by 'weight' " +
      "(weighted), the less loaded of two random ones (p2c), the one with the shortest " +
      "measured time to first content (ttft) or per output token (throughput), or the one with " +
      "the lowest measured cost (price)",
  ),
  on_stream_failure: z.enum(["error", "continue"]).optional().describe(
    "What happens when a stream breaks: it ends with an error (error, the default), or the next target continues it once if it is plain text (continue)",
  ),
  max_price: maxPrice.optional().describe(
    "More expensive targets, and those whose price is unknown, are not used",
  ),
  hedge: hedge.optional().describe(
    "Send the request to a second target, in another provider account, if the first one takes " +
      "unusually long; the first answer is used. Not for requests with server tools or stored " +
      "state",
  ),
  prompt_caching: z.enum(PROMPT_CACHING).optional().describe(
    "Who sets the cache breakpoints in a prompt, for models that cache only up to a breakpoint: the gateway unless the client sets them (auto, the default), only the client (client), or neither (off). 'auto' sets none while they cost more than they save",
  ),
  cache: cache.optional().describe(
    "Response cache: an identical request with the same service key gets the same answer",
  ),
  affinity: z.union([z.literal("off"), affinity]).optional().describe(
    "Send a session's requests to the same target and vendor key while these work, to reuse the " +
      "vendor's prompt cache; 'off' is the default",
  ),
  queue: z.union([z.literal("off"), queue]).optional().describe(
    "Queue for requests over vendor, key or model limits, instead of a 429: maximum wait and " +
      "size per worker; 'off' is the default",
  ),
};

/** The schema of `routing`. */
export const routingSection = z.strictObject(routingMembers);

/** The members of `routing` that apply to one model or alias. */
export type RoutingPolicy = Readonly<z.infer<typeof routingSection>>;

/** The policy of an alias: its own members, and defaults for the rest. */
export function toRoutingPolicy(own: RoutingPolicy, defaults: RoutingPolicy): RoutingPolicy {
  const set = Object.entries(own).filter(([, value]) => value !== undefined);
  return set.length === 0 ? defaults : Object.freeze({ ...defaults, ...Object.fromEntries(set) });
}
