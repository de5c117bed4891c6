/** Access tokens of Google's accounts as bearer tokens. */

import type { Provider } from "../../config/config.ts";
import type { Auth } from "../../providers/contract/adapter.ts";
import { fetchServiceAccountToken, type GoogleToken } from "./google_service_account.ts";
import { LiveCredentials } from "./live_credentials.ts";
import { type CredentialScheme, REDACTED, withHeader } from "./scheme.ts";

/**
 * Creates the scheme with its cache of tokens.
 *
 * @param readFile reads a file as text
 */
export function createGoogleScheme(
  readFile: (path: string) => string,
): CredentialScheme<Extract<Auth, { type: "google" }>> {
  const tokens = new LiveCredentials<GoogleToken>();
  return {
    async apply(request, _auth, { provider }, deps) {
      const account = accountOf(provider);
      const obtain = () => fetchServiceAccountToken(account, readFile, deps);
      const { text } = await tokens.get(account, obtain, deps);
      // Tokens change while the process runs: the vendor may echo this one.
      provider.redactor.add(text);
      return withHeader(request, "authorization", `Bearer ${text}`);
    },
    renew({ headers }, provider) {
      const refused = headers.authorization?.replace(/^Bearer /, "");
      tokens.forget(accountOf(provider), ({ text }) => text === refused);
      return true;
    },
    describe: () => ({ authorization: REDACTED }),
  };
}

/** The path of a service account's key, or its JSON. */
function accountOf({ settings }: Provider): string {
  const { credentials } = settings.options;
  return typeof credentials === "string" ? credentials : "";
}
