/** Preact, its hooks, and `html` templates in place of JSX. */

import { h } from "preact";
import htm from "htm";

export * from "preact";
export * from "preact/hooks";

/** Creates elements from a template: html`<p class=${name}>${text}</p>`. */
export const html = htm.bind(h);
