/** The settings of a kind of provider that apply unless config.yaml overrides them. */

/** Options that form one set of credentials, for kinds that have more than `api_key`. */
export interface CredentialSet {
  /** The required options. */
  readonly needs: readonly string[];
  /** The optional ones. */
  readonly takes?: readonly string[];
}

/** A cloud that provides credentials to the machines, containers and users that run a gateway. */
export type Cloud = "aws" | "google" | "azure";

/** The address, credentials and timeouts of a kind of provider. */
export interface ProviderDefaults {
  /**
   * Absent if each customer has a separate address: `base_url` is then required. Empty if the
   * adapter builds the address from the provider's options.
   */
  readonly baseUrl?: string;
  /** The default path of `base_url`, such as `/v1`; the path of {@linkcode baseUrl} when absent. */
  readonly usualPath?: string;
  /** The path of another API of the same servers, which `base_url` must not end in. */
  readonly otherPath?: string;
  /** Whether a provider without credentials is disabled. */
  readonly credentials: "required" | "optional" | "none";
  /** The cloud whose machine credentials are used by a provider without keys. */
  readonly ambient?: Cloud;
  /**
   * Whether requests without an API key need the option `project`, which the cloud's credentials
   * may contain. It is empty while that is not known yet.
   */
  readonly needsProject?: boolean;
  /**
   * Timeouts of one attempt that differ from the general defaults, in the format of config.yaml.
   */
  readonly timeouts?: {
    readonly first_token?: string;
    readonly idle?: string;
    readonly total?: string;
  };
}
