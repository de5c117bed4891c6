/** JSON that a person writes. */

/** Whether a value is an object with members. */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
