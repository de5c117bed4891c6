/**
 * The contract of embeddings: the caller's request, the support level of each field, and the pure
 * functions that convert a request and read its answer.
 */

import type { JsonObject } from "../core/json/object.ts";
import { copyTexts } from "../core/json/number_texts.ts";
import { type ContentSupport, placeField, type Support } from "./support.ts";
import type { RequestChanges } from "./request_changes.ts";
import type {
  AdditionTable,
  Failure,
  ProviderSettings,
  TargetModel,
  UpstreamError,
  VendorAnswer,
  VendorRequest,
} from "./vendor_request.ts";

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

/** The input type for each vendor's value. */
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

/** The input type for a value of any vendor; undefined for other values. */
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
function placeInputType(
  fields: JsonObject,
  word: string,
  table: InputTypeTable | undefined,
  changes: RequestChanges,
): void {
  const sent = wordFor(word, table);
  if (sent === undefined) return changes.ignore("input_type");
  const { field = "input_type" } = table ?? {};
  fields[field] = sent;
  if (field !== "input_type") changes.rename("input_type", field);
  const type = inputTypeOf(word);
  if (type !== undefined && type !== sent) changes.convert("input_type", type, sent);
}

/** One text, its tokens, or content that only some vendors support. */
export type EmbeddingsInput = string | readonly number[] | JsonObject | readonly JsonObject[];

/** A validated embeddings request. Its inputs are always a list. */
export interface EmbeddingsRequest extends JsonObject {
  readonly model: string;
  readonly input: readonly EmbeddingsInput[];
  /** The length of each vector. */
  readonly dimensions?: number;
  readonly encoding_format?: Encoding;
  readonly user?: string;
  /** The purpose of the vectors: one of {@linkcode INPUT_TYPES}, or a value of the vendor. */
  readonly input_type?: string;
  /** The title of a document. */
  readonly title?: string;
  /** Whether, or at which end, the vendor may truncate inputs that are too long. */
  readonly truncate?: boolean | string;
}

/** The encoding of the vectors of an answer. */
export type Encoding = "float" | "base64";

/** A vector: its numbers, or float32 in little-endian bytes as base64. */
export type Vector = readonly number[] | string;

/** All known fields, in the order of printed tables. */
export const EMBEDDINGS_PARAMETERS = [
  "dimensions",
  "encoding_format",
  "user",
  "input_type",
  "title",
  "truncate",
] as const;
export type EmbeddingsParameter = (typeof EMBEDDINGS_PARAMETERS)[number];

/** All kinds of input except text. */
export const INPUT_KINDS = ["tokens", "parts"] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

/**
 * What a vendor does with a field. The gateway answers `refused` with 400, since vectors without
 * the field could not be compared with others.
 */
export type EmbeddingsSupport = Support | { readonly level: "refused"; readonly note: string };

/** The support level of each field for one vendor. A missing one does not compile. */
export interface EmbeddingsSupportTable {
  readonly parameters: Readonly<Record<EmbeddingsParameter, EmbeddingsSupport>>;
  readonly inputs: Readonly<Record<InputKind, ContentSupport>>;
  /** Other fields: `"all"` are sent unchanged, or only the fields in this table. */
  readonly extensions: "all" | Readonly<Record<string, Support>>;
}

/** The limits of one request to a vendor. The gateway splits larger batches. */
export interface EmbeddingsLimits {
  readonly inputs: number;
  /** The maximum number of tokens of all inputs together; no limit when absent. */
  readonly tokens?: number;
}

/** One request to a target: all inputs, or one part of a batch that was split. */
export interface EmbeddingsCall {
  readonly inputs: readonly EmbeddingsInput[];
  /** The request with the model's default `params`. */
  readonly request: EmbeddingsRequest;
  /** The native and renamed fields, under the vendor's names. */
  readonly fields: JsonObject;
  readonly model: TargetModel;
  readonly provider: ProviderSettings;
  /** The vendor's functions record ignored and converted fields here. */
  readonly changes: RequestChanges;
}

/** The content of one answer. */
export interface EmbeddingsBody {
  /** In the order of the inputs. */
  readonly vectors: readonly Vector[];
  readonly model?: string | undefined;
  /** Tokens of the inputs; undefined if the vendor does not report them. */
  readonly tokens?: number | undefined;
  /** Further members of the vendor's usage. */
  readonly usage?: JsonObject | undefined;
  /** Further members of the vendor's answer. */
  readonly extra?: JsonObject | undefined;
}

