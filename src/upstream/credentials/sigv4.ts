/** AWS Signature Version 4, or a bearer token for a provider with an API key. */

import type { Provider } from "../../config/config.ts";
import { bearer } from "./api_key.ts";
import { fetchAwsCredentials } from "./aws/ambient.ts";
import type { AwsCredentials } from "./aws/sts.ts";
import { type AwsKeys, signAws } from "./aws_signature.ts";
import { type ExchangeDeps, ProviderCredentials, variablesOf } from "./live_credentials.ts";
import { type CredentialScheme, REDACTED } from "./scheme.ts";
import type { Auth } from "../../contract/vendor_request.ts";

/**
 * Creates the scheme with its cache of credentials. It signs with the provider's or the machine's
 * AWS keys, or with an assumed role's.
 */
export function createSigv4Scheme(
  deps: ExchangeDeps,
): CredentialScheme<Extract<Auth, { type: "sigv4" }>> {
  const live = new ProviderCredentials<AwsCredentials>(deps, (provider, deps) => {
    const { settings: { options } } = provider;
    const env = variablesOf(provider);
    return fetchAwsCredentials({ keys: configuredKeys(provider), options, env }, deps);
  });
  return {
    apply(request, auth, credential, deps) {
      const { key, provider } = credential;
      if (key !== undefined) return bearer.apply(request, { type: "bearer" }, credential, deps);
      const sign = (keys: AwsKeys) => signAws(request, keys, auth, deps.clock.wallTime());
      const keys = isConstant(provider) ? configuredKeys(provider) : undefined;
      if (keys !== undefined) return sign(keys);
      return live.get(provider, deps).then((keys) => {
        redact(keys, provider);
        return sign(keys);
      });
    },
    isRefusal: ({ status, headers }) =>
      status === 403 && REFUSED_TYPE.test(headers.get("x-amzn-errortype") ?? ""),
    renew({ headers }, provider) {
      if (provider.keys.length > 0 || isConstant(provider)) return false;
      const [, refused] = /Credential=([^/]+)/.exec(headers.authorization ?? "") ?? [];
      live.forget(provider, ({ accessKeyId }) => accessKeyId === refused);
      return true;
    },
    signsBody: ({ key }) => key === undefined,
    describe: () => ({ authorization: REDACTED }),
  };
}

/** Error types for expired or revoked credentials. */
const REFUSED_TYPE = /^(?:ExpiredToken|InvalidClientTokenId|UnrecognizedClient)/;

/** Whether requests are signed with the keys in config.yaml. */
function isConstant({ secrets, settings: { options } }: Provider): boolean {
  return secrets.access_key_id !== undefined && options.assume_role === undefined;
}

/** The keys in config.yaml. */
function configuredKeys({ secrets }: Provider): AwsKeys | undefined {
  const { access_key_id, secret_access_key, session_token }: Provider["secrets"] = secrets;
  if (access_key_id === undefined || secret_access_key === undefined) return undefined;
  return {
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    sessionToken: session_token,
  };
}

/** Credentials change while the process runs, and the vendor may echo these. */
function redact(
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { redactor }: Provider,
): void {
  redactor.add(accessKeyId);
  redactor.add(secretAccessKey);
  if (sessionToken !== undefined) redactor.add(sessionToken);
}
