/**
 * The keys of the signed-in user. They are stored in this tab until it is closed, and sent to other
 * tabs of the same origin on request.
 */

const SERVICE = "sluice.service_key";
const ADMIN = "sluice.admin_key";
/** The stored prefix of a key's text, which is enough to find a key. */
export const PREFIX_CHARS = 18;

const listeners = new Set();
/** Whether the gateway no longer accepts a key of the session. */
let refused = false;
// If the browser blocks the storage, the keys last until the page is closed.
const memory = new Map();

/** A stored value of this tab; an empty string if there is none. */
export function readTab(name) {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return memory.get(name) ?? "";
  }
}

/** Stores a value in this tab. An empty string removes it. */
export function writeTab(name, value) {
  memory.set(name, value);
  try {
    if (value === "") sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // The value is still in memory.
  }
}

/** The service key, or an empty string. */
export function serviceKey() {
  return readTab(SERVICE);
}

/** The admin key, or an empty string. */
export function adminKey() {
  return readTab(ADMIN);
}

/** Whether there is any key. */
export function isSignedIn() {
  return serviceKey() !== "" || adminKey() !== "";
}

/** Stores the keys in this tab. An empty string removes a key. */
export function signIn({ service, admin }) {
  writeTab(SERVICE, service.trim());
  writeTab(ADMIN, admin.trim());
  refused = false;
  for (const listener of listeners) listener();
}

/** Records that the gateway refused a key of the session, for example a revoked one. */
export function setRefused() {
  if (refused) return;
  refused = true;
  for (const listener of listeners) listener();
}

/** Whether a key of the session was refused. */
export function isRefused() {
  return refused;
}

/** Removes both keys from this tab and from the other signed-in tabs. */
export function signOut() {
  channel?.postMessage({ type: "sign-out" });
  forget();
}

function forget() {
  signIn({ service: "", admin: "" });
}

const CHANNEL = "sluice.session";
/** The channel to the other tabs, while the page is visible. */
let channel;

/**
 * Joins the tabs of this origin. A tab without keys requests them once and uses the first answer; a
 * tab with keys answers. Signing out applies to all tabs.
 *
 * @returns {() => void} leaves the channel
 */
export function joinTabs() {
  if (typeof BroadcastChannel === "undefined") return () => {};
  let asked = isSignedIn() ? undefined : crypto.randomUUID?.() ?? String(Math.random());
  const own = new BroadcastChannel(CHANNEL);
  channel = own;
  own.onmessage = ({ data: { admin, id, service, type } }) => {
    if (type === "ask" && isSignedIn() && !refused) {
      own.postMessage({ type: "keys", id, service: serviceKey(), admin: adminKey() });
    } else if (type === "keys" && id === asked) {
      asked = undefined;
      if (!isSignedIn()) signIn({ service, admin });
    } else if (type === "sign-out" && isSignedIn()) forget();
  };
  if (asked !== undefined) own.postMessage({ type: "ask", id: asked });
  return () => {
    channel = undefined;
    own.close();
  };
}

/** Calls a function when the keys change. Returns a function that unsubscribes. */
export function onSessionChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