/** A vendor's embeddings: data and pure functions, like an adapter. */
export interface EmbeddingsApi {
  readonly supports: EmbeddingsSupportTable;
  /** The fields that may be added to a request. */
  readonly adds: AdditionTable;
  readonly inputTypes?: InputTypeTable;
  /** Whether answers have OpenAI's format, so that long ones may pass as they arrive. */
  readonly passes?: true;
  limitsFor(model: TargetModel): EmbeddingsLimits;
  /** Support levels that apply only to this model or provider. */
  supportFor?(
    model: TargetModel,
    provider: ProviderSettings,
  ): Readonly<Record<string, EmbeddingsSupport>>;
  /** The input types of this model, if they differ from {@linkcode inputTypes}. */
  inputTypesFor?(model: TargetModel): InputTypeTable | undefined;
  /** @throws {GatewayError} with status 400 for a request that cannot be converted. */
  toRequest(call: EmbeddingsCall): VendorRequest;
  /** Reads an answer; undefined if it contains no vectors. */
  toEmbeddings(answer: VendorAnswer, call: EmbeddingsCall): EmbeddingsBody | undefined;
  /** Classifies a failure; the adapter's `toError` when absent. */
  toError?(failure: Failure): UpstreamError;
}

/** The kind of an input; undefined for text. */
export function kindOfInput(input: EmbeddingsInput): InputKind | undefined {
  if (typeof input === "string") return undefined;
  return Array.isArray(input) && typeof input[0] === "number" ? "tokens" : "parts";
}

/** The support level of a field; undefined for one that the table does not contain. */
export function embeddingsRuleFor(
  name: string,
  api: EmbeddingsApi,
  model: TargetModel,
  provider: ProviderSettings,
): EmbeddingsSupport | undefined {
  const { parameters, extensions } = api.supports;
  const own = api.supportFor?.(model, provider) ?? {};
  if (Object.hasOwn(own, name)) return own[name];
  if (Object.hasOwn(parameters, name)) return parameters[name as EmbeddingsParameter];
  if (extensions === "all") return { level: "native" };
  return Object.hasOwn(extensions, name) ? extensions[name] : undefined;
}

/** Members of a request that are not parameters. */
const STRUCTURAL: ReadonlySet<string> = new Set(["model", "input"]);

/** The names of a request's parameters. */
export function embeddingsParametersOf(request: EmbeddingsRequest): string[] {
  return Object.keys(request).filter((name) =>
    !STRUCTURAL.has(name) && request[name] !== undefined
  );
}

/** A field that a target refuses. */
interface RefusedField {
  readonly name: string;
  readonly note: string;
}

/**
 * Applies a vendor's table to a request: native and renamed fields are returned ready to send,
 * ignored ones are recorded. The first refused field is returned separately.
 */
export function applyEmbeddingsSupport(
  api: EmbeddingsApi,
  { request, model, provider, changes }: Omit<EmbeddingsCall, "fields" | "inputs">,
): { readonly fields: JsonObject; readonly refused: RefusedField | undefined } {
  const fields: JsonObject = {};
  let refused: RefusedField | undefined;
  for (const name of embeddingsParametersOf(request)) {
    const value = request[name];
    const support = embeddingsRuleFor(name, api, model, provider);
    if (support?.level === "refused") {
      if (!isModelDefault(name, value, model)) refused ??= { name, note: support.note };
    } else if (support === undefined || support.level === "ignored") {
      if (name !== "encoding_format") changes.ignore(name);
    } else if (name === "input_type" && tableOf(api, model) !== undefined) {
      placeInputType(fields, request.input_type ?? "", tableOf(api, model), changes);
    } else placeField(fields, name, request, support, changes);
  }
  copyTexts(request, fields);
  return { fields, refused };
}

/** The input types of a model. */
function tableOf(api: EmbeddingsApi, model: TargetModel): InputTypeTable | undefined {
  return api.inputTypesFor?.(model) ?? api.inputTypes;
}

/** Whether a value is the model's default, so that it need not be sent. */
function isModelDefault(name: string, value: unknown, { facts }: TargetModel): boolean {
  return name === "dimensions" && value === facts.dimensions;
}
