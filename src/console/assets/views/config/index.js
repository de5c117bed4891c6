/** The configuration: view, check while editing, save, and roll back. */

import { html, useEffect, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { CopyButton, ErrorBox, FactList, Loading } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { useLoaded, useSession } from "../shared/data.js";
import { NeedsAdminKey, ViewHead } from "../shared/parts.js";
import { saveFile } from "../shared/save_file.js";
import { fullTime } from "../shared/times.js";
import { ChangeTable, ProblemList } from "./changes.js";
import { Editor } from "./editor.js";
import { Forms } from "./forms.js";
import { ProviderTests } from "./provider_tests.js";
import { SaveDialog, VersionDialog } from "./save_dialog.js";

/** Milliseconds after the last keystroke until a text is checked. */
const CHECK_MS = 600;

/** The edited text, while the page is open. It is not stored, since it may contain a secret. */
let draft;

export default function Config() {
  const { hasAdmin } = useSession();
  return html`
    <div class="view" data-view="config">
      ${hasAdmin ? html`<${Page} />` : html`
        <${ViewHead} title="Config" />
        <${NeedsAdminKey} what="The configuration needs an admin key." />
      `}
    </div>
  `;
}

function Page() {
  const { data: config, error, reload, setData } = useLoaded(
    (signal) => getJson("/v1/admin/config", { signal }),
    [],
  );
  if (!config) {
    return html`
      <${ViewHead} title="Config" />
      <${ErrorBox} error=${error} title="The configuration cannot be shown" />
      ${!error && html`<${Loading} text="Loading the configuration" />`}
    `;
  }
  return html`<${Loaded} config=${config} onReload=${reload} onConfig=${setData} />`;
}

function Loaded({ config, onReload, onConfig }) {
  // An invalid file is shown, because it must be repaired.
  const base = config.file_text ?? config.text;
  const [text, setText] = useState(draft ?? base);
  const [opened, setOpened] = useState(undefined);
  const [note, setNote] = useState("");
  const isEdited = text !== base;
  const edit = (next) => {
    draft = next;
    setText(next);
    setNote("");
  };
  useEffect(() => {
    if (!isEdited) draft = undefined;
    const ask = (event) => isEdited && event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isEdited]);
  // External changes of the file are shown unless the text has been edited.
  useEffect(() => {
    if (draft === undefined) setText(base);
  }, [base]);

  const saved = (next) => {
    draft = undefined;
    setText(next.file_text ?? next.text);
    onConfig(next);
    setOpened(undefined);
    setNote(next.valid ? "Saved and in use." : "Saved, but not in use.");
  };
  return html`
    <${ViewHead} title="Config" note=${config.source}>
      <button type="button" onClick=${onReload} aria-keyshortcuts="Alt+Shift+R">
        <${Icon} name="retry" /> Refresh
      </button>
      <${CopyButton} text=${() => text} label="Copy" class="" />
      <button type="button" onClick=${() => saveFile("config.yaml", text, "application/yaml")}>
        Download
      </button>
      <button type="button" disabled=${!isEdited} onClick=${() => edit(base)}>Discard</button>
      <button
        type="button"
        class="primary"
        disabled=${!isEdited}
        aria-keyshortcuts="Alt+Shift+S"
        onClick=${() => setOpened({ type: "save" })}
      >${config.editable ? "Review and save" : "Review the changes"}</button>
    <//>
    <${State} config=${config} text=${text} onEdit=${edit} />
    <p role="status" class=${note === "" ? "only-read" : "row"}>
      ${note !== "" && html`<span class="badge good">saved</span> ${note}`}
    </p>
    <${Workbench} text=${text} loadedAt=${config.loaded_at} isEdited=${isEdited} onEdit=${edit} />
    <${Versions} versions=${config.versions} onOpen=${(version) =>
      setOpened({ type: "version", version })} />
    <${ProviderTests} />
    ${opened?.type === "save" && html`
      <${SaveDialog}
        ...${{ config, base, text }}
        onSaved=${saved}
        onReload=${() => {
          onReload();
          setOpened(undefined);
        }}
        onClose=${() => setOpened(undefined)}
      />
    `}
    ${opened?.type === "version" && html`
      <${VersionDialog}
        version=${opened.version}
        base=${base}
        onUse=${(earlier) => {
          edit(earlier);
          setOpened(undefined);
        }}
        onClose=${() => setOpened(undefined)}
      />
    `}
  `;
}

/** Whether the file is in use, when it was loaded, and whether it can be saved here. */
function State({ config, text, onEdit }) {
  const facts = [
    ["In use since", fullTime(config.loaded_at)],
    ["File", config.valid ? "in use" : "not in use"],
    ["Saving here", config.editable ? "possible" : "not possible"],
  ];
  return html`
    <section class="card padded stack" aria-label="State">
      <${FactList} class="config-state" facts=${facts} />
      ${!config.editable && html`
        <p class="soft">${config
          .read_only_reason}. Edit the text here, then copy or download it.</p>
      `}
    </section>
    ${!config.valid && html`
      <section class="banner bad" aria-labelledby="stale-title">
        <h2 id="stale-title">The file is not used</h2>
        <p>${config.reason}. The gateway uses the configuration before.</p>
        <ul class="faults">
          ${config.faults.map((fault, index) => html`<li key=${index}>${fault}</li>`)}
        </ul>
        ${config.file_text !== null && text !== config.text && html`
          <p>
            <button type="button" onClick=${() => onEdit(config.text)}>
              Edit the text that is in use
            </button>
          </p>
        `}
      </section>
    `}
  `;
}

/** The editor, with problems, forms and changes next to it. */
function Workbench({ text, loadedAt, isEdited, onEdit }) {
  const { data: schema } = useLoaded(
    (signal) => getJson("/v1/admin/config/schema", { signal }),
    [],
  );
  const { check, error, isChecking } = useCheck(text, loadedAt);
  const [target, setTarget] = useState(undefined);
  return html`
    <div class="config-workbench">
      <div class="stack config-side">
        <section class="card padded stack" aria-labelledby="problems-title">
          <div class="row spread">
            <h2 id="problems-title">Problems</h2>
            <div role="status">${isChecking && html`<${Loading} text="Checking" />`}</div>
          </div>
          <${ErrorBox} error=${error} title="Not checked" />
          ${check && html`
            <${ProblemList} check=${check} onGo=${(problem) => setTarget({ ...problem })} />
            ${check.unread.length > 0 && html`
              <p class="hint">
                New references are read when the file is loaded: ${check.unread.join(", ")}
              </p>
            `}
          `}
        </section>
        <${Forms}
          text=${text}
          schema=${schema}
          onEdit=${onEdit}
          onGo=${(place) => setTarget({ ...place })}
        />
        <section class="card titled" aria-labelledby="changes-title">
          <h2 id="changes-title">Changes</h2>
          <div class="config-change-list">
            ${check && (isEdited || check.changes.length > 0)
              ? html`<${ChangeTable} check=${check} />`
              : html`<p class="soft">None yet.</p>`}
          </div>
        </section>
      </div>
      <div class="stack config-text">
        <${Editor}
          text=${text}
          schema=${schema}
          problems=${check?.problems ?? []}
          target=${target}
          onInput=${onEdit}
        />
        <p class="hint" id="config-keys">
          Ctrl Space suggests names and values. Values such as <code>hidden-…</code> stand for
          secrets, which stay as they are.
        </p>
      </div>
    </div>
  `;
}

/** Checks a text against the current configuration, shortly after the last keystroke. */
function useCheck(text, loadedAt) {
  const [state, setState] = useState({});
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState((before) => ({ ...before, isChecking: true }));
    const timer = setTimeout(() => {
      getJson("/v1/admin/config/check", { body: { text }, signal }).then(
        (check) => signal.aborted || setState({ check }),
        (error) => signal.aborted || setState({ error }),
      );
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, loadedAt]);
  return state;
}

function Versions({ versions, onOpen }) {
  return html`
    <section class="card padded stack" aria-labelledby="versions-title">
      <h2 id="versions-title">History</h2>
      ${versions.length === 0
        ? html`<p class="soft">Nothing yet: a text that is replaced here is kept.</p>`
        : html`
          <ul class="config-versions">
            ${versions.map((version) =>
              html`
                <li key=${version.id}>
                  <button type="button" class="link" onClick=${() => onOpen(version)}>
                    ${fullTime(version.replaced_at)}
                  </button>
                  <span class="soft">replaced by ${version.by}</span>
                  ${version.reason && html`<span class="wrap-anywhere">${version.reason}</span>`}
                </li>
              `
            )}
          </ul>
        `}
    </section>
  `;
}
