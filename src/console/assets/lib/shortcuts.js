/**
 * Keys for the actions of the page. An element with `aria-keyshortcuts="Alt+Shift+R"` is clicked, or
 * a field is focused, by that chord: single letters would disturb dictation and screen readers.
 */

/** The chord of an event as `aria-keyshortcuts` writes it; undefined for other keys. */
export function chordOf({ altKey, shiftKey, ctrlKey, metaKey, code }) {
  const key = /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1];
  return altKey && shiftKey && !ctrlKey && !metaKey && key ? `Alt+Shift+${key}` : undefined;
}

/** The elements of the page that have a chord and can be used now. */
function usable() {
  const root = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
  return [...root.querySelectorAll("[aria-keyshortcuts]")].filter((element) =>
    !element.disabled && element.getClientRects().length > 0
  );
}

/** Runs the action of a chord. @returns whether there is one */
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
 * The actions of the page as it is now.
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
