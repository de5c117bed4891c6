/** The schemes that send a provider's key as it is, and the one that sends nothing. */

import type { Auth } from "../../providers/contract/adapter.ts";
import { type CredentialScheme, hasCredentials, REDACTED, withHeader } from "./scheme.ts";

type SchemeOf<Type extends Auth["type"]> = CredentialScheme<Extract<Auth, { type: Type }>>;

/** No credentials. */
export const none: SchemeOf<"none"> = {
  apply: (request) => request,
  describe: () => ({}),
};

/** `Authorization: Bearer KEY`. */
export const bearer: SchemeOf<"bearer"> = {
  apply: (request, _auth, { key }) => withHeader(request, "authorization", key && `Bearer ${key}`),
  describe: (_auth, provider): Record<string, string> =>
    hasCredentials(provider) ? { authorization: `Bearer ${REDACTED}` } : {},
};

/** The key in a header of the vendor. */
export const header: SchemeOf<"header"> = {
  apply: (request, { name, prefix = "" }, { key }) =>
    withHeader(request, name, key && `${prefix}${key}`),
  describe: ({ name, prefix = "" }, provider): Record<string, string> =>
    hasCredentials(provider) ? { [name]: `${prefix}${REDACTED}` } : {},
};
