/** AWS Signature Version 4, or a bearer token for a provider with an API key. */

import type { Provider } from "../../config/config.ts";
import type { Auth } from "../../providers/contract/adapter.ts";
import { bearer } from "./api_key.ts";
import { type AwsKeys, signAws } from "./aws_signature.ts";
import { type Credential, type CredentialScheme, REDACTED } from "./scheme.ts";

/** Signs requests with the AWS keys of the provider. */
export const sigv4: CredentialScheme<Extract<Auth, { type: "sigv4" }>> = {
  apply(request, auth, credential, deps) {
    const keys = keysOf(credential);
    if (keys === undefined) return bearer.apply(request, { type: "bearer" }, credential, deps);
    return signAws(request, keys, auth, deps.clock.wallTime());
  },
  signsBody: (credential) => keysOf(credential) !== undefined,
  describe: () => ({ authorization: REDACTED }),
};

/** The AWS keys of a provider; undefined if it has none, or an API key that is used instead. */
function keysOf({ provider, key }: Credential): AwsKeys | undefined {
  const { access_key_id, secret_access_key, session_token }: Provider["secrets"] = provider.secrets;
  if (key !== undefined || access_key_id === undefined || secret_access_key === undefined) {
    return undefined;
  }
  return {
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    sessionToken: session_token,
  };
}
