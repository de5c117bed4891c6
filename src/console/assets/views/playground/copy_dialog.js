/** Shows the request as a command or code to copy. */

import { html, useMemo, useState } from "../../lib/preact.js";
import { Choices, CopyButton, Dialog } from "../../lib/components.js";
import { nextRequest } from "./actions.js";
import { COPY_FORMS } from "./copy_as.js";
import { mediaRequest } from "./media_run.js";

/** The maximum number of visible characters. An image can have millions. */
const MAX_SHOWN_CHARS = 20_000;

/** @param {{ state: object, kind: string, onClose: () => void }} props */
export function CopyDialog({ state, kind, onClose }) {
  const isChat = kind === "chat";
  const [form, setForm] = useState(COPY_FORMS[0].id);
  const [column, setColumn] = useState(String(state.columns[0].id));
  const { text, fault } = useMemo(() => {
    try {
      const request = isChat ? nextRequest(Number(column)) : mediaRequest(kind);
      const { write } = COPY_FORMS.find(({ id }) => id === form);
      return { text: write({ ...request, baseUrl: `${location.origin}/v1` }) };
    } catch (thrown) {
      return { text: "", fault: thrown.message };
    }
  }, [form, column]);
  const shown = text.length > MAX_SHOWN_CHARS
    ? `${text.slice(0, MAX_SHOWN_CHARS)}\n… (${text.length} characters; Copy takes all)`
    : text;
  return html`
    <${Dialog} title="Copy the request" onClose=${onClose}>
      <div class="stack">
        <div class="row spread">
          <${Choices}
            label="Language"
            value=${form}
            options=${COPY_FORMS.map(({ id, title }) => [id, title])}
            onChange=${setForm}
          />
          ${isChat && state.columns.length > 1 && html`
            <${Choices}
              label="Model"
              value=${column}
              options=${state.columns.map(({ id, model }, index) => [
                String(id),
                `${index + 1}: ${model}`,
              ])}
              onChange=${setColumn}
            />
          `}
          <${CopyButton} text=${text} class="primary small" />
        </div>
        ${fault ? html`<p class="fault" role="alert">${fault}</p>` : html`
          <pre class="code-box" tabindex="0" aria-label="Code">${shown}</pre>
        `}
        <p class="hint">
          The key is read from the environment variable SLUICE_API_KEY. The body is the same as the one that this page sends.
        </p>
      </div>
      <//>
  `;
}
