/** Parts of the playground that are loaded when they are shown first. */

import { html, useEffect, useState } from "../../../lib/preact.js";
import { Loading } from "../../../lib/components.js";

/**
 * A component whose module is loaded when it is shown.
 *
 * @param {() => Promise<Record<string, Function>>} load
 * @param {string} name its export
 * @param {boolean} [isQuiet] whether nothing is shown while it is loading, as for dialogs
 * @returns {(props: object) => unknown}
 */
export function lazy(load, name, isQuiet = false) {
  let Loaded;
  return function Lazy(props) {
    const [, render] = useState(false);
    const [fault, setFault] = useState("");
    useEffect(() => {
      if (Loaded !== undefined) return;
      load().then(
        (module) => {
          Loaded = module[name];
          render(true);
        },
        () => setFault("It cannot be loaded: load the page again"),
      );
    }, []);
    if (fault !== "") return html`<p class="fault" role="alert">${fault}</p>`;
    if (Loaded === undefined) return isQuiet ? null : html`<${Loading} />`;
    return html`<${Loaded} ...${props} />`;
  };
}
