import { html, render } from "./lib/preact.js";
import { Shell } from "./lib/shell.js";
import { applyTheme, currentTheme } from "./lib/theme.js";

applyTheme(currentTheme());
render(html`<${Shell} />`, document.getElementById("app"));
