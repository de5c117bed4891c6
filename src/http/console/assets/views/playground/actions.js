/** What a person does in the playground: send, preview, stop, edit, remove. */

import { getState, newId, setState } from "./store.js";
import { readSettings, toBody, toMessages } from "./request_body.js";
import { Run } from "./run.js";

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
  const state = getState();
  const { members, headers, errors } = readSettings(state);
  if (errors.size > 0) {
    const [[name, message]] = errors;
    throw new RangeError(`${name}: ${message}`);
  }
  const messages = toMessages(state.system, turnsOf(turns, column.id));
  return { model: column.model, body: toBody(column.model, messages, members), headers };
}

/** The first reason why nothing can be sent; undefined if it can. */
export function whyNotSend(state) {
  if (state.columns.some(({ model }) => model.trim() === "")) return "Choose a model";
  const { errors } = readSettings(state);
  if (errors.size > 0) return `Correct '${[...errors.keys()][0]}' in the settings`;
  if (isRunning(state)) return "An answer is being written";
  return undefined;
}

/** Whether an answer is being written. */
export function isRunning({ turns }) {
  return turns.some(({ runs }) => [...runs.values()].flat().some((run) => run.isOpen));
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
  const runs = columns.map((column) => [column.id, new Run(toRequest(column, [...before, turn]))]);
  for (const [column, run] of runs) turn.runs.set(column, [run]);
  setState({ turns: [...before, turn], selected: runs[0][1] });
  for (const [, run] of runs) begin(run);
}

/** Asks one model again, or with the answers to its tool calls. */
export function continueRun(turnId, columnId) {
  const { columns, turns } = getState();
  const column = columns.find(({ id }) => id === columnId);
  const at = turns.findIndex(({ id }) => id === turnId);
  const run = new Run(toRequest(column, turns.slice(0, at + 1)));
  changeTurn(turnId, (turn) => ({
    ...turn,
    runs: new Map(turn.runs).set(columnId, [...(turn.runs.get(columnId) ?? []), run]),
  }));
  setState({ selected: run });
  begin(run);
}

/** Repeats the request to one model and replaces its last answer in this turn. */
export function retryRun(turnId, columnId) {
  changeTurn(turnId, (turn) => ({
    ...turn,
    runs: new Map(turn.runs).set(columnId, (turn.runs.get(columnId) ?? []).slice(0, -1)),
  }));
  continueRun(turnId, columnId);
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

/** Shows what would be sent, without sending it. */
export function preview() {
  const run = new Run(nextRequest());
  showReceipt(run);
  run.preview();
}

/** Shows the receipt of a run, also if its panel is folded. */
export function showReceipt(run) {
  setState(({ folded }) => ({
    ...{ selected: run, panel: "receipt" },
    folded: folded.filter((panel) => panel !== "receipt"),
  }));
}

/** Folds a panel beside the conversation, or unfolds it. @param {"settings" | "receipt"} panel */
export function foldPanel(panel) {
  setState(({ folded }) => ({
    folded: folded.includes(panel) ? folded.filter((one) => one !== panel) : [...folded, panel],
  }));
}

/**
 * The request that the draft makes; without a draft, the last one that a column sent.
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
  if (isEmpty && last?.request.body.messages !== undefined) return last.request;
  if (isEmpty && last !== undefined) {
    // It was sent before the page was loaded again, or elsewhere.
    const runs = new Map([[column.id, steps.slice(0, -1)]]);
    return toRequest(column, [...turns.slice(0, -1), { ...turns.at(-1), runs }]);
  }
  return toRequest(column, [...turns, { user: draft, runs: new Map() }]);
}

/** Stops all answers. */
export function stopAll() {
  for (const { runs } of getState().turns) {
    for (const run of [...runs.values()].flat()) run.stop();
  }
}

/** Changes a message of the user. */
export function editTurn(id, user) {
  changeTurn(id, (turn) => ({ ...turn, user }));
}

/** Removes a message of the user and its answers. */
export function removeTurn(id) {
  const { turns } = getState();
  for (const run of [...(turns.find((turn) => turn.id === id)?.runs.values() ?? [])].flat()) {
    run.stop();
  }
  setState({ turns: turns.filter((turn) => turn.id !== id) });
}

/** Removes one answer. */
export function removeRun(turnId, columnId, run) {
  run.stop();
  changeTurn(turnId, (turn) => ({
    ...turn,
    runs: new Map(turn.runs).set(
      columnId,
      (turn.runs.get(columnId) ?? []).filter((other) => other !== run),
    ),
  }));
}

/** The messages of the first column. */
export function conversationMessages() {
  const { columns, system, turns } = getState();
  return toMessages(system, turnsOf(turns, columns[0].id));
}

/**
 * Replaces the conversation with one that was written as JSON.
 *
 * @param {ReturnType<typeof import("./conversation_json.js").readConversation>} conversation
 */
export function replaceConversation({ system, turns }) {
  stopAll();
  const [{ id, model }] = getState().columns;
  setState({
    system,
    selected: null,
    turns: turns.map(({ user, steps }) => ({
      id: newId(),
      user,
      runs: new Map([[id, steps.map((step) => Run.written(model, step))]]),
    })),
  });
}

/**
 * Replaces the conversation and the settings. Settings alone leave the conversation as it is, and
 * nothing is sent.
 *
 * @param {ReturnType<typeof import("./portable.js").readPortable>} read
 */
export function openPortable({ models, settings, draft, turns }) {
  const before = getState().columns;
  // Columns that stay keep their answers.
  const columns = models.map((model, index) => ({ id: before[index]?.id ?? newId(), model }));
  if (turns === undefined) return setState({ ...settings, columns });
  stopAll();
  return setState({
    ...{ ...settings, columns, draft, selected: null, panel: "chat" },
    turns: turns.map(({ user, answers }) => ({
      id: newId(),
      user,
      runs: new Map(answers.map((all, index) => [
        columns[index].id,
        all.map((answer) => Run.written(models[index], answer)),
      ])),
    })),
  });
}

/** Removes the whole conversation. The settings stay. */
export function clearConversation() {
  stopAll();
  setState({ turns: [], selected: null });
}

function changeTurn(id, change) {
  setState(({ turns }) => ({ turns: turns.map((turn) => turn.id === id ? change(turn) : turn) }));
}
