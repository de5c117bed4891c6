/**
 * Preserves the playground across reloads, in this tab only, until the user signs out or the tab is
 * closed.
 */

import { restoredMedia, toSavedMedia } from "./media_run.js";
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

/** Answers, images or a conversation may exceed the browser's storage quota. */
function keep() {
  clearTimeout(timer);
  const state = getState();
  const saved = toSaved(state);
  if (write(saved)) return;
  const smaller = { ...saved, ...withoutImages(saved), media: savedMedia(state, 0) };
  if (!write(smaller)) forgetPlayground();
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
    media: savedMedia(state),
    turns: state.turns.map(({ user, runs }) => ({
      user,
      runs: [...runs].map(([column, all]) => [column, all.map(toSavedRun)]),
    })),
  };
}

/** The kinds other than chat. Files are omitted, and answers above a number of characters. */
function savedMedia({ media }, maxChars) {
  return Object.entries(media).map(([kind, { model, texts, run }]) => [
    kind,
    { model, texts, run: toSavedMedia(run, maxChars) },
  ]);
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
    if (!Object.hasOwn(media, kind)) continue;
    media[kind] = { ...media[kind], ...fields, run: restoredMedia(fields.run) };
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
