/** Credentials that a provider without keys gets from the machine, the container or the user. */

import type { JsonObject } from "../chat/chat.ts";
import type { Cloud } from "../providers/contract/provider_defaults.ts";
import type { DisabledReason } from "./disabled_providers.ts";

/** Where a provider's credentials come from. */
export interface AmbientCredentials {
  /** The source for the operator, such as `AWS profile 'dev'`; undefined if config.yaml has them. */
  readonly source: string | undefined;
  /** Whether they come from a service that may not exist: it was not reached yet. */
  readonly isUnconfirmed?: boolean;
  /** The cloud's project that config.yaml does not name; empty until a service has told it. */
  readonly project?: string;
  /** The environment variables that select the source, by name. */
  readonly variables: ReadonlyMap<string, string>;
}

/** The credentials, or why there are none. */
export type AmbientResult = AmbientCredentials | DisabledReason | undefined;

/** A provider without keys. */
export interface AmbientSearch {
  /** The provider's ID. */
  readonly id: string;
  readonly cloud: Cloud;
  /** Its members in config.yaml. */
  readonly options: JsonObject;
  /** Whether it has credentials in config.yaml, so that only the variables are needed. */
  readonly hasCredentials: boolean;
  /** Whether the provider needs a project that the credentials must tell. */
  readonly needsProject?: boolean;
  /**
   * Whether it names keys that are unset. Only credentials that the platform gives to this container
   * or app are used then, not those of a user or of the whole machine.
   */
  readonly namesKeys?: boolean;
}

/**
 * Finds a provider's credentials in variables and files, without waiting for the network. Returns
 * undefined where the cloud's credentials cannot be used.
 */
export type FindAmbient = (search: AmbientSearch) => AmbientResult;
