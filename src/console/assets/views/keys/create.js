/** Creates a key, and shows its text, the client's settings, and a message for its user. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { CopyButton, Dialog, ErrorBox, FactList } from "../../lib/components.js";
import { holdAddress } from "../../lib/router.js";
import { useLoaded } from "../shared/data.js";
import { useAction } from "./dialogs.js";
import { KeyFields } from "./form.js";
import { budgetText, limitTexts, messageFor, toFields, toNewKey } from "./settings.js";

const LOSES_KEY = "The key will not be shown again.";
const LOSES_TEXT = "Your input will be lost.";

/** @param {{ onCreated: () => void }} props called after a key has been created */
export function CreatePage({ onCreated, teams }) {
  const [fields, setFields] = useState(toFields);
  const [created, setCreated] = useState(undefined);
  const isTyped = JSON.stringify(fields) !== JSON.stringify(toFields());
  const { isBusy, error, start } = useAction(async () => {
    setCreated(await getJson("/v1/admin/keys", { body: toNewKey(fields) }));
    onCreated();
  });
  if (created !== undefined) return html`<${HandOver} entry=${created} />`;
  const submitByKeys = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) start(event);
  };
  return html`
    <${Crumb} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${isTyped && html`<${LeaveQuestion} text=${LOSES_TEXT} />`}
    <form class="stack key-page" onSubmit=${start} onKeyDown=${submitByKeys}>
      <${KeyFields} fields=${fields} onChange=${setFields} isNew=${true} knownTeams=${teams} />
      <${ErrorBox} error=${error} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${isBusy}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `;
}

/** The URL of a key's page. */
export function Crumb({ text }) {
  return html`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${text}</span>
    </nav>
  `;
}

/** Asks for confirmation before the page is left by a link, Back, or closing the tab. */
function LeaveQuestion({ text }) {
  const [wanted, setWanted] = useState(undefined);
  const release = useRef(() => {});
  useEffect(() => {
    release.current = holdAddress(setWanted);
    const stay = (event) => event.preventDefault();
    addEventListener("beforeunload", stay);
    return () => {
      release.current();
      removeEventListener("beforeunload", stay);
    };
  }, []);
  if (wanted === undefined) return null;
  const leave = () => {
    release.current();
    location.hash = wanted;
  };
  return html`
    <${Dialog} title="Leave this page?" onClose=${() => setWanted(undefined)} class="narrow"
      isHeld=${true}>
      <p>${text}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${() => setWanted(undefined)}>Stay</button>
        <button type="button" class="danger" onClick=${leave}>Leave</button>
      </div>
      <//>
  `;
}

/** The text of a key is only in the memory of this page, until the user has copied it. */
function HandOver({ entry }) {
  const { expires, key, limits, models, name, note, owner, team } = entry;
  const facts = [
    ["Team", team],
    ["Owner", owner],
    ["Note", note],
    ["Models", models === null ? "all" : models.join(", ")],
    ["Budget", entry.budget === null ? "none" : budgetText(entry.budget)],
    ["Limits", limitTexts(limits).join(", ") || "default"],
    ["Expires", expires === null ? "never" : new Date(expires * 1000).toISOString().slice(0, 10)],
  ].filter(([, value]) => value !== null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (isCopied) location.hash = "#/keys";
  }, [isCopied]);
  return html`
    ${!isCopied && html`<${LeaveQuestion} text=${LOSES_KEY} />`}
    <${Crumb} text=${name} />
    <header class="view-head">
      <div class="view-title">
        <h1>Hand over “${name}”</h1>
        <p class="soft">
        The key works now. The gateway stores only a hash of it, so its text is shown here once and
        never again.
      </p>
      </div>
    </header>
    <div class="hand-over">
      <div class="stack wide">
        <section class="stack" aria-label="The key">
          <h2>1. The key</h2>
          <div class="row key-text">
            <code class="wrap-anywhere" data-secret="key">${key}</code>
            <${CopyButton} text=${key} label="Copy key" class="primary" />
          </div>
        </section>
        <${ClientSettings} keyText=${key} />
        <${Message} entry=${entry} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${FactList} facts=${facts} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${() =>
          setCopied(true)}>I have copied it</button>
        <p class="small soft">This button closes the page; Back and links ask first.</p>
      </aside>
    </div>
  `;
}

/** The settings of a client, with the key in place of its variable. */
function ClientSettings({ keyText }) {
  const [id, setId] = useState("");
  const query = new URLSearchParams({ os: systemOf(), origin: location.origin });
  const { data, error } = useLoaded(
    (signal) => getJson(`/v1/clients?${query}`, { key: keyText, signal }),
    [keyText],
  );
  const client = data?.data.find((one) => one.id === id) ?? data?.data[0];
  return html`
    <section class="stack" aria-label="Settings of the client">
      <h2>2. Settings of the client</h2>
      <${ErrorBox} error=${error} title="The settings cannot be shown" />
      ${data?.data.length === 0 && html`
        <p class="soft">The key may use no model that answers chats.</p>
      `}
      ${client !== undefined && html`
        <label class="row">Client
          <select value=${client.id} onChange=${(event) => setId(event.target.value)}>
            ${data.data.map((one) =>
              html`<option key=${one.id} value=${one.id}>${one.title}</option>`
            )}
          </select>
        </label>
        ${textsOf(client, keyText).map(({ title, text }) =>
          html`
            <div key=${title} class="stack">
              <div class="row spread"><code>${title}</code>
                <${CopyButton} text=${text} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${title}>${text}</pre>
            </div>
          `
        )}
      `}
    </section>
  `;
}

function textsOf({ files, steps }, keyText) {
  const name = "SLUICE_API_KEY";
  const isWindows = systemOf() === "windows";
  const variable = isWindows ? `setx ${name} ${keyText}` : `export ${name}=${keyText}`;
  return [
    { title: "Key in the environment", text: variable },
    ...files.map(({ path, text }) => ({ title: path, text })),
    ...steps.length === 0 ? [] : [{ title: "Steps", text: steps.join("\n") }],
  ];
}

function systemOf() {
  const { platform } = navigator;
  return /^win/i.test(platform) ? "windows" : /^mac/i.test(platform) ? "darwin" : "linux";
}

function Message({ entry }) {
  const [hasKey, setHasKey] = useState(false);
  const text = messageFor(entry, { origin: location.origin, hasKey });
  return html`
    <section class="stack" aria-label="A message to send">
      <div class="row spread">
        <h2>3. A message to send</h2>
        <label class="check">
          <input type="checkbox" checked=${hasKey} onChange=${() => setHasKey(!hasKey)} />
          with the key in it
        </label>
        <${CopyButton} text=${text} label="Copy message" class="small" />
      </div>
      <pre class="code-box" tabindex="0" aria-label="Message">${text}</pre>
    </section>
  `;
}
