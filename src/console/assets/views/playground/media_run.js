/** Sends requests other than chats, and keeps the answer until the next request. */

import { send } from "../../lib/api.js";
import { MEDIA, readMedia, toForm } from "./media.js";
import { readReceiptHeaders } from "./receipt_facts.js";
import { newRequestId } from "./run.js";
import { getState, setMedia } from "./store.js";

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
    const headers = readReceiptHeaders(response.headers);
    update({ state: "done", answer, headers, ms: performance.now() - began });
  } catch (error) {
    const ms = performance.now() - began;
    if (controller.signal.aborted) update({ state: "stopped", ms });
    else {update({
        state: "failed",
        error,
        headers: readReceiptHeaders(error.headers ?? new Headers()),
        ms,
      });}
  }
}

/** Stops the request of a kind. */
export function stopMedia(kind) {
  const { run } = getState().media[kind];
  if (run?.state === "waiting") run.stop();
}
