/** Schemes with an access token that expires, or an API key in a header of the vendor. */

import type { Provider } from "../../config/config.ts";
import { fetchAzureToken, modelResource } from "./azure/ambient.ts";
import { fetchGoogleCredentials } from "./google/ambient.ts";
import {
  type ExchangeDeps,
  type Expiring,
  ProviderCredentials,
  variablesOf,
} from "./live_credentials.ts";
import { type CredentialScheme, REDACTED, withHeader } from "./scheme.ts";
import type { ServiceDeps } from "./service_request.ts";
import type { Auth } from "../../contract/vendor_request.ts";

/** An access token. */
interface AccessToken extends Expiring {
  readonly text: string;
  /** The project that requests are counted for. */
  readonly quotaProject?: string | undefined;
}

type TokenScheme<Type extends "google" | "azure"> = CredentialScheme<Extract<Auth, { type: Type }>>;

/** Google's accounts. */
export function createGoogleScheme(deps: ExchangeDeps): TokenScheme<"google"> {
  return createTokenScheme(
    deps,
    (provider, deps) =>
      fetchGoogleCredentials(provider.settings.options.credentials, variablesOf(provider), deps),
  );
}

/** Azure's identities. */
export function createAzureScheme(deps: ExchangeDeps): TokenScheme<"azure"> {
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
        // Tokens change while the process runs: the vendor may echo this one.
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
