/** What every reading of a vendor's answer needs: members that may be missing or odd, and its failures. */

import { GatewayError } from "../../core/errors.ts";
import type { Step } from "../contract/adapter.ts";

/** True for text that says something. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A text, empty where there is none. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A count of tokens, 0 where there is none. */
export function toCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

/** For a whole answer that is not what the vendor documents. */
export function broken(what: string): GatewayError {
  return new GatewayError("upstream_error", `The provider's answer ${what}`);
}

/** For a stream that is not what the vendor documents. */
export function failed(what: string): Step {
  return { chunks: [], failure: { kind: "upstream_error", message: `The provider ${what}` } };
}
