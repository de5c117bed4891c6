/** Sends requests with a provider's credentials, regardless of their scheme. */

import type { Provider } from "../../config/config.ts";
import { VERSION } from "../../core/version.ts";
import {
  type OutgoingRequest,
  type Recipient,
  type RequestBody,
  send,
  type VendorResponse,
} from "../transport.ts";
import { bearer, header, none } from "./api_key.ts";
import {
  addHeader,
  type Credential,
  type CredentialDeps,
  type CredentialScheme,
  REDACTED,
  withHeader,
} from "./scheme.ts";
import {
  type ExchangeDeps,
  type Expiring,
  ProviderCredentials,
  variablesOf,
} from "./live_credentials.ts";
import { createSigv4Scheme } from "./sigv4.ts";
import type { Auth, VendorRequest } from "../../contract/vendor_request.ts";
import { fetchAzureToken, modelResource } from "./azure/ambient.ts";
import { fetchGoogleCredentials } from "./google/ambient.ts";
import type { ServiceDeps } from "./service_request.ts";

/** A request without credentials, and the dependencies for sending it. */
interface UnsignedRequest extends Credential {
  readonly request: OutgoingRequest;
  readonly auth: Auth;
  readonly recipient: Recipient;
  /** Whether the body can be sent a second time. */
  readonly isRepeatable: boolean;
  /** Called before the request is sent for the first time. */
  readonly onSend?: () => void;
}

type Schemes = {
  readonly [Type in Auth["type"]]: CredentialScheme<Extract<Auth, { type: Type }>>;
};

/** A cache of complete headers, for requests with the same headers and credentials. */
interface SharedHeaders extends Credential {
  readonly auth: Auth;
  readonly all: OutgoingRequest["headers"];
}

/** One process's schemes, with their cached credentials. */
export class Credentials {
  readonly #schemes: Schemes;
  /** Keyed by the headers of the vendor request. */
  readonly #shared = new WeakMap<VendorRequest["headers"], SharedHeaders>();

  constructor(deps: ExchangeDeps) {
    this.#schemes = {
      ...{ none, bearer, header },
      sigv4: createSigv4Scheme(deps),
      google: createGoogleScheme(deps),
      azure: createAzureScheme(deps),
    };
  }

  /**
   * All headers for a request whose credentials are one constant header.
   *
   * @returns undefined if the request must be signed, or if its credentials may be renewed
   */
  headersOf(
    { auth, headers }: VendorRequest,
    provider: Provider,
    key: string | undefined,
  ): OutgoingRequest["headers"] | undefined {
    const isShared = Object.isFrozen(headers);
    const known = isShared ? this.#shared.get(headers) : undefined;
    if (known?.auth === auth && known.key === key && known.provider === provider) return known.all;
    const header = this.#schemeOf(auth).headerOf?.(auth, key);
    if (header === undefined) return undefined;
    const all = addHeader(toHeaders(headers, provider), ...header);
    if (isShared) this.#shared.set(headers, { auth, key, provider, all });
    return all;
  }

  /**
   * Sends a request with the provider's credentials, and once more with new ones if the vendor
   * rejects them and the scheme can renew them.
   *
   * @throws {GatewayError} (synchronously or as a rejection) when there are no credentials or no
   * answer.
   */
  send(unsigned: UnsignedRequest, deps: CredentialDeps): Promise<VendorResponse> {
    const { request, auth, recipient, onSend } = unsigned;
    const scheme = this.#schemes[auth.type] as CredentialScheme;
    const signing = scheme.apply(request, auth, unsigned, deps);
    if (signing instanceof Promise || scheme.renew !== undefined) {
      return this.#sendRenewed(scheme, signing, unsigned, deps);
    }
    onSend?.();
    return send(signing, recipient, deps.signal, deps.fetch);
  }

  async #sendRenewed(
    scheme: CredentialScheme,
    signing: OutgoingRequest | Promise<OutgoingRequest>,
    unsigned: UnsignedRequest,
    deps: CredentialDeps,
  ): Promise<VendorResponse> {
    const { request, auth, provider, recipient, isRepeatable, onSend } = unsigned;
    const { fetch, signal } = deps;
    const signed = await signing;
    onSend?.();
    const response = await send(signed, recipient, signal, fetch);
    const isRefused = scheme.isRefusal?.(response) ?? response.status === 401;
    if (!isRefused || scheme.renew?.(signed, provider) !== true || !isRepeatable) return response;
    await response.body?.cancel();
    const renewed = await scheme.apply(request, auth, unsigned, deps);
    return await send(renewed, recipient, signal, fetch);
  }

  /** Whether a signature covers the body, which must then be known before it is sent. */
  signsBody(auth: Auth, credential: Credential): boolean {
    return this.#schemeOf(auth).signsBody?.(credential) ?? false;
  }

  /** The credential headers of a request, with their secrets redacted. */
  describe(auth: Auth, provider: Provider): Readonly<Record<string, string>> {
    return this.#schemeOf(auth).describe(auth, provider);
  }

  #schemeOf({ type }: Auth): CredentialScheme {
    return this.#schemes[type] as CredentialScheme;
  }
}

