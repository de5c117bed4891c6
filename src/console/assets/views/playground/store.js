/** The state of the playground. It survives a change of the view. */

import { firstTexts, MEDIA } from "./media.js";

/** The maximum number of models to compare. */
export const MAX_COLUMNS = 4;

let lastId = 0;

/** A number that no other column or turn has. */
export function newId() {
  return ++lastId;
}

function initialState() {
  return {
    /** The models to compare; each may override settings in `own`. */
    columns: [{ id: newId(), model: "" }],
    /** The kind of request: `chat`, or a kind of `MEDIA`. */
    kind: "chat",
    /** The model, the fields, the file and the last request of each kind. */
    media: Object.fromEntries(
      [...MEDIA.keys()].map((kind) => [
        kind,
        { model: "", texts: firstTexts(kind), file: null, run: null },
      ]),
    ),
    /** The system message. */
    system: "",
    /** The conversation: a message of the user, and the runs of each column in order. */
    turns: [],
    /** The draft message. */
    draft: { text: "", images: [] },
    /** The settings: the texts of the parameters by name. */
    parameters: {},
    tools: "",
    stream: true,
    streamUsage: true,
    /** The run whose receipt is shown. */
    selected: null,
    /** On a narrow window: the panel that is shown. */
    panel: "chat",
  };
}

let state = initialState();
const listeners = new Set();

/** The current state. It is never changed in place. */
export function getState() {
  return state;
}

/** Calls a function after each change of the state. Returns a function that unsubscribes. */
export function onStateChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Changes some members. A function gets the current state and returns the members. */
export function setState(change) {
  state = { ...state, ...(typeof change === "function" ? change(state) : change) };
  for (const listener of listeners) listener();
}

/** Changes some members of a kind that is not chat. */
export function setMedia(kind, members) {
  setState(({ media }) => ({ media: { ...media, [kind]: { ...media[kind], ...members } } }));
}

/** Clears the state when a different user signs in. */
export function resetState() {
  const { media } = state;
  for (const run of [...allRuns(state), ...Object.values(media).map(({ run }) => run)]) run?.stop();
  state = initialState();
  for (const listener of listeners) listener();
}

/** All runs of a conversation. */
export function allRuns({ turns }) {
  return turns.flatMap(({ runs }) => [...runs.values()].flat());
}
