/** Distinguishes a vendor's own hosts from servers that only speak its dialect. */

/** The maximum number of base URLs that are remembered. They come from config.yaml. */
const MAX_KNOWN = 256;

/** Returns a test of base URLs by their host. Each URL is parsed once: every request is tested. */
export function hostTest(pattern: RegExp): (baseUrl: string) => boolean {
  const known = new Map<string, boolean>();
  return (baseUrl) => {
    let matches = known.get(baseUrl);
    if (matches === undefined) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(baseUrl, matches = pattern.test(new URL(baseUrl).hostname));
    }
    return matches;
  };
}
