/** JSON that a person writes. */

/**
 * Parses a text. The error is the browser's, which says where the fault is.
 *
 * @param {string} text
 * @returns {{ value: unknown } | { error: string }}
 */
export function parseJson(text) {
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    return { error: `Not valid JSON: ${thrown.message}` };
  }
}
