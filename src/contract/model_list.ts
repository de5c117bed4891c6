/** The contract of a vendor's list of models: how it is requested and read. */

import type { ModelFacts } from "./model_facts.ts";
import type { ProviderSettings, VendorRequest } from "./vendor_request.ts";

/** A model that the vendor lists. */
export interface ListedModel {
  /** The upstream name. */
  readonly id: string;
  /** The model whose facts and quirks apply, if the name does not identify it. */
  readonly base?: string;
  /** Facts from the vendor, which take precedence over the catalogue. */
  readonly facts: ModelFacts;
}

/** The content of one answer. Entries of several answers with the same ID are merged. */
export interface ModelPage {
  readonly models: readonly ListedModel[];
  /** Further requests: for the next page, or for details about the models of this one. */
  readonly next?: readonly VendorRequest[];
}

/** A vendor's API that lists models. */
export interface ModelListApi {
  /** The first requests: one for each list of the vendor. */
  toRequests(provider: ProviderSettings): readonly VendorRequest[];
  /**
   * Reads an answer. Entries that are not models for any operation of the gateway are omitted.
   *
   * @throws {GatewayError} `upstream_error` when it is not a list of this vendor.
   */
  read(body: unknown, request: VendorRequest, provider: ProviderSettings): ModelPage;
}
