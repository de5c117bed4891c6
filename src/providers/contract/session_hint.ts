/** The contract of session hints: what a vendor takes to serve a session where its cache is. */

import type { ProviderSettings, VendorRequest } from "./adapter.ts";

/** Where a vendor takes the ID of a session: a header, or a member of the body. */
export type SessionHint =
  | { readonly header: string }
  | { readonly member: string };

/** The hint for a request; undefined if the server takes none. */
export type FindSessionHint = (
  request: Pick<VendorRequest, "url">,
  provider: ProviderSettings,
) => SessionHint | undefined;
