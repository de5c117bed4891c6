/** Saves and opens conversations and settings: in this browser, as a file, as a link. */

import { html, useRef, useState } from "../../lib/preact.js";
import { copyText } from "../../lib/clipboard.js";
import { Dialog, IconButton } from "../../lib/components.js";
import { adminKey, serviceKey } from "../../lib/session.js";
import { saveFile } from "../shared/save_file.js";
import { openPortable } from "./actions.js";
import { packLink } from "./conversation_link.js";
import { MAX_NAME_CHARS, readLibrary, removeEntry, saveAll, saveEntry } from "./library.js";
import { merged, readLibraryFile, toLibraryFile } from "./library_file.js";
import { MAX_CHARS, readPortable, toPortable } from "./portable.js";
import { getState } from "./store.js";

/** Keys that this gateway makes. */
const MADE_KEY = /\bsk-sluice-[\w-]{8}/;

/** The state as text. @throws {RangeError} if it contains a key */
function currentText(options) {
  return withoutKey(toPortable(getState(), options));
}

/** A text that may leave the tab. @throws {RangeError} if it contains a key */
function withoutKey(text) {
  const keys = [serviceKey(), adminKey()].filter((key) => key !== "")
    .map((key) => JSON.stringify(key).slice(1, -1));
  if (MADE_KEY.test(text) || keys.some((key) => text.includes(key))) {
    throw new RangeError("It contains a key of this gateway: remove the key first");
  }
  return text;
}

export function LibraryDialog({ onClose }) {
  const [entries, setEntries] = useState(readLibrary);
  const [fault, setFault] = useState("");
  const [done, setDone] = useState("");
  const attempt = async (act) => {
    setFault("");
    setDone("");
    try {
      setDone(await act() ?? "");
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      setFault(thrown.message);
    }
  };
  const open = (text) =>
    attempt(() => {
      const library = readLibraryFile(text);
      if (library !== undefined) return add(library);
      const read = readPortable(text);
      if (read.error !== undefined) throw new RangeError(read.error);
      openPortable(read);
      onClose();
    });
  const add = (library) => {
    if (library.error !== undefined) throw new RangeError(library.error);
    const { entries, count } = merged(readLibrary(), library.entries);
    const wrong = saveAll(entries);
    if (wrong !== "") throw new RangeError(wrong);
    setEntries(readLibrary());
    return count === 0 ? "All of them were there" : `${count} added: nothing was replaced`;
  };
  const exportAll = () =>
    attempt(() => {
      const text = withoutKey(toLibraryFile(readLibrary()));
      saveFile("playground.json", text, "application/json");
    });
  const save = (name, options) =>
    attempt(() => {
      const wrong = saveEntry(name, currentText(options));
      if (wrong !== "") throw new RangeError(wrong);
      setEntries(readLibrary());
      return `'${name}' is saved`;
    });
  const remove = (name) => {
    removeEntry(name);
    setEntries(readLibrary());
  };
  return html`
    <${Dialog} title="Save and open" onClose=${onClose}>
      <div class="stack">
        <${Saving} save=${save} />
        <${Entries} entries=${entries} open=${open} remove=${remove} />
        <${Sharing}
          attempt=${attempt}
          open=${open}
          exportAll=${entries.length > 0 && exportAll}
        />
        ${fault !== "" && html`<p class="fault" role="alert">${fault}</p>`}
        <p class="hint" role="status">${done}</p>
      </div>
      <//>
  `;
}

function Saving({ save }) {
  const [name, setName] = useState("");
  const trimmed = name.trim();
  return html`
    <div class="field">
      <label for="library-name">Save in this browser as</label>
      <div class="row">
        <input
          id="library-name"
          class="grow"
          autocomplete="off"
          maxlength=${MAX_NAME_CHARS}
          aria-describedby="library-note"
          value=${name}
          onInput=${(event) => setName(event.target.value)}
        />
        <button type="button" disabled=${trimmed === ""} onClick=${() => save(trimmed)}>
          Save the conversation
        </button>
        <button type="button" disabled=${trimmed === ""} onClick=${() =>
          save(trimmed, { onlySettings: true })}>
          Save the settings
        </button>
      </div>
      <p id="library-note" class="hint">
        It stays in this browser, also after signing out. Other persons who use this browser can read it.
      </p>
    </div>
  `;
}

function Entries({ entries, open, remove }) {
  if (entries.length === 0) return null;
  return html`
    <ul class="library" aria-label="Saved in this browser">
      ${entries.map(({ name, time, text }) =>
        html`
          <li class="row" key=${name}>
            <button type="button" class="quiet grow wrap-anywhere" onClick=${() => open(text)}>
              ${name}
            </button>
            <span class="faint small">${new Date(time).toLocaleDateString()}</span>
            <${IconButton}
              icon="clear"
              class="small"
              label=${`Remove '${name}'`}
              onClick=${() => remove(name)}
            />
          </li>
        `
      )}
    </ul>
  `;
}

function Sharing({ attempt, open, exportAll }) {
  const picker = useRef(null);
  const exportFile = () =>
    attempt(() => saveFile("conversation.json", currentText(), "application/json"));
  const copyLink = () =>
    attempt(async () => {
      const packed = await packLink(currentText());
      if (packed === undefined) {
        throw new RangeError("The conversation is too long for a link: export a file instead");
      }
      const link = `${location.origin}${location.pathname}#/playground?open=${packed}`;
      if (!await copyText(link)) throw new RangeError("The link cannot be copied");
      return "The link is copied. Everyone who has it can read the conversation.";
    });
  const importFile = async (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file === undefined) return;
    if (file.size > MAX_CHARS) {
      attempt(() => Promise.reject(new RangeError("The file is too large")));
    } else await open(await file.text());
  };
  return html`
    <div class="row">
      <button type="button" onClick=${exportFile}>Export a file</button>
      ${exportAll && html`
        <button type="button" onClick=${exportAll}>Export all that is saved</button>
      `}
      <button type="button" onClick=${() => picker.current.click()}>Import a file</button>
      <button type="button" onClick=${copyLink}>Copy a link</button>
      <input
        ref=${picker}
        type="file"
        class="only-read"
        tabindex="-1"
        aria-label="File to import"
        accept=".json,application/json"
        onChange=${importFile}
      />
    </div>
    <p class="hint">
      Opening replaces the conversation and the settings, and sends nothing. A file of all that is saved
      is added to what is here. What contains a key of this gateway is not saved.
    </p>
  `;
}
