/** The keys of the signed-in person. They are kept in this tab only, until it is closed. */

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

/** Forgets both keys. */
export function signOut() {
  signIn({ service: "", admin: "" });
}

/** Calls a function when the keys change. Returns a function that unsubscribes. */
export function onSessionChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
