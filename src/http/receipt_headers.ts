/** The headers in which a caller sees what was done with the request. */

import type { Exchange } from "../routing/request_record.ts";

/** The longest header that a receipt may fill, in characters. */
const MAX_LENGTH = 1000;
/** The longest single entry: names are the caller's, and may be anything. */
const MAX_ENTRY = 80;

export function addReceipt(headers: Record<string, string>, exchange: Exchange): void {
  headers["x-request-id"] = exchange.id;
  const { reached, overhead } = exchange;
  if (overhead !== undefined) headers["x-sluice-overhead-ms"] = overhead.toFixed(2);
  // Of a stream that begins early nobody knows yet who will answer it.
  if (reached === undefined || exchange.early) return;
  headers["x-sluice-provider"] = reached.provider;
  headers["x-sluice-model"] = printable(reached.upstream);
  headers["x-sluice-attempts"] = String(exchange.attempts);
  if (exchange.upstreamRequestId !== undefined) {
    headers["x-sluice-upstream-request-id"] = printable(exchange.upstreamRequestId);
  }
  if (reached.receipt.ignored.size > 0) {
    headers["x-sluice-ignored"] = listed(reached.receipt.ignored);
  }
  if (reached.receipt.converted.size > 0) {
    headers["x-sluice-converted"] = listed(reached.receipt.converted);
  }
}

function listed(entries: ReadonlySet<string>): string {
  let text = "";
  let left = entries.size;
  for (const entry of entries) {
    const safe = printable(entry.slice(0, MAX_ENTRY)).replaceAll(",", "?");
    if (text.length + safe.length > MAX_LENGTH) return `${text}, and ${left} more`;
    text += text === "" ? safe : `, ${safe}`;
    left--;
  }
  return text;
}

/** Headers hold ASCII only. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}
