/** The form that asks for the keys. A key is kept only after the gateway has accepted it. */

import { html, useState } from "./preact.js";
import { getJson } from "./api.js";
import { ErrorBox } from "./components.js";
import { adminKey, serviceKey, signIn } from "./session.js";

/** The sign-in form. `onDone` is called after the keys are accepted. */
export function SignIn({ onDone }) {
  const [service, setService] = useState(serviceKey());
  const [admin, setAdmin] = useState(adminKey());
  const [error, setError] = useState(null);
  const [isBusy, setBusy] = useState(false);

  const submit = async (event) => {
    event.preventDefault();
    setError(null);
    setBusy(true);
    try {
      const keys = { service: service.trim(), admin: admin.trim() };
      await check(keys);
      signIn(keys);
      onDone?.();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const hasKey = service.trim() !== "" || admin.trim() !== "";

  return html`
    <div class="sign-in">
      <form class="card" onSubmit=${submit}>
        <div class="stack">
          <h1>Sign in</h1>
          <p class="soft">
            One key is enough. Keys stay in this tab and are sent to this gateway only.
          </p>
        </div>
        <${KeyField}
          id="service-key"
          label="Service key"
          hint="For the playground, and for your own requests and usage. Without a configured key,
            the gateway prints one at its start."
          value=${service}
          onInput=${setService}
        />
        <${KeyField}
          id="admin-key"
          label="Admin key"
          hint="For all requests, the usage of all keys, and to manage keys."
          value=${admin}
          onInput=${setAdmin}
        />
        <${ErrorBox} error=${error} title="Not accepted" />
        <button type="submit" class="primary" disabled=${!hasKey || isBusy}>
          ${isBusy ? "Checking" : "Sign in"}
        </button>
      </form>
    </div>
  `;
}

function KeyField({ id, label, hint, value, onInput }) {
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <input
        id=${id}
        name=${id}
        type="password"
        class="mono"
        autocomplete="off"
        spellcheck=${false}
        aria-describedby=${`${id}-hint`}
        value=${value}
        onInput=${(event) => onInput(event.target.value)}
      />
      <p class="hint" id=${`${id}-hint`}>${hint}</p>
    </div>
  `;
}

/** @throws {ApiError} for a key that the gateway refuses */
async function check({ service, admin }) {
  if (service !== "") await getJson("/v1/models", { key: service });
  if (admin !== "") await getJson("/v1/admin/providers", { key: admin });
}
