/**
 * A vendor's restrictions on the names, keys, roles and results of a chat request, as data.
 * `operations/chat/refusals.ts` changes requests accordingly before the vendor's conversion, and
 * restores the caller's names in answers.
 */

/** The names that a vendor accepts. Others are renamed. */
export interface NameRule {
  /**
   * Matches each character that the vendor rejects, which is replaced by `_`. With the flag `g`.
   */
  readonly refused: RegExp;
  /** The required start of names; others get the prefix `_`. */
  readonly start?: RegExp;
  /** In characters. Default: no limit. */
  readonly maxLength?: number;
}

/** Roles and orders of messages that a vendor, or a model's template, rejects. */
export interface MessageRefusals {
  /** The role `developer`. */
  readonly developerRole?: true;
  /** Instructions after the first message. */
  readonly laterInstructions?: true;
  /** Two consecutive user or assistant messages, even with calls and results between them. */
  readonly repeatedRoles?: true;
}

/** The restrictions of a vendor or of one of its models. Absent members mean no restriction. */
export interface Refusals {
  readonly messages?: MessageRefusals;
  /** Names of tools, including those in earlier calls. */
  readonly toolNames?: NameRule;
  /**
   * Names of properties at the root of a tool's parameters, and of an answer that is returned
   * through a tool.
   */
  readonly propertyNames?: NameRule;
  /** Members of a tool's result, at any depth; a result with one of them is sent as text. */
  readonly resultMembers?: ReadonlySet<string>;
  /** Image detail levels that the vendor does not support, and their replacements. */
  readonly imageDetails?: ReadonlyMap<string, string>;
  /**
   * True if `toolNames` and `imageDetails` are also the rules of chat completions, in which case
   * values from callers of that format are forwarded unchanged.
   */
  readonly isChatRule?: true;
}
