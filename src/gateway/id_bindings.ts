/** Binds vendors' IDs to the service keys that received them. */

import type { ReasoningStateSettings } from "../config/reasoning_state.ts";

/** The characters of a tag, which is base64url without padding. */
export const TAG_LENGTH = 16;

/** Creates and verifies the tags of IDs. */
export interface IdTags {
  /** @param path the values to which the ID is bound, and the ID */
  tag(path: readonly string[]): string;
  /** Whether the tag was created for the same path. */
  verify(path: readonly string[], tag: string): boolean;
}

/** The tags of each provider's IDs. */
export interface IdBindings {
  /** @param vendorKeys the provider's API keys, on which the tags depend */
  bindingOf(
    vendorKeys: readonly string[],
    settings: Pick<ReasoningStateSettings, "key">,
  ): IdTags;
}
