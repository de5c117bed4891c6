/** Tests that need a system or a program. The name of a skipped test says why. */

/** The name of a test, and whether it is skipped. @param what what the test needs */
export function needs(
  what: string,
  isThere: boolean,
  name: string,
): { readonly name: string; readonly ignore: boolean } {
  return { name: isThere ? name : `${name} (needs ${what})`, ignore: !isThere };
}
