/**
 * The interface of operations with a single JSON request: the support level of each field, and the
 * pure functions that convert a request and read its answer.
 */

import type { JsonObject } from "../core/json/object.ts";
import { copyTexts } from "../core/json/number_texts.ts";
import type { Frame } from "./stream_decoder.ts";
import { GatewayError } from "../core/errors.ts";
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

/** A validated request. */
export interface OperationRequest extends JsonObject {
  readonly model: string;
}

/** One request on its way to one target. */
export interface OperationCall<Request extends OperationRequest = OperationRequest> {
  /** The request with the model's default `params`. */
  readonly request: Request;
  /** The native and renamed fields, under the vendor's names. */
  readonly fields: JsonObject;
  readonly model: TargetModel;
  readonly provider: ProviderSettings;
  /** The vendor's functions record ignored and converted fields here. */
  readonly changes: RequestChanges;
}

/**
 * What a vendor does with a field. The gateway answers `refused` with 400, since an answer without
 * the field could not be compared with others.
 */
export type FieldSupport = Support | { readonly level: "refused"; readonly note: string };

/** The support levels of one vendor. A missing entry does not compile. */
export interface OperationTables<Parameter extends string = string> {
  readonly parameters: Readonly<Record<Parameter, FieldSupport>>;
  /** Other fields: `"all"` are sent unchanged, or only the fields in this table. */
  readonly extensions: "all" | Readonly<Record<string, Support>>;
}

/** The limits of one request to a vendor. The gateway splits larger batches. */
export interface BatchLimits {
  readonly inputs: number;
  /** The maximum number of tokens of all inputs together; unlimited if absent. */
  readonly tokens?: number;
}

/** A vendor's API for an operation: data and pure functions, like an adapter. */
export interface OperationApi<
  Request extends OperationRequest,
  Body,
  Parameter extends string = string,
> {
  readonly supports: OperationTables<Parameter>;
  /** The fields that may be added to a request. */
  readonly adds: AdditionTable;
  /** The types of content that only some vendors support, if the operation has any. */
  readonly contents?: Readonly<Record<string, ContentSupport>>;
  /** Whether answers have OpenAI's format, so that long ones may be forwarded as they arrive. */
  readonly passes?: true;
  /** Support levels that apply only to this model or provider. */
  supportFor?(
    model: TargetModel,
    provider: ProviderSettings,
  ): Readonly<Record<string, FieldSupport>>;
  /** The limits of a batch, for operations that have batches. */
  limitsFor?(model: TargetModel): BatchLimits;
  /**
   * Adds a field that the vendor has, but with other values, to the fields.
   *
   * @returns false for a field that is sent unchanged or renamed
   */
  place?(fields: JsonObject, name: string, call: Omit<OperationCall<Request>, "fields">): boolean;
  /** Whether a request's file must have arrived completely before the request can be converted. */
  readonly needsWholeFile?: boolean;
  /** @throws {GatewayError} with status 400 for a request that cannot be converted. */
  toRequest(call: OperationCall<Request>): VendorRequest;
  /**
   * The request for the result of a job, if the answer is an unfinished job; the gateway waits
   * before sending it.
   *
   * @param polls how many such requests have been answered
   */
  pollFor?(
    answer: VendorAnswer,
    call: OperationCall<Request>,
    polls: number,
  ): VendorRequest | undefined;
  /**
   * Converts the events of one stream, if they are not OpenAI's. If absent, events are forwarded
   * unchanged.
   */
  convertEvents?(call: OperationCall<Request>): (frame: Frame) => Frame;
  /** Reads an answer; undefined if it is invalid. */
  toBody(answer: VendorAnswer, call: OperationCall<Request>): Body | undefined;
  /** Classifies a failure; the adapter's `toError` when absent. */
  toError?(failure: Failure): UpstreamError;
}

/** The fields of an operation that are not in support tables. */
interface FieldRules {
  /** Members that the vendor's functions convert themselves. */
  readonly structural: ReadonlySet<string>;
  /** Whether omitting a value has no effect. */
  isDefault?(name: string, value: unknown, model: TargetModel): boolean;
}

/** The parts of an API that determine the support of a field. */
type Tables<Request extends OperationRequest = never> = Pick<
  OperationApi<Request, unknown>,
  "place" | "supports" | "supportFor"
>;

/** The support level of a field; undefined for one that the table does not contain. */
export function fieldSupport(
  name: string,
  { supports: { parameters, extensions }, supportFor }: Tables,
  model: TargetModel,
  provider: ProviderSettings,
): FieldSupport | undefined {
  const own = supportFor?.(model, provider) ?? {};
  if (Object.hasOwn(own, name)) return own[name];
  if (Object.hasOwn(parameters, name)) return parameters[name];
  if (extensions === "all") return { level: "native" };
  return Object.hasOwn(extensions, name) ? extensions[name] : undefined;
}

/** The names of a request's parameters. */
export function fieldNames(request: OperationRequest, structural: ReadonlySet<string>): string[] {
  return Object.keys(request).filter((name) =>
    name !== "model" && !structural.has(name) && request[name] !== undefined
  );
}

/**
 * Applies a vendor's tables to a request: native and renamed fields are returned ready to send,
 * ignored ones are recorded.
 *
 * @throws {GatewayError} `unsupported_parameter` for the first refused field.
 */
export function applyTables<Request extends OperationRequest>(
  api: Tables<Request>,
  parts: Omit<OperationCall<Request>, "fields">,
  { structural, isDefault }: FieldRules,
): JsonObject {
  const { request, model, provider, changes } = parts;
  const fields: JsonObject = {};
  let refused: GatewayError | undefined;
  for (const name of fieldNames(request, structural)) {
    const support = fieldSupport(name, api, model, provider);
    if (support === undefined || support.level === "ignored" || support.level === "refused") {
      if (isDefault?.(name, request[name], model) === true) continue;
      if (support?.level !== "refused") changes.ignore(name);
      else refused ??= refusalOf(name, model, support.note);
    } else if (api.place?.(fields, name, parts) !== true) {
      placeField(fields, name, request, support, changes);
    }
  }
  if (refused !== undefined) throw refused;
  copyTexts(request, fields);
  return fields;
}

function refusalOf(name: string, { id }: TargetModel, note: string): GatewayError {
  const message = `The model '${id}' does not take '${name}': ${note}`;
  return new GatewayError("unsupported_parameter", message, { param: name });
}