/**
 * The complete request without credentials. Headers are built here and never copied from the
 * caller; those in config.yaml take precedence.
 *
 * @param body the body to send; requests with a method other than POST have none
 */
export function toOutgoing(
  { url, method, headers }: VendorRequest,
  body: RequestBody,
  provider: Provider,
): OutgoingRequest {
  const all = toHeaders(headers, provider);
  return { url, headers: all, ...(method === undefined ? { body } : { method }) };
}

function toHeaders(
  headers: VendorRequest["headers"],
  provider: Provider,
): OutgoingRequest["headers"] {
  return {
    "content-type": "application/json",
    "user-agent": `sluice/${VERSION}`,
    // A compressed stream would arrive in large pieces.
    "accept-encoding": "identity",
    ...headers,
    ...provider.headers,
  };
}

/** An access token. */
interface AccessToken extends Expiring {
  readonly text: string;
  /** The project to which requests are attributed. */
  readonly quotaProject?: string | undefined;
}

type TokenScheme<Type extends "google" | "azure"> = CredentialScheme<Extract<Auth, { type: Type }>>;

/** Google's accounts. */
function createGoogleScheme(deps: ExchangeDeps): TokenScheme<"google"> {
  return createTokenScheme(
    deps,
    (provider, deps) =>
      fetchGoogleCredentials(provider.settings.options.credentials, variablesOf(provider), deps),
  );
}

/** Azure's identities. */
function createAzureScheme(deps: ExchangeDeps): TokenScheme<"azure"> {
  return createTokenScheme(deps, (provider, deps) => {
    const { secrets: { client_secret: secret }, settings: { baseUrl, options } } = provider;
    const resource = modelResource(baseUrl);
    return fetchAzureToken({ secret, options, resource, env: variablesOf(provider) }, deps);
  });
}

function createTokenScheme<Kind extends Auth & { readonly keyHeader: string }>(
  exchangeDeps: ExchangeDeps,
  obtain: (provider: Provider, deps: ServiceDeps) => Promise<AccessToken>,
): CredentialScheme<Kind> {
  const tokens = new ProviderCredentials<AccessToken>(exchangeDeps, obtain);
  return {
    apply(request, { keyHeader }, { key, provider }, deps) {
      if (key !== undefined) return withHeader(request, keyHeader, key);
      return tokens.get(provider, deps).then(({ text, quotaProject }) => {
        // Tokens change while the process runs, and the vendor may echo this one.
        provider.redactor.add(text);
        const authorized = withHeader(request, "authorization", `Bearer ${text}`);
        return withHeader(authorized, "x-goog-user-project", quotaProject);
      });
    },
    renew({ headers }, provider) {
      if (provider.keys.length > 0) return false;
      const refused = headers.authorization?.replace(/^Bearer /, "");
      tokens.forget(provider, ({ text }) => text === refused);
      return true;
    },
    describe: ({ keyHeader }, { keys }) =>
      keys.length > 0 ? { [keyHeader]: REDACTED } : { authorization: REDACTED },
  };
}
