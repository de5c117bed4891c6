/** Files of the checkout. */

const ROOT = new URL("../../", import.meta.url);

/** The text of a file. @param path from the root of the checkout */
export function readRoot(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}
