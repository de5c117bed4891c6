/** The contract of moderation: whether texts and images break a vendor's rules. */

import type { JsonObject } from "../../core/json/object.ts";
import type { OperationApi, OperationCall, OperationRequest } from "./operation_api.ts";
import type { ContentSupport } from "./support.ts";

/** Texts that are judged one by one, or the parts of one content. */
export type ModerationInput = readonly string[] | readonly JsonObject[];

/** A validated moderation request. */
export interface ModerationRequest extends OperationRequest {
  readonly input: string | ModerationInput;
}

/** Every kind of input beside text. */
export const MODERATED_KINDS = ["image_url"] as const;
type ModeratedKind = (typeof MODERATED_KINDS)[number];

/** The content of one answer. */
export interface ModerationBody {
  /** In the order of the inputs: `categories`, `category_scores` and further members. */
  readonly results: readonly JsonObject[];
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  /** Tokens of the input; undefined if the vendor does not report them. */
  readonly tokens?: number | undefined;
  /** Further members of the vendor's answer. */
  readonly extra?: JsonObject | undefined;
}

export type ModerationCall = OperationCall<ModerationRequest>;

/** A vendor's moderation. */
export interface ModerationApi extends OperationApi<ModerationRequest, ModerationBody, never> {
  readonly contents: Readonly<Record<ModeratedKind, ContentSupport>>;
}
