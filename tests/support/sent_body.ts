/** The body of a request to a vendor, whatever form it has. */

import type { RequestBody } from "../../src/upstream/transport.ts";

/** The whole body as text; empty for a request without one. */
export async function textOf(body: RequestBody | undefined): Promise<string> {
  if (body === undefined || typeof body === "string") return body ?? "";
  const decoder = new TextDecoder();
  if (body instanceof Uint8Array) return decoder.decode(body);
  let text = "";
  for await (const piece of body) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
