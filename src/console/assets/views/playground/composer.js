/** Where the next message is written: send, preview, stop, copy as. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { IconButton } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { isRunning, preview, sendDraft, stopAll, whyNotSend } from "./actions.js";
import { CopyDialog } from "./copy_dialog.js";
import { MessageEditor } from "./message_editor.js";
import { setState } from "./store.js";

/** The composer below the conversation. */
export function Composer({ state }) {
  const input = useRef(null);
  const [isCopying, setCopying] = useState(false);
  const [fault, setFault] = useState("");
  const { draft } = state;
  const running = isRunning(state);
  const reason = whyNotSend(state);
  const isEmpty = draft.text === "" && draft.images.length === 0;

  const attempt = (act) => {
    setFault("");
    try {
      act();
    } catch (thrown) {
      setFault(thrown.message);
    }
  };
  const send = () => {
    if (reason !== undefined) return running || setFault(reason);
    attempt(sendDraft);
    input.current?.focus();
    return undefined;
  };

  const keys = useRef(null);
  keys.current = (event) => {
    if (event.key === "Escape" && document.querySelector("dialog[open]") === null) stopAll();
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    // The editor of an older message has handled the key.
    if (event.defaultPrevented) return;
    event.preventDefault();
    if (event.shiftKey) attempt(preview);
    else send();
  };
  useEffect(() => {
    const listen = (event) => keys.current(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);

  return html`
    <div class="composer">
      <${MessageEditor}
        message=${draft}
        onChange=${(changed) => setState({ draft: changed })}
        label="Message"
        placeholder="Write a message. Images can be pasted or dropped here."
        inputRef=${input}
      >
        <button type="button" class="quiet" aria-label="Preview" title="Show what would be sent, without sending it"
          onClick=${() => attempt(preview)}>
          <${Icon} name="receipt" /><span class="button-text">Preview</span>
        </button>
        <button type="button" class="quiet" aria-label="Copy as" aria-keyshortcuts="Alt+Shift+Y"
          onClick=${() => setCopying(true)}>
          <${Icon} name="code" /><span class="button-text">Copy as</span>
        </button>
        <span class="grow"></span>
        <span class="hint send-hint"><kbd>Ctrl</kbd> <kbd>Enter</kbd></span>
        ${running
          ? html`<button type="button" class="danger" onClick=${stopAll}>
              <${Icon} name="stop" />Stop
            </button>`
          : html`<button type="button" class="primary" disabled=${isEmpty} onClick=${send}>
              <${Icon} name="send" />Send
            </button>`}
      <//>
      ${fault !== "" && html`
        <div class="error-box row spread" role="alert">
          ${fault}
          <${IconButton} icon="close" class="small" label="Close" onClick=${() => setFault("")} />
        </div>
      `}
      ${isCopying && html`<${CopyDialog} state=${state} onClose=${() => setCopying(false)} />`}
    </div>
  `;
}
