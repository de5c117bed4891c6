/** The playground: a conversation with models, and beside it the parameters or a receipt. */

import { html, useEffect, useMemo, useState } from "../../lib/preact.js";
import { Choices, ErrorBox } from "../../lib/components.js";
import { purposeOf } from "../../lib/models.js";
import { isSignedIn, onSessionChange, serviceKey } from "../../lib/session.js";
import { SignIn } from "../../lib/sign_in.js";
import { useRetry } from "../shared/data.js";
import { addColumn } from "./actions.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { CopyDialog } from "./copy_dialog.js";
import { forgetPlayground, keepPlayground } from "./kept.js";
import { ModelColumns } from "./model_columns.js";
import { useModels } from "./model_list.js";
import { Receipt } from "./receipt_panel.js";
import { SettingsPanel } from "./settings_panel.js";
import { getState, MAX_COLUMNS, resetState, setState, usePlayground } from "./store.js";

// The conversation belongs to the person who signed in, also with another key after a revoked one.
onSessionChange(() => {
  if (isSignedIn()) return;
  resetState();
  forgetPlayground();
});
keepPlayground();

export default function Playground({ route }) {
  const named = route.query.get("model");
  useEffect(() => chooseNamed(named), [named]);
  if (serviceKey() === "") {
    return html`
      <p class="notice">The playground needs a service key.</p>
      <${SignIn} />
    `;
  }
  return html`<${SignedIn} />`;
}

/** The panels; on a phone one is shown at a time, else the conversation and one of the others. */
const PANELS = [["chat", "Chat"], ["settings", "Parameters"], ["receipt", "Receipt"]];

function SignedIn() {
  const state = usePlayground();
  const { models: all, error, isLoading, reload } = useModels();
  useRetry(error ?? undefined, reload);
  const models = useMemo(() => all.filter((model) => purposeOf(model) === "chat"), [all]);
  useEffect(() => chooseFirst(models), [models]);
  const [isCopying, setCopying] = useState(false);
  const { columns, panel, parameters, selected, stream, streamUsage, system, tools } = state;
  // What does not depend on the message is not rendered again while a person writes it.
  const notes = notesOf(state).join("\n");
  const settings = useMemo(
    () => html`<${SettingsPanel} state=${state} notes=${notes.split("\n").filter(Boolean)} />`,
    [parameters, stream, streamUsage, system, tools, notes],
  );
  const pickers = useMemo(
    () => html`<${ModelColumns} columns=${columns} models=${models} />`,
    [columns, models],
  );
  const receipt = useMemo(() => html`<${ReceiptPanel} run=${selected} />`, [selected]);
  return html`
    <div class="playground" data-panel=${panel}>
      <header class="playground-head">
        <h1>Playground</h1>
        <span class="grow"></span>
        <button
          type="button"
          aria-keyshortcuts="Alt+Shift+C"
          title="Compare with another model"
          disabled=${columns.length >= MAX_COLUMNS}
          onClick=${() => addColumn(models)}
        >Compare</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+Y" onClick=${() => setCopying(true)}>
          Copy as
        </button>
        <${Choices}
          label="Panel"
          value=${panel}
          options=${PANELS}
          onChange=${(chosen) => setState({ panel: chosen })}
        />
      </header>
      <section class="chat-panel" aria-label="Conversation">
        ${error && html`
          <div class="padded stack">
            <${ErrorBox} error=${error} title="Cannot load the models" />
            <button type="button" onClick=${reload}>Try again</button>
          </div>
        `}
        ${pickers}
        <${Conversation} state=${state} isLoading=${isLoading} />
        <${Composer} state=${state} />
      </section>
      <aside class="side-panel" aria-label=${panel === "receipt" ? "Receipt" : "Parameters"}>
        ${panel === "receipt" ? receipt : settings}
      </aside>
      ${isCopying && html`<${CopyDialog} state=${state} onClose=${() => setCopying(false)} />`}
    </div>
  `;
}

/** What to know about the answers beside the parameters: what was ignored, and what is compared. */
function notesOf({ columns, turns }) {
  const notes = columns.flatMap(({ id, model }) => {
    const ignored = turns.at(-1)?.runs.get(id)?.at(-1)?.headers?.ignored ?? [];
    return ignored.length === 0 ? [] : [`${model} ignores ${ignored.join(", ")}.`];
  });
  if (columns.length > 1) notes.push("A new column begins with the history of the first one.");
  return notes;
}

function ReceiptPanel({ run }) {
  if (run === null) {
    return html`
      <div class="empty">
        <p>The receipt of an answer: what was ignored, converted and added, by which rule, and the
          request to the vendor.</p>
        <p class="hint"><kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>Enter</kbd> shows it without sending.</p>
      </div>
    `;
  }
  return html`
    <div class="receipt">
      <${Receipt} key=${run.id} run=${run} />
    </div>
  `;
}

/** Chooses the model that a link names. A reload keeps what the person chooses afterwards. */
function chooseNamed(model) {
  if (!model) return;
  history.replaceState(null, "", "#/playground");
  const [first, ...others] = getState().columns;
  setState({ columns: [{ ...first, model }, ...others] });
}

/** The first model is chosen until the person chooses another. */
function chooseFirst(models) {
  const { columns } = getState();
  const [first] = models;
  if (first === undefined || columns.some(({ model }) => model !== "")) return;
  setState({ columns: columns.map((column) => ({ ...column, model: first.id })) });
}
