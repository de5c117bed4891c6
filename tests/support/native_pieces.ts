/** Folds the pieces of a vendor's stream of events, as the gateway does. */

import { GatewayError } from "../../src/core/errors.ts";
import { NativeFold, type NativeFoldParts } from "../../src/streaming/native_fold.ts";

/** What the caller gets. */
export function foldPieces(
  pieces: readonly Uint8Array[],
  parts: Pick<NativeFoldParts, "reader" | "unwrap">,
): string {
  const toError = () => new GatewayError("upstream_error", "failed");
  const fold = new NativeFold({ framing: "sse", toError, toEndError: toError, ...parts });
  const decoder = new TextDecoder();
  const toText = (output: string | Uint8Array) =>
    typeof output === "string" ? output : decoder.decode(output, { stream: true });
  const text = pieces.map((piece) => toText(fold.push(piece))).join("");
  return text + toText(fold.end());
}
