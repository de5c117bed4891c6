/** The contract of an operation: what is the same for all of its requests. */

import type { CallerFormat } from "../apis/chat/caller_format.ts";
import type { Target } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import type { JsonObject } from "../core/json/object.ts";
import type { FormImage, UploadedFile } from "../contract/form.ts";
import type { OperationName } from "../contract/adapter.ts";
import type { Capability } from "../contract/model_facts.ts";
import type { OperationSupport } from "../providers/support_matrix.ts";
import type { ModelRequest } from "./model_request.ts";

/** An operation, such as chat. What a single request does is an `Operation`. */
export interface OperationKind {
  readonly name: OperationName;
  /** Its name in messages. */
  readonly noun: string;
  /** Where its requests go. Messages name the first. */
  readonly endpoints: readonly [OperationEndpoint, ...OperationEndpoint[]];
  /** Models that support only this operation, if any. */
  readonly models?: {
    /** The capability that a model needs. Models with it support no other operation. */
    readonly capability: Capability;
    readonly noun: string;
  };
  /** How each kind of provider handles the fields of its requests. */
  readonly support: OperationSupport;
}

/** One endpoint: `POST`, with a JSON body that names a model. */
export interface OperationEndpoint {
  readonly path: `/v1/${string}`;
  /** Other paths that clients use for it. */
  readonly aliases?: readonly `/${string}`[];
  /** Its name in `sluice explain --format`. */
  readonly explainedAs: string;
  /** The format of its errors. Default: the format that the request's headers indicate. */
  readonly format?: CallerFormat;
  /** @throws {GatewayError} `invalid_value` with the path of the first fault in `param`. */
  read(body: unknown, context: ReadContext): ModelRequest;
  /**
   * Reads a request that is a form with a file. Then {@linkcode read} is only for the fields of an
   * explanation.
   */
  readForm?(fields: JsonObject, file: UploadedFile): ModelRequest;
  /** The same for a form whose files are kept. */
  readFiles?(fields: JsonObject, files: readonly FormImage[]): ModelRequest;
  /** Reads the JSON that callers may send in place of a form. */
  readJson?(body: unknown): ModelRequest;
}

/** The context in which the body of a request is read. */
export interface ReadContext {
  /**
   * Those of these headers of the request that it has, by their names in lower case. Vendors get their
   * values, which are of printable ASCII.
   */
  formatHeaders(names: readonly string[]): ReadonlyMap<string, string>;
  /** Notes that the answer is an estimate. */
  noteEstimate(): void;
}

/** The context of a request that has no headers, such as one from a file. */
export const NO_HEADERS: ReadContext = { formatHeaders: () => new Map(), noteEstimate() {} };

/** The operations of a kind of provider that does not name any. */
const CHAT_ONLY: readonly OperationName[] = ["chat"];

/**
 * Refuses an operation that the target does not support, before anything is sent.
 *
 * @param kinds all operations
 * @throws {GatewayError} `unsupported_operation`; a fallback chain skips the target.
 */
export function checkOperation(
  name: OperationName,
  target: Target,
  kinds: readonly OperationKind[],
): void {
  const checked = SUPPORTED.get(target.model);
  if (checked?.has(name)) return;
  refuseUnsupported(name, target, kinds);
  if (checked === undefined) SUPPORTED.set(target.model, new Set([name]));
  else checked.add(name);
}

/** The operations that a configured model is known to support: they are checked once for each. */
const SUPPORTED = new WeakMap<Target["model"], Set<OperationName>>();

function refuseUnsupported(
  name: OperationName,
  { provider: { adapter, settings }, model }: Target,
  kinds: readonly OperationKind[],
): void {
  const capabilities = model.facts.capabilities ?? {};
  for (const { name: other, models, endpoints: [{ path }] } of kinds) {
    if (models === undefined || other === name || capabilities[models.capability] !== true) {
      continue;
    }
    throw refused(`The model '${model.id}' is ${models.noun}; use POST ${path}`);
  }
  const asked = kinds.find((kind) => kind.name === name);
  if (asked === undefined) throw new TypeError(`The operation '${name}' is not in the list`);
  if (asked.models !== undefined && capabilities[asked.models.capability] === false) {
    const usual = kinds.find(({ models }) => models === undefined);
    const advice = usual === undefined ? "" : `; use POST ${usual.endpoints[0].path}`;
    throw refused(`The model '${model.id}' has no ${asked.noun}${advice}`);
  }
  if (!(adapter.operations ?? CHAT_ONLY).includes(name)) {
    throw refused(`The provider '${settings.id}' (kind '${adapter.kind}') has no ${asked.noun}`);
  }
}

function refused(message: string): GatewayError {
  return new GatewayError("unsupported_operation", message, { param: "model" });
}
