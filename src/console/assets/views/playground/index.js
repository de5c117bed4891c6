/** The playground: settings, conversation and receipt beside each other. */

import { html, useCallback, useEffect, useMemo, useState } from "../../lib/preact.js";
import { Choices, ErrorBox } from "../../lib/components.js";
import { isForEmbeddings, useModels } from "../../lib/models.js";
import { isSignedIn, onSessionChange, serviceKey } from "../../lib/session.js";
import { SignIn } from "../../lib/sign_in.js";
import { useRetry } from "../shared/data.js";
import { lazy } from "./compare/lazy.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { forgetPlayground, keepPlayground } from "./kept.js";
import { ModelColumns } from "./model_columns.js";
import { SettingsPanel } from "./settings_panel.js";
import { Toolbar } from "./toolbar.js";
import { getState, resetState, setState, usePlayground } from "./store.js";

const LibraryDialog = lazy(() => import("./library_dialog.js"), "LibraryDialog", true);
const LinkDialog = lazy(() => import("./link_dialog.js"), "LinkDialog", true);
const Receipt = lazy(() => import("./receipt_panel.js"), "Receipt");
const Embeddings = lazy(() => import("./apis/embeddings_panel.js"), "EmbeddingsPanel");

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
  return html`
    <${SignedIn} />
    <${OpenedLink} route=${route} />
  `;
}

/** A conversation in the address is offered once. */
function OpenedLink({ route }) {
  const [packed, setPacked] = useState(null);
  useEffect(() => {
    const given = route.query.get("open");
    if (given === null) return;
    history.replaceState(null, "", "#/playground");
    setPacked(given);
  }, [route]);
  if (packed === null) return null;
  return html`<${LinkDialog} packed=${packed} onClose=${() => setPacked(null)} />`;
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
  const [hasLibrary, setLibrary] = useState(false);
  const openLibrary = useCallback(() => setLibrary(true), []);
  const {
    api,
    columns,
    folded,
    parameters,
    runCount,
    selected,
    stream,
    streamUsage,
    system,
    tools,
  } = state;
  const settings = useMemo(
    () =>
      api === "embeddings"
        ? html`<p class="padded hint">Embeddings have no settings besides those in the middle.</p>`
        : html`<${SettingsPanel} state=${state} />`,
    [api, parameters, stream, streamUsage, system, tools],
  );
  const pickers = useMemo(
    () =>
      html`
        <${Toolbar} ...${{ api, columns, folded, models, runCount }} onLibrary=${openLibrary} />
        ${api !== "embeddings" && html`<${ModelColumns} columns=${columns} models=${models} />`}
      `,
    [api, columns, folded, models, runCount],
  );
  const receipt = useMemo(() => html`<${ReceiptPanel} run=${selected} />`, [selected]);
  return html`
    <div class="playground" data-panel=${state.panel} data-folded=${folded.join(" ")}>
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
        ${api === "embeddings" ? html`<${Embeddings} state=${state} models=${all} />` : html`
          <${Conversation} state=${state} models=${models} isLoading=${isLoading} />
          <${Composer} state=${state} />
        `}
      </section>
      <section class="panel receipt-panel" aria-label="Receipt">
        ${receipt}
      </section>
      ${hasLibrary && html`<${LibraryDialog} onClose=${() => setLibrary(false)} />`}
    </div>
  `;
}

/** What the right panel shows. */
function ReceiptPanel({ run }) {
  if (run === null) {
    return html`
      <div class="empty">
        <p>The receipt of a request appears here: what was ignored, converted and added, by which
          rule, the vendor's request as it was sent, and every attempt.</p>
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
