/**
 * The settings of clients for this gateway, ready to copy: the same ones that `sluice connect`
 * writes.
 */

import { html, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Choices, CopyButton, ErrorBox, Loading } from "../../lib/components.js";
import { useLoaded, useSession } from "../shared/data.js";
import { ViewHead } from "../shared/parts.js";

const SYSTEMS = [["linux", "Linux"], ["darwin", "macOS"], ["windows", "Windows"]];

export default function Clients({ route }) {
  const { hasService } = useSession();
  const [os, setOs] = useState(usualSystem);
  return html`
    <div class="view" data-view="clients">
      <${ViewHead} title="Clients" note="The settings that each client needs for this gateway.">
        <${Choices} label="Operating system" value=${os} options=${SYSTEMS} onChange=${setOs} />
      <//>
      ${hasService ? html`<${Settings} os=${os} model=${route.query.get("model") ?? ""} />` : html`
        <p class="card empty">The settings name the models of a service key. Sign in with one.</p>
      `}
    </div>
  `;
}

function usualSystem() {
  const { platform } = navigator;
  return /^win/i.test(platform) ? "windows" : /^mac/i.test(platform) ? "darwin" : "linux";
}

/** @param {{ os: string, model: string }} props `model` is empty for the default */
function Settings({ os, model }) {
  const query = new URLSearchParams({
    ...{ os, origin: location.origin },
    ...(model !== "" && { model }),
  });
  const { data: list, error } = useLoaded(
    (signal) => getJson(`/v1/clients?${query}`, { signal }),
    [os, model],
  );
  const [id, setId] = useState("");
  if (error) return html`<${ErrorBox} error=${error} title="The settings cannot be shown" />`;
  if (!list) return html`<${Loading} text="Loading the settings" />`;
  if (list.data.length === 0) {
    return html`<p class="card empty">This key has no access to a chat model.</p>`;
  }
  const client = list.data.find((one) => one.id === id) ?? list.data[0];
  return html`
    <div class="stack">
      ${model !== "" && html`
        <p class="soft" role="status">
          With the model <code>${model}</code>. <a href="#/clients">Use the usual one</a>
        </p>
      `}
      <label class="row">
        Client
        <select class="inline" aria-keyshortcuts="Alt+Shift+F" value=${client.id} onChange=${(
          event,
        ) => setId(event.target.value)}>
          ${list.data.map((one) =>
            html`<option key=${one.id} value=${one.id}>${one.title}</option>`
          )}
        </select>
      </label>
      <${Client} key=${`${os} ${client.id}`} client=${client} />
    </div>
  `;
}

function Client({ client: { id, title, source, checked, files, steps } }) {
  return html`
    <section class="card stack padded client-settings" aria-label=${title}>
      ${files.map(({ path, text }) =>
        html`
          <div key=${path} class="stack">
            <div class="row spread">
              <code>${path}</code>
              <${CopyButton} text=${text} label=${`Copy settings for ${title}`} class="small" />
            </div>
            <pre class="code-box" tabindex="0" aria-label=${`Content of ${path}`}>${text}</pre>
          </div>
        `
      )}
      ${steps.length > 0 && html`
        <div class="row spread">
          <strong>${files.length === 0 ? "What to enter" : "Other steps"}</strong>
          <${CopyButton}
            text=${steps.join("\n")}
            label=${files.length === 0 ? `Copy settings for ${title}` : "Copy steps"}
            class="small"
          />
        </div>
        <pre class="code-box" tabindex="0" aria-label=${`Steps for ${title}`}>${steps.join(
          "\n",
        )}</pre>
      `}
      ${files.length > 0 && html`
        <p class="hint">
          <code>sluice connect ${id} --url ${location
            .origin}</code> shows the changes of the file and
          writes them, with a backup.
        </p>
      `}
      <p class="hint">
        From <a href=${source} target="_blank" rel="noreferrer">${source}</a>, ${checked}.
      </p>
    </section>
  `;
}
