/** The playground: settings, conversation and receipt beside each other. */

import { html, useEffect, useMemo } from "../../lib/preact.js";
import { Choices, ErrorBox } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { isForEmbeddings, useModels } from "../../lib/models.js";
import { isSignedIn, onSessionChange, serviceKey } from "../../lib/session.js";
import { SignIn } from "../../lib/sign_in.js";
import { useRetry } from "../shared/data.js";
import { addColumn } from "./actions.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { forgetPlayground, keepPlayground } from "./kept.js";
import { ModelColumns } from "./model_columns.js";
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

/** On a narrow window one panel is shown at a time. */
const PANELS = [["settings", "Settings"], ["chat", "Chat"], ["receipt", "Receipt"]];

function SignedIn() {
  const state = usePlayground();
  const { models: all, error, isLoading, reload } = useModels();
  useRetry(error ?? undefined, reload);
  const models = useMemo(() => all.filter((model) => !isForEmbeddings(model)), [all]);
  useEffect(() => chooseFirst(models), [models]);
  // What does not depend on the message is not rendered again while a person writes it.
  const { columns, parameters, selected, stream, streamUsage, system, tools } = state;
  const settings = useMemo(
    () => html`<${SettingsPanel} state=${state} />`,
    [parameters, stream, streamUsage, system, tools],
  );
  const pickers = useMemo(
    () =>
      html`
        <div class="toolbar">
          <button
            type="button"
            class="quiet"
            aria-keyshortcuts="Alt+Shift+C"
            title="Compare with another model"
            disabled=${columns.length >= MAX_COLUMNS}
            onClick=${() => addColumn(models)}
          ><${Icon} name="add" />Compare</button>
        </div>
        <${ModelColumns} columns=${columns} models=${models} />
      `,
    [columns, models],
  );
  const receipt = useMemo(() => html`<${ReceiptPanel} run=${selected} />`, [selected]);
  return html`
    <div class="playground" data-panel=${state.panel}>
      <h1 class="only-read">Playground</h1>
      <div class="panel-switch">
        <${Choices}
          label="Panel"
          value=${state.panel}
          options=${PANELS}
          onChange=${(panel) => setState({ panel })}
        />
      </div>
      <section class="panel settings-panel" aria-label="Settings">
        ${settings}
      </section>
      <section class="panel chat-panel" aria-label="Conversation">
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
      <section class="panel receipt-panel" aria-label="Receipt">
        ${receipt}
      </section>
    </div>
  `;
}

/** What the right panel shows. */
function ReceiptPanel({ run }) {
  if (run === null) {
    return html`
      <div class="empty">
        <p>The receipt of a request appears here: what was ignored, converted and added, by which
          rule, and the vendor's request.</p>
        <p class="hint"><kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>Enter</kbd> shows it without sending.</p>
      </div>
    `;
  }
  return html`<${Receipt} key=${run.id} run=${run} />`;
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
