/** The color theme: as the system says, or the person's own choice. */

const NAME = "sluice.theme";

/** The choices, in the order in which the switch offers them. */
export const THEMES = ["auto", "light", "dark"];

/** The chosen theme. */
export function currentTheme() {
  try {
    const stored = localStorage.getItem(NAME);
    return THEMES.includes(stored) ? stored : "auto";
  } catch {
    return "auto";
  }
}

/** Applies a theme, and keeps it if the browser allows that. */
export function setTheme(theme) {
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // It lasts until the page is left.
  }
  applyTheme(theme);
}

/** Shows the page in a theme. */
export function applyTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
