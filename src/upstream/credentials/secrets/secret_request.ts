/** The contract of a secret manager: how a secret is requested and found in the answer. */

import type { JsonObject } from "../../../core/json/object.ts";
import type { VaultLogins } from "./vault_login.ts";
import type { ServiceDeps, ServiceRequest } from "../service_request.ts";

/** Returns the value of an environment variable. */
export type Env = (name: string) => string | undefined;

/** A secret in an answer. */
export interface SecretRequest {
  /** The request, which has the credentials. */
  readonly request: ServiceRequest;
  /** Finds the text of the secret in the answer; undefined if it is not there. */
  readonly read: (answer: JsonObject) => string | undefined;
  /** Finds the code of an error. */
  readonly code: (answer: JsonObject) => unknown;
  /** Forgets credentials that were refused; returns whether others can be had. */
  readonly forget?: () => boolean;
}

/** The dependencies of reading secrets. */
export interface SecretDeps extends ServiceDeps {
  /** The logins to Vault. Default: each secret logs in. */
  readonly logins?: VaultLogins;
}

/** Creates the request for a secret. Throws a `GatewayError` when that is impossible. */
export type ToSecretRequest = (
  name: string,
  env: Env,
  deps: SecretDeps,
) => Promise<SecretRequest>;
