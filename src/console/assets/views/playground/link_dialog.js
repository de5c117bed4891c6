/** Asks before a conversation of a link replaces the present one. Nothing is sent. */

import { html, useEffect, useState } from "../../lib/preact.js";
import { Dialog } from "../../lib/components.js";
import { openPortable } from "./actions.js";
import { unpackLink } from "./conversation_link.js";
import { readPortable } from "./portable.js";
import { ownTexts } from "./request_body.js";

/** @param {{ packed: string, onClose: () => void }} props what the address holds */
export function LinkDialog({ packed, onClose }) {
  const [read, setRead] = useState(null);
  useEffect(() => {
    let isCurrent = true;
    unpackLink(packed).then(readPortable, ({ message: error }) => ({ error }))
      .then((result) => isCurrent && setRead(result));
    return () => isCurrent = false;
  }, [packed]);
  if (read === null) return null;
  const open = () => {
    openPortable(read);
    onClose();
  };
  return html`
    <${Dialog} title="A conversation from a link" onClose=${onClose}>
      <div class="stack">
        ${read.error !== undefined
          ? html`<p class="fault" role="alert">${read.error}</p>`
          : html`<${Summary} read=${read} />`}
        <div class="row">
          <span class="grow"></span>
          <button type="button" onClick=${onClose}>Leave it</button>
          ${read.error === undefined && html`
            <button type="button" class="primary" onClick=${open}>Open it</button>
          `}
        </div>
      </div>
      <//>
  `;
}

function Summary({ read: { models, own, settings, turns = [] } }) {
  const changed = [
    ...(settings.system.trim() === "" ? [] : ["system message"]),
    ...(settings.tools.trim() === "" ? [] : ["tools"]),
    ...Object.keys(settings.parameters).filter((name) => settings.parameters[name].trim() !== ""),
    ...own.flatMap((one, index) =>
      ownTexts({ own: one }).map((text) => `${text} (model ${index + 1})`)
    ),
  ];
  return html`
    <dl class="link-facts">
      <dt>Models</dt>
      <dd class="wrap-anywhere">${models.join(", ")}</dd>
      ${settings.runCount > 1 && html`
        <dt>Answers of each</dt>
        <dd>${settings.runCount}</dd>
      `}
      <dt>Messages of the user</dt>
      <dd>${turns.length}</dd>
      <dt>Settings</dt>
      <dd class="wrap-anywhere">${changed.length === 0 ? "none" : changed.join(", ")}</dd>
    </dl>
    <p>
      Open it only if you trust who sent it. It replaces your conversation and your settings. Nothing is
      sent until you send a message.
    </p>
  `;
}
