import { html, render } from "./lib/preact.js";

render(
  html`
    <main>
      <h1>Sluice</h1>
    </main>
  `,
  document.getElementById("app"),
);
