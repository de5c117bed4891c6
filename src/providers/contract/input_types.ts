/** Input types, which state the purpose of vectors: the callers' values and each vendor's. */

import type { JsonObject } from "../../chat/chat.ts";
import type { Receipt } from "./receipt.ts";

/** The input types that callers can use for every vendor. */
export const INPUT_TYPES = [
  "search_query",
  "search_document",
  "classification",
  "clustering",
  "similarity",
] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** One vendor's field for input types, and the values of the field. */
export interface InputTypeTable {
  /** The vendor's field; undefined if the adapter converts the type itself. */
  readonly field?: string;
  readonly words: Readonly<Partial<Record<InputType, string>>>;
  /** Other values of the vendor, which are sent unchanged. */
  readonly others?: readonly string[];
}

/** The input type that each vendor's value means. */
const MEANINGS: ReadonlyMap<string, InputType> = new Map([
  ["search_query", "search_query"],
  ["query", "search_query"],
  ["retrieval_query", "search_query"],
  ["retrieval.query", "search_query"],
  ["generic_retrieval", "search_query"],
  ["search_document", "search_document"],
  ["document", "search_document"],
  ["passage", "search_document"],
  ["retrieval_document", "search_document"],
  ["retrieval.passage", "search_document"],
  ["generic_index", "search_document"],
  ["classification", "classification"],
  ["clustering", "clustering"],
  ["separation", "clustering"],
  ["similarity", "similarity"],
  ["semantic_similarity", "similarity"],
  ["text-matching", "similarity"],
]);

/** The input type that any vendor's value means; undefined for other values. */
export function inputTypeOf(word: string): InputType | undefined {
  return MEANINGS.get(word.toLowerCase());
}

/** The vendor's value for an input type; undefined if there is none. */
function wordFor(word: string, table: InputTypeTable | undefined): string | undefined {
  if (table === undefined) return undefined;
  if (table.others?.includes(word)) return word;
  const type = inputTypeOf(word);
  return type === undefined ? undefined : table.words[type];
}

/** Adds an input type to the fields, as the vendor's value. */
export function placeInputType(
  fields: JsonObject,
  word: string,
  table: InputTypeTable | undefined,
  receipt: Receipt,
): void {
  const sent = wordFor(word, table);
  if (sent === undefined) return receipt.ignore("input_type");
  const { field = "input_type" } = table ?? {};
  fields[field] = sent;
  if (field !== "input_type") receipt.rename("input_type", field);
  const type = inputTypeOf(word);
  if (type !== undefined && type !== sent) receipt.convert("input_type", type, sent);
}
