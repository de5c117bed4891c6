/** Names that are converted to a vendor's alphabet and length without collisions. */

/**
 * Returns a function that converts names and never returns the same name twice. It appends a number
 * to a name that is already in use.
 *
 * @param fix converts a name to one that the vendor accepts
 * @param maxLength the length of the longest name, in characters
 */
export function uniquely(fix: (name: string) => string, maxLength = 64): (name: string) => string {
  const used = new Set<string>();
  let nextNumbers: Map<string, number> | undefined;
  return (name) => {
    const fixed = fix(name);
    let unique = fixed;
    // Names with the same start share a counter, so that no number is tried twice.
    for (let digits = 1; used.has(unique); digits++) {
      const start = fixed.slice(0, maxLength - digits - 1);
      const [first, end] = [Math.max(2, 10 ** (digits - 1)), 10 ** digits];
      const key = `${digits}_${start}`;
      nextNumbers ??= new Map();
      let number = nextNumbers.get(key) ?? first;
      while (number < end && used.has(unique = `${start}_${number}`)) number++;
      nextNumbers.set(key, number);
    }
    used.add(unique);
    return unique;
  };
}
