/** The playground: a conversation with models, or images, audio and rankings of them. */

import { html, useEffect, useMemo, useState } from "../../lib/preact.js";
import { Choices, ErrorBox } from "../../lib/components.js";
import { purposeOf } from "../../lib/models.js";
import { isSignedIn, onSessionChange, serviceKey } from "../../lib/session.js";
import { SignIn } from "../../lib/sign_in.js";
import { useRetry } from "../shared/data.js";
import { addColumn, isRunning } from "./actions.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { CopyDialog } from "./copy_dialog.js";
import { forgetPlayground, keepPlayground } from "./kept.js";
import { MEDIA } from "./media.js";
import { MediaPanel } from "./media_panel.js";
import { ModelColumns } from "./model_columns.js";
import { useModels } from "./model_list.js";
import { Receipt } from "./receipt_panel.js";
import { SettingsPanel } from "./settings_panel.js";
import { usePlayground } from "./hooks.js";
import { getState, MAX_COLUMNS, resetState, setMedia, setState } from "./store.js";

// The conversation belongs to the signed-in user, even if a revoked key was replaced.
onSessionChange(() => {
  if (isSignedIn()) return;
  resetState();
  forgetPlayground();
});
keepPlayground();

export default function Playground({ route }) {
  if (serviceKey() === "") {
    return html`
      <p class="notice">The playground needs a service key.</p>
      <${SignIn} />
    `;
  }
  return html`<${SignedIn} named=${route.query.get("model")} />`;
}

/** The panels. On a phone, one is shown at a time, otherwise the conversation and another one. */
const PANELS = [["chat", "Messages"], ["settings", "Parameters"], ["receipt", "Receipt"]];

/** The available kinds of requests, depending on the models of the key. */
const KINDS = [["chat", "Chat"], ...[...MEDIA].map(([kind, { title }]) => [kind, title])];

function SignedIn({ named }) {
  const state = usePlayground();
  const { models: all, error, isLoading, reload } = useModels();
  useRetry(error ?? undefined, reload);
  const byKind = useMemo(() => Map.groupBy(all, purposeOf), [all]);
  const models = useMemo(() => byKind.get("chat") ?? [], [byKind]);
  const [refused, setRefused] = useState("");
  useEffect(() => {
    if (!named || all.length === 0) return;
    history.replaceState(null, "", "#/playground");
    setRefused(chooseNamed(named, all) ? "" : named);
  }, [named, all]);
  useEffect(() => chooseFirst(models), [models]);
  const kinds = KINDS.filter(([id]) => byKind.has(id) || (id === "chat" && all.length === 0));
  const kind = kinds.some(([id]) => id === state.kind) ? state.kind : kinds[0]?.[0] ?? "chat";
  return html`
    <div class="playground" data-panel=${state.panel} data-kind=${kind}>
      <${Head} ...${{ kind, kinds, models, state, error, reload }} />
      ${refused !== "" && html`
        <p class="notice" role="status">
          There is nothing to try with ${refused}: it is for embeddings or moderation.
        </p>
      `}
      ${kind === "chat" ? html`<${Chat} ...${{ state, models, isLoading }} />` : html`
        <${MediaPanel} key=${kind} kind=${kind} entry=${state.media[kind]}
          models=${byKind.get(kind)} />
      `}
    </div>
  `;
}

function Head({ kind, kinds, models, state, error, reload }) {
  const { columns, panel } = state;
  const [isCopying, setCopying] = useState(false);
  return html`
    <header class="playground-head">
      <h1>Playground</h1>
      ${kinds.length > 1 && html`
        <${Choices} label="Kind" value=${kind} options=${kinds} onChange=${(chosen) =>
          setState({ kind: chosen })} />
      `}
      <span class="grow"></span>
      ${kind === "chat" && html`
        <button
          type="button"
          aria-keyshortcuts="Alt+Shift+C"
          title="Compare with another model"
          disabled=${columns.length >= MAX_COLUMNS || isRunning(state)}
          onClick=${() => addColumn(models)}
        >Compare</button>
      `}
      <button type="button" aria-keyshortcuts="Alt+Shift+Y" onClick=${() => setCopying(true)}>
        Copy as
      </button>
      ${kind === "chat" && html`
        <${Choices} label="Panel" value=${panel} options=${PANELS} onChange=${(chosen) =>
          setState({ panel: chosen })} />
      `}
      ${error && html`
        <div class="stack">
          <${ErrorBox} error=${error} title="Cannot load the models" />
          <p><button type="button" onClick=${reload}>Try again</button></p>
        </div>
      `}
      ${isCopying && html`
        <${CopyDialog} state=${state} kind=${kind} onClose=${() => setCopying(false)} />
      `}
    </header>
  `;
}

function Chat({ state, models, isLoading }) {
  const { columns, panel, parameters, selected, stream, streamUsage, system, tools } = state;
  // Typing a message does not render the parts that do not depend on it.
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
    <section class="chat-panel" aria-label="Conversation">
      ${pickers}
      <${Conversation} state=${state} isLoading=${isLoading} />
      <${Composer} state=${state} />
    </section>
    <aside class="side-panel" aria-label=${panel === "receipt" ? "Receipt" : "Parameters"}>
      ${panel === "receipt" ? receipt : settings}
    </aside>
  `;
}

/** Notes about the answers next to the parameters: ignored parameters, and the comparison. */
function notesOf({ columns, turns }) {
  const notes = columns.flatMap(({ id, model }) => {
    const ignored = turns.at(-1)?.runs.get(id)?.at(-1)?.headers?.ignored ?? [];
    return ignored.length === 0 ? [] : [`${model} ignores ${ignored.join(", ")}.`];
  });
  if (columns.length > 1) notes.push("A new column begins with the first one's history.");
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

/** Chooses the model in a link. @returns whether it is available */
function chooseNamed(model, models) {
  const facts = models.find(({ id }) => id === model || model.startsWith(`${id}@`));
  const purpose = facts === undefined ? "chat" : purposeOf(facts);
  if (MEDIA.has(purpose)) {
    setState({ kind: purpose });
    setMedia(purpose, { model });
    return true;
  }
  if (purpose !== "chat") return false;
  const [first, ...others] = getState().columns;
  setState({ kind: "chat", columns: [{ ...first, model }, ...others] });
  return true;
}

/** The first model is selected until the user chooses another. */
function chooseFirst(models) {
  const { columns } = getState();
  const [first] = models;
  if (first === undefined || columns.some(({ model }) => model !== "")) return;
  setState({ columns: columns.map((column) => ({ ...column, model: first.id })) });
}
