/** Reads all pages of a vendor's model list, within limits. */

import type { Provider } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import type { ListedModel, ModelListApi } from "../contract/adapter.ts";
import { type Credentials, toOutgoing } from "./credentials/credentials.ts";
import type { CredentialDeps } from "./credentials/scheme.ts";
import { readFailure, readText } from "./read_response.ts";
import { parseInSlices } from "./vendor_answer.ts";
import type { VendorRequest } from "../contract/vendor_request.ts";

/** The maximum size of one page, in bytes. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
/** The maximum number of requests for one list. */
const MAX_REQUESTS = 400;
/** The maximum number of parallel requests for one list. */
const CONCURRENT_REQUESTS = 4;
/**
 * The maximum number of models in one list. Models that config.yaml does not select are dropped
 * first.
 */
export const MAX_MODELS = 5000;
/** The maximum length of an ID, in UTF-16 units. */
const MAX_ID_LENGTH = 256;

/** The dependencies for reading a list. */
export interface ModelListDeps extends CredentialDeps {
  readonly credentials: Credentials;
  /** Called with the reason if selected models are omitted. */
  readonly onCut?: (reason: string) => void;
}

/**
 * Reads the models that a vendor lists, without those whose IDs are too long or unprintable.
 *
 * @throws {GatewayError} when the list cannot be read, with a message for the operator.
 */
export async function readModelList(
  provider: Provider,
  api: ModelListApi,
  deps: ModelListDeps,
): Promise<readonly ListedModel[]> {
  const list = new BoundedList(provider.selects);
  const waiting = [...api.toRequests(provider.settings)];
  for (let sent = 0; waiting.length > 0 && sent < MAX_REQUESTS;) {
    const requests = waiting.splice(0, Math.min(CONCURRENT_REQUESTS, MAX_REQUESTS - sent));
    sent += requests.length;
    const pages = await Promise.all(
      requests.map(async (request) =>
        api.read(await ask(request, provider, deps), request, provider.settings)
      ),
    );
    for (const { models, next = [] } of pages) {
      for (const model of models) list.add(model);
      waiting.push(...next);
    }
  }
  if (waiting.length > 0) deps.onCut?.(`the list needs more than ${MAX_REQUESTS} requests`);
  if (list.omitted > 0) {
    deps.onCut?.(`it has more than ${MAX_MODELS} selected models, ${list.omitted} are left out`);
  }
  return list.models;
}

/** The models in a list, up to a maximum number; selected models replace others. */
class BoundedList {
  /** The omitted selected models. */
  omitted = 0;
  readonly #found = new Map<string, ListedModel>();
  /** The IDs of unselected models, newest last. */
  readonly #others: string[] = [];
  readonly #selects: (id: string) => boolean;

  constructor(selects: (id: string) => boolean) {
    this.#selects = selects;
  }

  get models(): readonly ListedModel[] {
    return [...this.#found.values()];
  }

  /** Adds a model, or merges facts into an existing one. */
  add(model: ListedModel): void {
    const { id } = model;
    const known = this.#found.get(id);
    if (known !== undefined) {
      const capabilities = { ...known.facts.capabilities, ...model.facts.capabilities };
      const facts = { ...known.facts, ...model.facts };
      const hasAny = Object.keys(capabilities).length > 0;
      const merged = hasAny ? { ...facts, capabilities } : facts;
      this.#found.set(id, { ...known, ...model, facts: merged });
    } else if (isUsableId(id) && this.#hasPlace(id)) {
      this.#found.set(id, model);
    }
  }

  #hasPlace(id: string): boolean {
    const isFull = this.#found.size >= MAX_MODELS;
    if (!this.#selects(id)) {
      if (!isFull) this.#others.push(id);
      return !isFull;
    }
    const other = isFull ? this.#others.pop() : undefined;
    if (other !== undefined) this.#found.delete(other);
    else if (isFull) this.omitted++;
    return !isFull || other !== undefined;
  }
}

/**
 * Whether an ID may become a name: it is not too long, and contains neither control characters nor
 * spaces.
 */
function isUsableId(id: string): boolean {
  return id.length <= MAX_ID_LENGTH && /^[^\s\p{C}]+$/u.test(id);
}

/**
 * The response to one request, sent with the first of the provider's keys that the vendor accepts.
 */
async function ask(
  request: VendorRequest,
  provider: Provider,
  deps: ModelListDeps,
): Promise<unknown> {
  let refused: GatewayError | undefined;
  for (const key of provider.keys.length === 0 ? [undefined] : provider.keys) {
    const response = await deps.credentials.send({
      request: toOutgoing(
        request,
        request.method === undefined ? JSON.stringify(request.body) : "",
        provider,
      ),
      auth: request.auth,
      recipient: { name: `provider '${provider.settings.id}'`, connection: provider.connection },
      isRepeatable: true,
      provider,
      key,
    }, deps);
    if (response.ok) {
      const text = await readText(response, deps.signal, { maxSize: MAX_PAGE_BYTES });
      return await parseInSlices(text);
    }
    const failure = await readFailure(response, deps.signal);
    const { message } = provider.adapter.toError(failure);
    const { status } = response;
    const reason = message === undefined ? "" : `: ${provider.redactor.redact(message)}`;
    refused = new GatewayError("upstream_error", `The vendor responded with ${status}${reason}`);
    if (status !== 401 && status !== 403) break;
  }
  throw refused ?? new GatewayError("upstream_error", "No request was sent");
}
