/** Shows the changes of a text before it is saved; and earlier versions. */

import { html, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Dialog, ErrorBox, Loading, useElementId } from "../../lib/components.js";
import { useLoaded } from "../shared/data.js";
import { fullTime } from "../shared/times.js";
import { ChangeTable, LineDiff, ProblemList } from "./changes.js";

/**
 * @param {{ config: object, base: string, text: string, onSaved: (config: object) => void,
 *   onReload: () => void, onClose: () => void }} props `base` is the text of the file
 */
export function SaveDialog({ config, base, text, onSaved, onReload, onClose }) {
  const { data: check, error: checkError } = useLoaded(
    (signal) => getJson("/v1/admin/config/check", { body: { text }, signal }),
    [text],
  );
  const [state, setState] = useState({});
  const [reason, setReason] = useState("");
  const reasonId = useElementId("reason");
  const { isBusy, error } = state;
  const isChanged = error?.code === "config_changed";
  const isReady = config.editable && !isBusy && !isChanged && check?.valid && text !== base;
  const save = async (event) => {
    event.preventDefault();
    if (!isReady) return;
    setState({ isBusy: true });
    try {
      const body = { text, hash: config.hash, ...(reason.trim() !== "" && { reason }) };
      onSaved(await getJson("/v1/admin/config", { body }));
    } catch (failure) {
      setState({ error: failure });
    }
  };
  return html`
    <${Dialog} title="Review the changes" onClose=${onClose} class="wide">
      <form class="stack wide" onSubmit=${save}>
        <${ErrorBox} error=${checkError} title="Not checked" />
        ${!check && !checkError && html`<${Loading} text="Checking" />`}
        ${check && !check.valid && html`<${ProblemList} check=${check} onGo=${onClose} />`}
        ${check?.valid && html`
          <section class="stack">
            <h3>Changes to the current configuration</h3>
            <${ChangeTable} check=${check} />
          </section>
        `}
        <section class="stack">
          <h3>Lines of the file</h3>
          <${LineDiff} before=${base} after=${text} label="Lines that differ" />
        </section>
        ${config.editable && html`
          <div class="field">
            <label for=${reasonId}>Why</label>
            <input
              id=${reasonId}
              value=${reason}
              maxlength="200"
              autocomplete="off"
              aria-describedby=${`${reasonId}-hint`}
              onInput=${({ target }) => setReason(target.value)}
            />
            <span class="hint" id=${`${reasonId}-hint`}>
              Optional. The history shows it with the name of your key.
            </span>
          </div>
        `}
        <${ErrorBox} error=${error} title="Not saved" />
        ${!config.editable && html`<p class="hint">${config.read_only_reason}</p>`}
        <div class="row end">
          <button type="button" onClick=${onClose}>Cancel</button>
          ${isChanged && html`
            <button type="button" onClick=${onReload}>Compare with the file as it is now</button>
          `}
          ${config.editable && html`
            <button type="submit" class="primary" disabled=${!isReady}>Save and load</button>
          `}
        </div>
      </form>
      <//>
  `;
}

/** An earlier version, and the button that restores it. */
export function VersionDialog({ version, base, onUse, onClose }) {
  const path = `/v1/admin/config/versions/${encodeURIComponent(version.id)}`;
  const { data, error } = useLoaded((signal) => getJson(path, { signal }), [path]);
  return html`
    <${Dialog} title=${`Until ${fullTime(version.replaced_at)}`} onClose=${onClose} class="wide">
      <div class="stack">
        <p class="soft wrap-anywhere">
          It was replaced by ${version.by}${version.reason &&
            `: “${version.reason}”`}. What it would
          change in the file:
        </p>
        <${ErrorBox} error=${error} title="The text cannot be shown" />
        ${!data && !error && html`<${Loading} />`}
        ${data && html`
          <${LineDiff} before=${base} after=${data.text} label="Lines that differ" />
        `}
        <div class="row end">
          <button type="button" onClick=${onClose}>Cancel</button>
          <button type="button" class="primary" disabled=${!data} onClick=${() => onUse(data.text)}>
            Put it into the editor
          </button>
        </div>
      </div>
      <//>
  `;
}
