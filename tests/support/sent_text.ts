/** The bodies of requests to vendors: large ones consist of bytes. */

import type { RequestBody } from "../../src/upstream/transport.ts";

/** The text of a body that is JSON. */
export function sentText(body: RequestBody | undefined): string {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
}
