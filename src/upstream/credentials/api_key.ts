/** The schemes that send a provider's key unchanged, and the scheme without credentials. */

import { type CredentialScheme, hasCredentials, REDACTED, withHeader } from "./scheme.ts";
import type { Auth } from "../../contract/vendor_request.ts";

type AuthOf<Type extends Auth["type"]> = Extract<Auth, { type: Type }>;

/** A scheme whose credentials are one header. */
function inHeader<Type extends Auth["type"]>(
  headerOf: NonNullable<CredentialScheme<AuthOf<Type>>["headerOf"]>,
): CredentialScheme<AuthOf<Type>> {
  return {
    headerOf,
    apply: (request, auth, { key }) => withHeader(request, ...headerOf(auth, key)),
    describe(auth, provider): Record<string, string> {
      const [name, value] = headerOf(auth, REDACTED);
      return value !== undefined && hasCredentials(provider) ? { [name]: value } : {};
    },
  };
}

/** No credentials. */
export const none = inHeader<"none">(() => ["authorization", undefined]);

/** `Authorization: Bearer KEY`. */
export const bearer = inHeader<"bearer">((_auth, key) => ["authorization", key && `Bearer ${key}`]);

/** The key in a vendor-specific header. */
export const header = inHeader<"header">(({ name, prefix = "" }, key) => [
  name,
  key && `${prefix}${key}`,
]);
