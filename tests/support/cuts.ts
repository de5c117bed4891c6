/** Where tests cut a stream of bytes in two. */

/** Enough for each event of a stream; long runs cut at every byte. */
const MOST = Deno.env.get("SLUICE_LONG_TESTS") === "1" ? Infinity : 120;

/** Positions in a stream of this length: all of them, or as many as fit, spread evenly. */
export function cutsOf(length: number): number[] {
  const count = Math.min(MOST, length - 1);
  return Array.from({ length: count }, (_, index) => 1 + Math.floor(index * (length - 1) / count));
}
