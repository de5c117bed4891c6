/**
 * Restrictions of a vendor on the names, keys, roles and results of a chat request, as data.
 * `operations/chat/refusals.ts` changes requests accordingly before the vendor's conversion, and
 * restores the caller's names in answers.
 */

/** The names that a vendor accepts. Others are renamed. */
export interface NameRule {
  /** Matches each character that it refuses; `_` replaces them. With the flag `g`. */
  readonly refused: RegExp;
  /** The required start of names; others get the prefix `_`. */
  readonly start?: RegExp;
  /** In characters. Default: no limit. */
  readonly maxLength?: number;
}

/** Roles and orders of messages that a vendor, or the template of a model, refuses. */
export interface MessageRefusals {
  /** The role `developer`. */
  readonly developerRole?: true;
  /** Instructions after the first message. */
  readonly laterInstructions?: true;
  /**
   * Two consecutive messages of the user or of the assistant, even with calls and results between
   * them.
   */
  readonly repeatedRoles?: true;
}

/** What a vendor, or one of its models, refuses. Absent members have no rule. */
export interface Refusals {
  readonly messages?: MessageRefusals;
  /** Names of tools, including those in earlier calls. */
  readonly toolNames?: NameRule;
  /**
   * Names of properties at the root of a tool's parameters, and of an answer that is returned
   * through a tool.
   */
  readonly propertyNames?: NameRule;
  /** Members of a tool's result, at any depth: a result with one of them is sent as text. */
  readonly resultMembers?: ReadonlySet<string>;
  /** Image detail levels that the vendor lacks, and their replacements. */
  readonly imageDetails?: ReadonlyMap<string, string>;
  /**
   * True if `toolNames` and `imageDetails` are the rules of chat completions too: values from
   * callers of that format then pass unchanged.
   */
  readonly isChatRule?: true;
}
