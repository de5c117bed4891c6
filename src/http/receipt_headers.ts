/** The response headers that describe how the gateway handled a request. */

import { toDecimal } from "../governance/cost.ts";
import { describeConversion } from "../providers/contract/receipt.ts";
import type { AnsweringTarget } from "../routing/attempt_state.ts";
import type { RequestRecord } from "../routing/request_record.ts";

/**
 * The maximum length of the headers so far with the three lists, in characters. Proxies hold the
 * headers of an answer in small buffers, such as nginx's of one page (`proxy_buffer_size`): the rest
 * is for headers that follow and for the vendor's.
 */
const MAX_HEADERS_CHARS = 1400;
/** The maximum length of the three lists together, in characters, whatever room there is. */
const MAX_LIST_CHARS = 1000;
/** The maximum length of a value that a vendor or a configuration wrote, in characters. */
const MAX_VALUE_CHARS = 120;
/** The maximum length of an entry, in characters: names come from the caller and can be long. */
const MAX_ENTRY_CHARS = 80;

/** Adds the `x-request-id` and `x-sluice-*` headers of a request. */
export function addReceipt(headers: Record<string, string>, record: RequestRecord): void {
  headers["x-request-id"] = record.id;
  const { attempt, overhead, columns: { route } } = record;
  if (overhead !== undefined) headers["x-sluice-overhead-ms"] = overhead.toFixed(2);
  const { queuedMs } = record.columns;
  if (queuedMs !== undefined && !record.early) {
    headers["x-sluice-queued-ms"] = String(Math.round(queuedMs));
  }
  // When a stream begins early, the target that answers is not known yet.
  if (record.early) return;
  if (route !== undefined) headers["x-sluice-route"] = route;
  if (attempt === undefined) return;
  headers["x-sluice-provider"] = attempt.provider;
  if (record.isCountEstimated) headers["x-sluice-estimated"] = "input_tokens";
  // A request of the pass-through may name no model.
  if (attempt.upstream !== "") headers["x-sluice-model"] = toHeaderValue(attempt.upstream);
  headers["x-sluice-attempts"] = String(record.attempts);
  if (attempt.upstreamRequestId !== undefined) {
    headers["x-sluice-upstream-request-id"] = toHeaderValue(attempt.upstreamRequestId);
  }
  // The cost of all attempts. It is an estimate if the cost of any attempt is one.
  if (attempt.usage !== undefined && !record.open) {
    record.settle();
    const { source, usd } = record.used;
    if (usd !== undefined) {
      headers["x-sluice-cost-usd"] = toDecimal(usd);
      if (source === "estimated") headers["x-sluice-estimated"] = "cost";
    }
  }
  const { receipt } = attempt;
  const { chosen } = receipt;
  if (receipt.ignored.size + receipt.converted.size + chosen.size === 0) return;
  const { ignored, converted } = toNamed(attempt);
  let room = Math.min(MAX_LIST_CHARS, MAX_HEADERS_CHARS - lengthOf(headers));
  const addList = (name: string, entries: ReadonlySet<string>) => {
    if (entries.size > 0) room -= (headers[name] = joinEntries(entries, room)).length;
  };
  addList("x-sluice-ignored", ignored);
  addList("x-sluice-converted", converted);
  addList("x-sluice-added", chosen);
}

/** The length of headers as they are sent in HTTP/1.1, in characters. */
function lengthOf(headers: Readonly<Record<string, string>>): number {
  let length = 0;
  for (const name in headers) length += name.length + (headers[name] as string).length + 4;
  return length;
}

/** Most values are short and printable. */
function toHeaderValue(value: string): string {
  if (value.length > MAX_VALUE_CHARS) return printable(`${value.slice(0, MAX_VALUE_CHARS - 3)}...`);
  return UNPRINTABLE.test(value) ? printable(value) : value;
}

/** The entries of a receipt, under the names of the caller's format. */
function toNamed(
  { receipt, origins }: AnsweringTarget,
): { readonly ignored: ReadonlySet<string>; readonly converted: ReadonlySet<string> } {
  if (origins === undefined) return receipt;
  const nameOf = (name: string) => origins.pathOf(name) ?? name;
  const converted = receipt.conversions.map((conversion) =>
    describeConversion(conversion, nameOf(conversion.parameter))
  );
  return { ignored: new Set([...receipt.ignored].map(nameOf)), converted: new Set(converted) };
}

/** The entries as one list: as many as fit, then how many are left out. */
function joinEntries(entries: ReadonlySet<string>, room: number): string {
  let text = "";
  let remaining = entries.size;
  for (const entry of entries) {
    const safe = printable(entry.slice(0, MAX_ENTRY_CHARS)).replaceAll(",", "?");
    if (text.length + safe.length > room) {
      return text === "" ? `${remaining} entries` : `${text}, and ${remaining} more`;
    }
    text += text === "" ? safe : `, ${safe}`;
    remaining--;
  }
  return text;
}

/** Headers hold ASCII only. */
const UNPRINTABLE = /[^\x20-\x7e]/;

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}
