/**
 * The composer of the next message, with buttons to send, preview and stop, and for tools and a
 * schema.
 */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { IconButton } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { isRunning, preview, sendDraft, stopAll, whyNotSend } from "./actions.js";
import { MessageEditor } from "./message_editor.js";
import { EXAMPLE_TOOLS, formatOf, readTools, RESPONSE_FORMATS } from "./parameters.js";
import { setState } from "./store.js";

/** The composer below the conversation. */
export function Composer({ state }) {
  const input = useRef(null);
  const [fault, setFault] = useState("");
  const { columns, draft } = state;
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
    // The editor of an earlier message has already handled the key.
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
        placeholder=${columns.length === 1 ? "Message" : `Message to all ${columns.length} models`}
        inputRef=${input}
      >
        <${Extras} state=${state} />
        <span class="grow"></span>
        <button type="button" class="quiet" title="Show what would be sent, without sending it (Ctrl Shift Enter)"
          onClick=${() => attempt(preview)}>Preview</button>
        ${running
          ? html`<button type="button" class="danger" onClick=${stopAll}>
              <${Icon} name="stop" />Stop
            </button>`
          : html`
            <button type="button" class="primary" title="Ctrl Enter" disabled=${isEmpty}
              onClick=${send}>
                          <${Icon} name="send" />Send
                        </button>
          `}
      <//>
      ${fault !== "" && html`
        <div class="error-box row spread" role="alert">
          ${fault}
          <${IconButton} icon="close" class="small" label="Close" onClick=${() => setFault("")} />
        </div>
      `}
    </div>
  `;
}

/** Buttons for the tools and the schema, which start with an example. */
function Extras({ state: { parameters, tools } }) {
  const count = readTools(tools).value?.length ?? 0;
  const format = parameters.response_format ?? "";
  const open = (members, field) => {
    setState({ panel: "settings", ...members });
    requestAnimationFrame(() => document.querySelector(field)?.focus());
  };
  const toTools = () => open(tools === "" ? { tools: EXAMPLE_TOOLS } : {}, "#tools");
  const toSchema = () => {
    const schema = RESPONSE_FORMATS.get("json_schema");
    const isSet = formatOf(format) === "json_schema";
    const field = "[aria-label='response_format as JSON']";
    open(isSet ? {} : { parameters: { ...parameters, response_format: schema } }, field);
  };
  return html`
    <button type="button" class="quiet" onClick=${toTools}>Tools${count > 0
      ? ` ${count}`
      : ""}</button>
    <button type="button" class="quiet phone-hidden" onClick=${toSchema}>JSON schema</button>
  `;
}
