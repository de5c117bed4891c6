/**
 * The keys of the signed-in person. They are kept in this tab until it is closed, and passed to other
 * tabs of the same origin that ask for them.
 */

const SERVICE = "sluice.service_key";
const ADMIN = "sluice.admin_key";

const listeners = new Set();
/** Whether the gateway no longer accepts a key of the session. */
let refused = false;
// The storage can be blocked by the browser. The keys then last until the page is left.
const memory = new Map();

/** A value that this tab keeps until it is closed; an empty string if there is none. */
export function readTab(name) {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return memory.get(name) ?? "";
  }
}

/** Keeps a value for this tab. An empty string removes it. */
export function writeTab(name, value) {
  memory.set(name, value);
  try {
    if (value === "") sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // It is in memory.
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

/** Keeps the keys for this tab. An empty string removes a key. */
export function signIn({ service, admin }) {
  writeTab(SERVICE, service.trim());
  writeTab(ADMIN, admin.trim());
  refused = false;
  for (const listener of listeners) listener();
}

/** Notes that the gateway has refused a key of the session, such as one that was revoked. */
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
/** The channel to the other tabs, while the page is shown. */
let channel;

/**
 * Joins the tabs of this origin. A tab without keys asks for them once, and takes the first answer;
 * one with keys answers; a sign-out is one of all tabs.
 *
 * @returns {() => void} leaves them
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
