/** The requests that a provider's pass-through allows: `passthrough` in config.yaml. */

import * as z from "zod";
import { ModelPattern } from "./model_patterns.ts";

/** The methods that the pass-through supports. */
export const PASSTHROUGH_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A method, or `*` for all, a space, and a path in which `*` matches any characters. */
const PATTERN = new RegExp(`^(?:\\*|${PASSTHROUGH_METHODS.join("|")}) [^\\s/\\\\?#][^\\s\\\\?#]*$`);

const pattern = z.string().regex(PATTERN, {
  error: "must be a method in capitals or '*', a space, and a path without a leading '/', " +
    "such as 'POST images/*'",
});

const patterns = z.array(pattern).min(1);

/** A provider's `passthrough`: disabled, enabled, or enabled for some requests. */
export const passthrough = z.union([
  z.boolean(),
  patterns,
  z.strictObject({
    allow: patterns.default(["* *"]).describe(
      "The requests that are forwarded, such as 'POST images/*'",
    ),
    shared: z.boolean().default(false)
      .describe("Whether service keys share the account's files, batches and other objects"),
  }),
]);

/** The requests that are allowed. */
export class PassthroughRules {
  readonly #allowed: readonly {
    readonly method: string;
    readonly path: ModelPattern;
    readonly decodedPath: ModelPattern;
  }[];

  /** Whether all service keys share the account's objects. */
  readonly isShared: boolean;

  /** @param patterns e.g. `POST images/*` */
  constructor(patterns: readonly string[], isShared = false) {
    this.isShared = isShared;
    this.#allowed = patterns.map((text) => {
      const space = text.indexOf(" ");
      const path = text.slice(space + 1);
      return {
        method: text.slice(0, space),
        path: new ModelPattern(path),
        decodedPath: new ModelPattern(decoded(path)),
      };
    });
  }

  /**
   * Whether a request is allowed, both as sent and as decoded by the vendor.
   *
   * @param path relative to the base URL, without a leading `/`
   * @param decodedPath the same without its percent-encoding
   */
  allows(method: string, path: string, decodedPath = path): boolean {
    const rules = this.#allowed.filter((rule) => rule.method === "*" || rule.method === method);
    return rules.some((rule) => rule.path.matches(path)) &&
      (path === decodedPath || rules.some((rule) => rule.decodedPath.matches(decodedPath)));
  }
}

function decoded(pattern: string): string {
  try {
    return decodeURIComponent(pattern);
  } catch {
    return pattern;
  }
}

/** A provider's rules; undefined if its pass-through is disabled. */
export function toPassthroughRules(
  setting: z.infer<typeof passthrough> | undefined,
): PassthroughRules | undefined {
  if (setting === undefined || setting === false) return undefined;
  if (setting === true) return new PassthroughRules(["* *"]);
  return Array.isArray(setting)
    ? new PassthroughRules(setting)
    : new PassthroughRules(setting.allow, setting.shared);
}
