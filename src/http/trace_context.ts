/** Reads the caller's trace context (https://www.w3.org/TR/trace-context/). */

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** The trace ID of a `traceparent` header, or undefined when the header is missing or invalid. */
export function readTraceId(header: string | null): string | undefined {
  if (header === null) return undefined;
  const [, version, traceId, parentId, rest] = TRACEPARENT.exec(header) ?? [];
  // Later versions may add fields; version 00 has none.
  if (version === "ff" || version === "00" && rest !== undefined) return undefined;
  return isZero(traceId) || isZero(parentId) ? undefined : traceId;
}

function isZero(id: string | undefined): boolean {
  return id === undefined || /^0+$/.test(id);
}
