import { html, render } from "./lib/preact.js";
import { Shell } from "./lib/shell.js";
import { applyTheme, currentTheme } from "./lib/theme.js";

applyTheme(currentTheme());
const app = document.getElementById("app");
app.replaceChildren();
render(html`<${Shell} />`, app);
