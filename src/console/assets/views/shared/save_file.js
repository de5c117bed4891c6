/** Files that the page gives to the person. */

/**
 * Saves a text as a file of the person.
 *
 * @param {string} name
 * @param {string} text
 * @param {string} type such as `text/csv`
 */
export function saveFile(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
