/** Which views the keys of a person can use. */

/**
 * The views to offer: the others are absent, but for the current one.
 *
 * @template {{ id: string, needs?: "admin" | "service" }} View
 * @param {readonly View[]} views
 * @param {{ hasAdmin: boolean, hasService: boolean }} session
 * @param {string} current
 * @returns {View[]}
 */
export function viewsFor(views, { hasAdmin, hasService }, current) {
  return views.filter(({ id, needs }) =>
    id === current || needs === undefined || (needs === "admin" ? hasAdmin : hasService)
  );
}
