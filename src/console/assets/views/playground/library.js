/**
 * Conversations and settings that the person saved in this browser. They stay after the tab is
 * closed and after signing out, until the person removes them.
 */

const NAME = "sluice.playground.saved";
/** The most entries, and the characters of a name. */
export const MAX_ENTRIES = 100;
export const MAX_NAME_CHARS = 80;

/**
 * What is saved, newest first.
 *
 * @returns {{ name: string, time: number, text: string }[]}
 */
export function readLibrary() {
  try {
    const entries = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    return entries.filter(({ name, time, text }) =>
      typeof name === "string" && typeof time === "number" && typeof text === "string"
    );
  } catch {
    return [];
  }
}

/**
 * Saves a text. An entry of the same name is replaced.
 *
 * @returns {string} what is wrong; empty if it is saved
 */
export function saveEntry(name, text, time = Date.now()) {
  const others = readLibrary().filter((entry) => entry.name !== name);
  if (others.length >= MAX_ENTRIES) return `${MAX_ENTRIES} are saved: remove one first`;
  return write([{ name, time, text }, ...others])
    ? ""
    : "The browser has no room for it, or blocks its storage: export a file instead";
}

/**
 * Saves all of some entries, or none. They replace what is saved.
 *
 * @returns {string} what is wrong; empty if they are saved
 */
export function saveAll(entries) {
  if (entries.length > MAX_ENTRIES) return `These would be more than ${MAX_ENTRIES}`;
  return write(entries) ? "" : "The browser has no room for them, or blocks its storage";
}

/** Removes an entry. */
export function removeEntry(name) {
  write(readLibrary().filter((entry) => entry.name !== name));
}

function write(entries) {
  try {
    localStorage.setItem(NAME, JSON.stringify(entries));
    return true;
  } catch {
    return false;
  }
}
