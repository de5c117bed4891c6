/** The trace that a caller says its request belongs to (https://www.w3.org/TR/trace-context/). */

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** The trace id of a `traceparent` header, or undefined when there is none or it is not valid. */
export function readTraceId(header: string | null): string | undefined {
  if (header === null) return undefined;
  const [, version, traceId, parentId, rest] = TRACEPARENT.exec(header) ?? [];
  // Later versions may have more fields; the first has not.
  if (version === "ff" || version === "00" && rest !== undefined) return undefined;
  return isZero(traceId) || isZero(parentId) ? undefined : traceId;
}

function isZero(id: string | undefined): boolean {
  return id === undefined || /^0+$/.test(id);
}
