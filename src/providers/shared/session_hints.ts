/**
 * Vendors' session hints, only for their own hosts, since other servers may reject unknown members.
 */

import type { FindSessionHint, SessionHint } from "../../contract/prompt_marks.ts";

/** The maximum number of cached base URLs. They come from config.yaml. */
const MAX_KNOWN = 256;

/**
 * Returns a function that tests base URLs by host. Each URL is parsed once, since every request is
 * tested.
 */
export function hostTest(pattern: RegExp): (baseUrl: string) => boolean {
  const known = new Map<string, boolean>();
  return (baseUrl) => {
    let matches = known.get(baseUrl);
    if (matches === undefined) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(baseUrl, matches = pattern.test(new URL(baseUrl).hostname));
    }
    return matches;
  };
}

/** OpenAI's member, which other vendors also support. */
export const PROMPT_CACHE_KEY = "prompt_cache_key";

/** The reason for a hint, in tables of additions. */
export const SESSION_NOTE =
  "the session by a pseudonym, so that the vendor finds its prompt cache " +
  "(routing.affinity)";

/** The same hint for all requests to a vendor's hosts. */
export function hintAt(host: RegExp, hint: SessionHint): FindSessionHint {
  const isOwnHost = hostTest(host);
  return (_, { baseUrl }) => isOwnHost(baseUrl) ? hint : undefined;
}

/** The header of OpenCode's gateway. */
export const OPENCODE_SESSION = "x-opencode-session";

/**
 * OpenCode's gateway, which serves several APIs and rejects requests without it
 * (https://opencode.ai/docs/go/, https://github.com/raine/claude-code-proxy/pull/138, 2026-09-08).
 */
export const openCodeHint = hintAt(/^(?:.+\.)?opencode\.ai$/, { header: OPENCODE_SESSION });
