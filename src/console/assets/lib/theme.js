/** The color theme: that of the system, or the user's choice. */

const NAME = "sluice.theme";

/** The themes in the order of the switch. */
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

/** Applies a theme, and stores it if the browser allows that. */
export function setTheme(theme) {
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // The theme lasts until the page is closed.
  }
  applyTheme(theme);
}

/** Shows the page in a theme. */
export function applyTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
