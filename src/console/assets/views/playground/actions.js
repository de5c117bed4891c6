/** The actions of the playground: send, preview, stop, edit, remove. */

import { readSettings, settingsOf, toBody, toMessages } from "./request_body.js";
import { Run } from "./run.js";
import { allRuns, getState, MAX_COLUMNS, newId, setState } from "./store.js";

/**
 * The turns of a conversation as one column sees them.
 *
 * @param {object[]} turns
 * @param {number} column its ID
 */
function turnsOf(turns, column) {
  return turns.map(({ user, runs }) => ({ user, steps: runs.get(column) ?? [] }));
}

/** The request of a column for these turns. @throws {RangeError} for invalid settings. */
function toRequest(column, turns) {
  const settings = settingsOf(getState(), column);
  const { members, headers, errors } = readSettings(settings);
  if (errors.size > 0) {
    const [[name, message]] = errors;
    throw new RangeError(`${name}: ${message}`);
  }
  const messages = toMessages(settings.system, turnsOf(turns, column.id));
  return { model: column.model, body: toBody(column.model, messages, members), headers };
}

/** The first reason why the draft cannot be sent; undefined if it can. */
export function whyNotSend(state) {
  if (state.columns.some(({ model }) => model.trim() === "")) return "Choose a model";
  for (const column of state.columns) {
    const { errors } = readSettings(settingsOf(state, column));
    if (errors.size > 0) return `Correct '${[...errors.keys()][0]}' in the parameters`;
  }
  if (isRunning(state)) return "An answer is being written";
  return undefined;
}

/** Whether an answer is being written. */
export function isRunning(state) {
  return allRuns(state).some((run) => run.isOpen);
}

/** Sends the draft to all models. */
export function sendDraft() {
  const { draft, turns } = getState();
  if (draft.text === "" && draft.images.length === 0) return;
  const turn = { id: newId(), user: draft, runs: new Map() };
  setState({ draft: { text: "", images: [] }, turns: [...turns, turn] });
  runTurn(turn.id);
}

/** Repeats a turn with all models and removes later turns. */
export function runTurn(id) {
  const { columns, turns } = getState();
  const at = turns.findIndex((turn) => turn.id === id);
  const before = turns.slice(0, at);
  const turn = { ...turns[at], runs: new Map() };
  const runs = columns.map((column) => new Run(toRequest(column, [...before, turn])));
  columns.forEach((column, index) => turn.runs.set(column.id, [runs[index]]));
  setState({ turns: [...before, turn], selected: runs[0] });
  for (const run of runs) begin(run);
}

/** Sends another request to one model, or the results of its tool calls. */
export function continueRun(turnId, columnId) {
  addStep(turnId, columnId, (steps) => steps);
}

/** Repeats the request to one model and replaces its last answer in this turn. */
export function retryRun(turnId, columnId) {
  addStep(turnId, columnId, (steps) => steps.slice(0, -1));
}

/** Adds a step to the answer of a model. @param keep the steps before it */
function addStep(turnId, columnId, keep) {
  const { columns, turns } = getState();
  const column = columns.find(({ id }) => id === columnId);
  const at = turns.findIndex(({ id }) => id === turnId);
  const steps = keep(turns[at].runs.get(columnId) ?? []);
  const turn = { ...turns[at], runs: new Map([[columnId, steps]]) };
  const run = new Run(toRequest(column, [...turns.slice(0, at), turn]));
  setSteps(turnId, columnId, [...steps, run]);
  setState({ selected: run });
  begin(run);
}

function begin(run) {
  run.start().catch((error) => reportError(error));
  // The end of the last answer enables the composer.
  const end = run.onChange(() => {
    if (run.isOpen) return;
    end();
    setState({});
  });
}

/** Previews the request without sending it. */
export function preview() {
  const run = new Run(nextRequest());
  run.state = "preview";
  showReceipt(run);
}

/** Shows the receipt of a run. */
export function showReceipt(run) {
  setState({ selected: run, panel: "receipt" });
}

/**
 * Adds a column with another model. It starts with the history of the first column, so that all
 * models get the same conversation. An open answer has no end yet that could be copied.
 *
 * @param {{ id: string }[]} models
 */
export function addColumn(models) {
  const { columns, turns } = getState();
  if (columns.length >= MAX_COLUMNS || isRunning(getState())) return;
  const [first] = columns;
  const used = new Set(columns.map(({ model }) => model));
  const column = { id: newId(), model: models.find(({ id }) => !used.has(id))?.id ?? first.model };
  setState({
    columns: [...columns, column],
    turns: turns.map((turn) => {
      const steps = (turn.runs.get(first.id) ?? []).map((run) => run.copy());
      return { ...turn, runs: new Map(turn.runs).set(column.id, steps) };
    }),
  });
}

/**
 * The request of the draft; without a draft, the last request of a column.
 *
 * @param {number} [columnId] the first column if it is absent
 * @throws {RangeError} for invalid settings
 */
export function nextRequest(columnId) {
  const { columns, draft, turns } = getState();
  const column = columns.find(({ id }) => id === columnId) ?? columns[0];
  const isEmpty = draft.text === "" && draft.images.length === 0;
  const steps = turns.at(-1)?.runs.get(column.id) ?? [];
  const last = steps.at(-1);
  if (isEmpty && last !== undefined && !last.isRestored) return last.request;
  if (isEmpty && last !== undefined) {
    // It was sent before the page was reloaded.
    const runs = new Map([[column.id, steps.slice(0, -1)]]);
    return toRequest(column, [...turns.slice(0, -1), { ...turns.at(-1), runs }]);
  }
  return toRequest(column, [...turns, { user: draft, runs: new Map() }]);
}

/** Stops all answers. */
export function stopAll() {
  for (const run of allRuns(getState())) run.stop();
}

/** Changes a message of the user. */
export function editTurn(id, user) {
  changeTurn(id, (turn) => ({ ...turn, user }));
}

/** Removes a message of the user and its answers. */
export function removeTurn(id) {
  const { turns } = getState();
  allRuns({ turns: turns.filter((turn) => turn.id === id) }).forEach((run) => run.stop());
  setState({ turns: turns.filter((turn) => turn.id !== id) });
}

/** Removes one answer. */
export function removeRun(turnId, columnId, run) {
  run.stop();
  const { runs } = getState().turns.find(({ id }) => id === turnId);
  setSteps(turnId, columnId, (runs.get(columnId) ?? []).filter((other) => other !== run));
}

/** Removes the whole conversation. The settings stay. */
export function clearConversation() {
  stopAll();
  setState({ turns: [], selected: null });
}

function setSteps(turnId, columnId, steps) {
  changeTurn(turnId, (turn) => ({ ...turn, runs: new Map(turn.runs).set(columnId, steps) }));
}

function changeTurn(id, change) {
  setState(({ turns }) => ({ turns: turns.map((turn) => turn.id === id ? change(turn) : turn) }));
}
