/**
 * Keys for the actions of the page. An element with `aria-keyshortcuts="Alt+Shift+R"` is clicked,
 * or a field is focused, by that shortcut: single letters would interfere with dictation and screen
 * readers.
 */

/** The shortcut of an event in the syntax of `aria-keyshortcuts`; undefined for other keys. */
export function chordOf({ altKey, shiftKey, ctrlKey, metaKey, code }) {
  const key = /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1];
  return altKey && shiftKey && !ctrlKey && !metaKey && key ? `Alt+Shift+${key}` : undefined;
}

/** The enabled elements of the page with a shortcut. */
function usable() {
  const root = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
  return [...root.querySelectorAll("[aria-keyshortcuts]")].filter((element) =>
    !element.disabled && element.getClientRects().length > 0
  );
}

/** Runs the action of a shortcut. @returns whether there is one */
export function runChord(chord) {
  const found = usable().find((element) => element.getAttribute("aria-keyshortcuts") === chord);
  if (found === undefined) return false;
  if (found.matches("input, select, textarea") && found.type !== "checkbox") {
    found.focus();
    found.select?.();
  } else {
    found.click();
  }
  return true;
}

/**
 * The current actions of the page.
 *
 * @returns {{ isView: boolean, keys: string[], label: string, run: () => void }[]}
 */
export function actionsOfPage() {
  return usable().map((element) => {
    const chord = element.getAttribute("aria-keyshortcuts");
    const isView = element.closest("nav") !== null;
    return { isView, keys: chord.split("+"), label: labelOf(element), run: () => runChord(chord) };
  });
}

function labelOf(element) {
  const text = element.getAttribute("aria-label") ?? element.labels?.[0]?.innerText ??
    element.innerText;
  return text.trim().replaceAll(/\s+/g, " ");
}
