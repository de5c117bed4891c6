/**
 * Sends requests other than chats, and keeps the answer until the next request. It survives a reload
 * unless it is large: the storage of a tab is small, and other storage would outlive the tab.
 */

import { send } from "../../lib/api.js";
import { MEDIA, readMedia, toForm } from "./media.js";
import { readReceiptHeaders } from "./receipt_facts.js";
import { newRequestId } from "./run.js";
import { getState, setMedia } from "./store.js";

/** The longest answer that survives a reload, in characters. */
const MAX_KEPT_CHARS = 1_500_000;

/** The request from the fields of a kind. @throws {RangeError} for invalid ones */
export function mediaRequest(kind) {
  const entry = getState().media[kind];
  const { body, errors } = readMedia(kind, entry);
  if (errors.size > 0) {
    const [[name, message]] = errors;
    throw new RangeError(`${name}: ${message}`);
  }
  return { api: kind, body, headers: {}, file: entry.file?.name };
}

/** Sends the request of a kind. Resolves when the answer has arrived, or the request has failed. */
export async function startMedia(kind) {
  stopMedia(kind);
  const { body } = mediaRequest(kind);
  const { file } = getState().media[kind];
  const { path, takesFile } = MEDIA.get(kind);
  const controller = new AbortController();
  const began = performance.now();
  const requestId = newRequestId();
  let run = {
    ...{ state: "waiting", body, requestId, answer: null, error: null, headers: null, ms: null },
    kept: "",
    stop: () => controller.abort(),
  };
  const update = (members) => {
    // Another request or user may have replaced it.
    if (getState().media[kind].run !== run) return;
    run = { ...run, ...members };
    setMedia(kind, { run });
  };
  setMedia(kind, { run });
  try {
    const response = await send(path, {
      body: takesFile ? toForm(body, file) : body,
      headers: { "x-request-id": requestId },
      signal: controller.signal,
    });
    const answer = await (kind === "speech" ? response.blob() : response.json());
    const kept = await toKept(answer);
    const headers = readReceiptHeaders(response.headers);
    update({ state: "done", answer, kept, headers, ms: performance.now() - began });
  } catch (error) {
    const ms = performance.now() - began;
    if (controller.signal.aborted) update({ state: "stopped", ms });
    else {
      const headers = readReceiptHeaders(error.headers ?? new Headers());
      update({ state: "failed", error, headers, ms });
    }
  }
}

/** Stops the request of a kind. */
export function stopMedia(kind) {
  const { run } = getState().media[kind];
  if (run?.state === "waiting") run.stop();
}

/** An answer as a text: audio as its type, and its bytes in base64. Empty if it is too large. */
async function toKept(answer) {
  if (!(answer instanceof Blob)) {
    const text = JSON.stringify(answer);
    return text.length <= MAX_KEPT_CHARS ? text : "";
  }
  if (answer.size > MAX_KEPT_CHARS / 4 * 3) return "";
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `${answer.type};${btoa(text)}`;
}

/**
 * A request as JSON; null without an answer.
 *
 * @param {any} run
 * @param {number} [maxChars] the longest answer that is kept
 */
export function toSavedMedia(run, maxChars = MAX_KEPT_CHARS) {
  if (run?.state !== "done") return null;
  const { answer, body, headers, kept, ms, requestId } = run;
  const isKept = kept !== "" && kept.length <= maxChars;
  return {
    body,
    headers,
    ms,
    requestId,
    kept: isKept ? kept : "",
    isAudio: answer instanceof Blob,
  };
}

/** A request from before the page was reloaded; `isLost` if its answer was too large. */
export function restoredMedia(saved) {
  if (!saved) return null;
  const { isAudio, kept } = saved;
  const restored = { ...saved, state: "done", error: null, answer: null, stop: () => {} };
  if (kept === "") return { ...restored, isLost: true };
  return { ...restored, answer: isAudio ? toAudio(kept) : JSON.parse(kept) };
}

function toAudio(kept) {
  const end = kept.lastIndexOf(";");
  const bytes = Uint8Array.from(atob(kept.slice(end + 1)), (text) => text.charCodeAt(0));
  return new Blob([bytes], { type: kept.slice(0, end) });
}
