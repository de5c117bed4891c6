/** Determines which views the user's keys can access. */

/**
 * The views in the navigation: those that the keys can access, and the current one.
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
