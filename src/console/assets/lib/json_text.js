/** Parses JSON typed by a user. */

/** Whether a value is an object with members. */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses a text. The error message is the browser's, with the position of the error.
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
