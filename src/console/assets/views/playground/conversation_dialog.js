/** The whole conversation as JSON, to copy, change or replace it. */

import { html, useState } from "../../lib/preact.js";
import { CopyButton, Dialog } from "../../lib/components.js";
import { conversationMessages, replaceConversation } from "./actions.js";
import { readConversation } from "./conversation_json.js";

export function ConversationDialog({ onClose }) {
  const [text, setText] = useState(() => JSON.stringify(conversationMessages(), null, 2));
  const [fault, setFault] = useState("");
  const apply = () => {
    const read = readConversation(text);
    if ("error" in read) return setFault(read.error);
    replaceConversation(read);
    return onClose();
  };
  return html`
    <${Dialog} title="The conversation as JSON" onClose=${onClose}>
      <div class="stack">
        <textarea
          class="code conversation-json"
          aria-label="Messages"
          aria-invalid=${String(fault !== "")}
          spellcheck=${false}
          value=${text}
          onInput=${(event) => {
            setText(event.target.value);
            setFault("");
          }}
        ></textarea>
        ${fault !== "" && html`<p class="fault" role="alert">${fault}</p>`}
        <div class="row">
          <p class="hint grow">The messages of the first model, as Chat Completions has them.</p>
          <${CopyButton} text=${() => text} />
          <button type="button" class="primary" onClick=${apply}>Replace the conversation</button>
        </div>
      </div>
      <//>
  `;
}
