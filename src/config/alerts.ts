/** The settings of alerts: the `alerts` section of config.yaml. */

import { Buffer } from "node:buffer";
import * as z from "zod";
import { duration, integer, SECRET } from "./values.ts";
import { withCheck } from "../core/validation_messages.ts";

/** The rules, and how long each condition must hold before an alert, in milliseconds. */
const DEFAULT_AFTER_MS = {
  failing_target: 0,
  budget: 0,
  no_traffic: 30 * 60_000,
  stale_config: 60_000,
  store_down: 60_000,
} as const;

export type AlertName = keyof typeof DEFAULT_AFTER_MS;
export const ALERT_NAMES = Object.keys(DEFAULT_AFTER_MS) as readonly AlertName[];

/** The default rules. They exclude a lack of requests, which is normal at night. */
const DEFAULT_RULES = ALERT_NAMES.filter((name) => name !== "no_traffic");
const DEFAULT_LEVELS: readonly number[] = [80, 100];
const DEFAULT_PERIOD = "1h";

/** Standard Webhooks: a secret is 24 to 64 random bytes in base64, after this prefix. */
const SECRET_PREFIX = "whsec_";
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

/** Where alerts are sent. */
export interface WebhookRules {
  readonly url: string;
  /** The signing key. */
  readonly secret: Uint8Array;
  /** Whether its host may have a private address. */
  readonly allowPrivate: boolean;
}

/** One rule. */
export interface AlertRule {
  readonly name: AlertName;
  /** How long the condition must hold, in milliseconds. */
  readonly afterMs: number;
  /** For `budget`: percentages of the budget, in ascending order. */
  readonly levels: readonly number[];
}

/** The settings of alerts. */
export interface AlertRules {
  readonly webhook: WebhookRules | undefined;
  readonly rules: readonly AlertRule[];
  /**
   * The interval in milliseconds within which an alert for the same rule and object is sent only
   * once.
   */
  readonly periodMs: number;
}

const webhook = withCheck(
  z.strictObject({
    url: z.string().refine(isWebhookUrl, {
      error: "must be an http or https URL without user name or password",
    }).meta(SECRET).describe(
      "URL to which alerts are posted, signed according to Standard Webhooks",
    ),
    secret: z.string().trim().refine((text) => readSecret(text) !== undefined, {
      error: `must be '${SECRET_PREFIX}' and ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in ` +
        `base64, as 'echo "${SECRET_PREFIX}$(openssl rand -base64 32)"' prints`,
    }).meta(SECRET).describe("The signing key: 'whsec_' and its bytes in base64"),
    allow_private: z.boolean().default(false)
      .describe("Whether the host may have a private address and the URL may use http"),
  }),
  function* ({ url, allow_private }) {
    if (allow_private === true || typeof url !== "string" || !/^http:/i.test(url)) return;
    yield { path: ["url"], message: "must be https, unless 'allow_private' is true" };
  },
);

const ruleObject = withCheck(
  z.strictObject({
    rule: z.enum(ALERT_NAMES).describe("The rule"),
    after: duration("How long the condition must hold before the alert", "0s").optional(),
    at: z.array(integer("Percent of the budget", 1, 100)).min(1).optional()
      .describe(
        "Percentages of the budget at which the 'budget' rule alerts; [80, 100] if omitted",
      ),
  }),
  function* ({ rule, after, at }) {
    if (rule === "budget" && after !== undefined) {
      yield { path: ["after"], message: "is not a setting of the rule 'budget'" };
    }
    if (rule !== "budget" && at !== undefined) {
      yield { path: ["at"], message: "is a setting of the rule 'budget' only" };
    }
  },
);

/** The schema of `alerts`. */
export const alertsSection = withCheck(
  z.strictObject({
    webhook: webhook.optional().describe(
      "The endpoint that receives alerts; if omitted, alerts are only logged",
    ),
    rules: z.array(z.union([z.enum(ALERT_NAMES), ruleObject])).min(1).optional().describe(
      "Rules: 'failing_target', 'budget', 'no_traffic', 'stale_config', 'store_down', or objects with settings; all except 'no_traffic' if omitted",
    ),
    period: duration(
      "Interval in which at most one alert for the same rule and object is sent; for a budget, its own period applies",
    ).prefault(DEFAULT_PERIOD),
  }),
  function* ({ rules }) {
    const names = Array.isArray(rules)
      ? rules.map((rule: unknown) => (rule as { rule?: unknown } | undefined)?.rule ?? rule)
      : [];
    for (const [index, name] of names.entries()) {
      if (typeof name !== "string" || names.indexOf(name) === index) continue;
      yield { path: ["rules", index], message: `is the second rule '${name}'` };
    }
  },
);

/** The settings of a validated `alerts` section. */
export function toAlertRules(
  { webhook, rules = DEFAULT_RULES, period }: z.infer<typeof alertsSection>,
): AlertRules {
  const secret = webhook && readSecret(webhook.secret);
  return {
    webhook: webhook && secret &&
      { url: webhook.url, secret, allowPrivate: webhook.allow_private },
    rules: rules.map((entry) => {
      const { rule: name, after, at } = typeof entry === "string"
        ? { rule: entry, after: undefined, at: undefined }
        : entry;
      const levels = [...new Set(at ?? DEFAULT_LEVELS)].sort((one, other) => one - other);
      return { name, afterMs: after ?? DEFAULT_AFTER_MS[name], levels };
    }),
    periodMs: period,
  };
}

function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "";
}

/** The bytes of a secret; undefined for any other text. */
function readSecret(text: string): Uint8Array | undefined {
  if (!text.startsWith(SECRET_PREFIX)) return undefined;
  const encoded = text.slice(SECRET_PREFIX.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, "base64");
  const isInRange = bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES;
  return isInRange ? new Uint8Array(bytes) : undefined;
}
