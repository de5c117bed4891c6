/**
 * The sign-in form for both kinds of keys. A key is stored only after the gateway has accepted it.
 */

import { html, useEffect, useState } from "./preact.js";
import { getJson } from "./api.js";
import { ErrorBox } from "./components.js";
import { adminKey, onSessionChange, serviceKey, signIn } from "./session.js";

/** The kinds of keys, and the routes that accept them. */
const KINDS = [
  ["service", "Service key", "/v1/models"],
  ["admin", "Admin key", "/v1/admin/providers"],
];

/** The sign-in form. `onDone` is called after a key is accepted. */
export function SignIn({ onDone }) {
  const [text, setText] = useState("");
  const [error, setError] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const held = useHeldKeys();

  const submit = async (event) => {
    event.preventDefault();
    setError(null);
    setBusy(true);
    try {
      const keys = toKeys(text);
      if (keys.length > KINDS.length) throw new Error("Enter at most one key of each kind");
      const found = await Promise.all(keys.map(kindOf));
      const [one, other] = found.map(([kind]) => kind);
      if (one === other) throw new Error(`Both are ${one} keys: enter one of each kind`);
      signIn({ ...held, ...Object.fromEntries(found) });
      onDone?.();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  return html`
    <div class="sign-in">
      <form class="card" onSubmit=${submit}>
        <div class="stack">
          <h1>Sign in</h1>
          <p class="soft">
            Keys stay in this tab and in other tabs of this gateway that you open from it, and are sent only to this gateway.
          </p>
        </div>
        <${HeldKeys} held=${held} />
        <div class="field">
          <label for="sign-in-key">Key</label>
          <input
            id="sign-in-key"
            name="sign-in-key"
            type="password"
            class="mono"
            autocomplete="off"
            spellcheck=${false}
            aria-describedby="sign-in-hint"
            value=${text}
            onInput=${(event) => setText(event.target.value)}
          />
          <p class="hint" id="sign-in-hint">
            A service key shows your own requests and the playground, an admin key those of all
            keys. The gateway tells which it is. For both, put a space between them. Without a
            configured key, the gateway prints one at its start.
          </p>
        </div>
        <${ErrorBox} error=${error} title="Not accepted" />
        <button type="submit" class="primary" disabled=${toKeys(text).length === 0 || isBusy}>
          ${isBusy ? "Checking" : "Sign in"}
        </button>
      </form>
    </div>
  `;
}

/** The keys of this tab. The component renders again when they change. */
function useHeldKeys() {
  const [, render] = useState(0);
  useEffect(() => onSessionChange(() => render((count) => count + 1)), []);
  return { service: serviceKey(), admin: adminKey() };
}

/** The kinds of keys of this tab, each with a button that removes it. */
function HeldKeys({ held }) {
  const kinds = KINDS.filter(([kind]) => held[kind] !== "");
  if (kinds.length === 0) return null;
  return html`
    <ul class="held-keys">
      ${kinds.map(([kind, name]) =>
        html`
          <li key=${kind} class="row spread">
            <span>${name}</span>
            <button type="button" class="small quiet" onClick=${() =>
              signIn({ ...held, [kind]: "" })}
              aria-label=${`Remove the ${name.toLowerCase()}`}>Remove</button>
          </li>
        `
      )}
    </ul>
  `;
}

function toKeys(text) {
  return text.split(/\s+/).filter((part) => part !== "");
}

/**
 * Determines the kind of a key by a request to the gateway.
 *
 * @returns {Promise<[string, string]>} the kind and the key
 * @throws {ApiError} for a key that the gateway refuses
 */
async function kindOf(key) {
  const answers = await Promise.allSettled(KINDS.map(([, , path]) => getJson(path, { key })));
  const index = answers.findIndex(({ status }) => status === "fulfilled");
  if (index >= 0) return [KINDS[index][0], key];
  // An unreachable gateway does not mean that the key is invalid.
  throw answers.find(({ reason }) => reason.isPassing)?.reason ?? answers[0].reason;
}
