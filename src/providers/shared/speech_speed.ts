/** The speed of speech. */

import type { SpeechCall } from "../contract/speech.ts";

/**
 * The nearest speed that a vendor has; undefined for the usual one.
 *
 * @param name the vendor's name of the field
 */
export function speedWithin(
  { receipt, request: { speed } }: SpeechCall,
  min: number,
  max: number,
  name = "speed",
): number | undefined {
  if (speed === undefined || speed === 1) return undefined;
  const near = Math.min(max, Math.max(min, speed));
  if (near !== speed) receipt.convert("speed", speed, near);
  else if (name !== "speed") receipt.rename("speed", name);
  return near;
}
