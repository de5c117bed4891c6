/**
 * Preserves the playground across reloads, in this tab only, until the user signs out or the tab is
 * closed.
 */

import { restoredRun, toSavedRun } from "./saved_runs.js";
import { allRuns, getState, newId, onStateChange, setState } from "./store.js";

const NAME = "sluice.playground";
/** Milliseconds after a change until it is stored, so that keystrokes are batched. */
const PAUSE_MS = 400;

/** The members that are stored unchanged. */
const MEMBERS = [
  ...["kind", "system", "draft", "parameters", "tools", "stream", "streamUsage", "panel"],
];

let timer;
/** Removes the listeners of the previously open runs. */
let endRuns = [];

/** Restores the stored state, and stores each change from now on. Called once. */
export function keepPlayground() {
  restore();
  onStateChange(() => {
    watchRuns();
    keepSoon();
  });
  addEventListener("pagehide", keep);
}

/** Clears everything when a different user signs in. */
export function forgetPlayground() {
  clearTimeout(timer);
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // The storage is blocked, so nothing is stored.
  }
}

/** Tool results change a run, not the state. */
function watchRuns() {
  for (const end of endRuns) end();
  endRuns = allRuns(getState()).map((run) => run.onChange(() => run.isOpen || keepSoon()));
}

function keepSoon() {
  clearTimeout(timer);
  timer = setTimeout(keep, PAUSE_MS);
}

/** Images or a conversation may exceed the browser's storage quota. */
function keep() {
  clearTimeout(timer);
  const saved = toSaved(getState());
  if (!write(saved) && !write({ ...saved, ...withoutImages(saved) })) forgetPlayground();
}

/** Returns whether it fits into the browser's storage. */
function write(saved) {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(saved));
    return true;
  } catch {
    return false;
  }
}

/**
 * The state as JSON.
 *
 * @param {any} state
 */
function toSaved(state) {
  return {
    ...Object.fromEntries(MEMBERS.map((name) => [name, state[name]])),
    columns: state.columns,
    // Files and answers are omitted.
    media: Object.entries(state.media).map(([kind, { model, texts }]) => [kind, { model, texts }]),
    turns: state.turns.map(({ user, runs }) => ({
      user,
      runs: [...runs].map(([column, all]) => [column, all.map(toSavedRun)]),
    })),
  };
}

function withoutImages({ draft, turns }) {
  return {
    draft: { ...draft, images: [] },
    turns: turns.map((turn) => ({ ...turn, user: { ...turn.user, images: [] } })),
  };
}

function restore() {
  try {
    const saved = JSON.parse(sessionStorage.getItem(NAME) ?? "null");
    if (saved !== null) setState(toState(saved));
  } catch {
    // If the state is of another version or the storage is blocked, the page starts empty.
    forgetPlayground();
  }
}

function toState(saved) {
  const ids = new Map(saved.columns.map(({ id }) => [id, newId()]));
  const turns = saved.turns.map(({ user, runs }) => ({
    id: newId(),
    user,
    runs: new Map(
      runs.filter(([column]) => ids.has(column))
        .map(([column, all]) => [ids.get(column), all.map(restoredRun)]),
    ),
  }));
  const [first] = ids.values();
  const media = { ...getState().media };
  for (const [kind, fields] of saved.media ?? []) {
    if (kind in media) media[kind] = { ...media[kind], ...fields };
  }
  return {
    // A state stored by an earlier version of the page lacks some members.
    ...Object.fromEntries(
      MEMBERS.filter((name) => name in saved).map((name) => [name, saved[name]]),
    ),
    media,
    columns: saved.columns.map((column) => ({ ...column, id: ids.get(column.id) })),
    turns,
    selected: turns.at(-1)?.runs.get(first)?.at(-1) ?? null,
  };
}
