/**
 * What a vendor refuses in the names, keys, roles and results of a chat request, as data.
 * `operations/chat/refusals.ts` changes requests accordingly before the vendor's conversion, and
 * restores the caller's names in answers.
 */

/** The names that a vendor accepts. Others are renamed. */
export interface NameRule {
  /** Matches each character that it refuses; `_` replaces them. With the flag `g`. */
  readonly refused: RegExp;
  /** What names must start with; `_` is put before others. */
  readonly start?: RegExp;
  /** In characters. Default: no limit. */
  readonly maxLength?: number;
}

/** What a vendor, or one of its models, refuses. What is absent has no rule. */
export interface Refusals {
  /** Names of tools, also in earlier calls. */
  readonly toolNames?: NameRule;
  /** Names of properties at the root of a tool's parameters, and of an answer given by a tool. */
  readonly propertyNames?: NameRule;
  /**
   * True if `toolNames` is the rule of chat completions too: callers of that format know it, and
   * their names pass unchanged.
   */
  readonly isChatRule?: true;
}
