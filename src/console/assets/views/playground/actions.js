/** What a person does in the playground: send, preview, stop, edit, remove. */

import { loadApi, loadedApi } from "./apis/list.js";
import { allRuns, getState, newId, setState } from "./store.js";
import { readSettings, settingsOf, toBody, toMessages } from "./request_body.js";
import { Run } from "./run.js";
import { runsOfTurn, withChosen, withSteps } from "./samples.js";

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
  const { api } = getState();
  const settings = settingsOf(getState(), column);
  const { members, written, headers, errors } = readSettings(settings);
  if (errors.size > 0) {
    const [[name, message]] = errors;
    throw new RangeError(`${name}: ${message}`);
  }
  const messages = toMessages(settings.system, turnsOf(turns, column.id));
  const chat = toBody(column.model, messages, members);
  return { api, model: column.model, body: loadedApi(api).toBody(chat, written), headers };
}

/** The first reason why nothing can be sent; undefined if it can. */
export function whyNotSend(state) {
  if (state.columns.some(({ model }) => model.trim() === "")) return "Choose a model";
  for (const column of state.columns) {
    const { errors } = readSettings(settingsOf(state, column));
    if (errors.size > 0) return `Correct '${[...errors.keys()][0]}' in the settings`;
    try {
      toRequest(column, []);
    } catch (thrown) {
      return thrown.message;
    }
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
  const { columns, runCount, turns } = getState();
  const at = turns.findIndex((turn) => turn.id === id);
  const before = turns.slice(0, at);
  const { samples: _, ...turn } = { ...turns[at], runs: new Map() };
  const asked = columns.map((column) => {
    const first = new Run(toRequest(column, [...before, turn]));
    const others = Array.from({ length: runCount - 1 }, () => new Run(first.request, first));
    return [column.id, [first, ...others]];
  });
  for (const [column, [first]] of asked) turn.runs.set(column, [first]);
  if (runCount > 1) {
    turn.samples = new Map(
      asked.map(([column, runs]) => [column, { list: runs.map((run) => [run]), at: 0 }]),
    );
  }
  setState({ turns: [...before, turn], selected: asked[0][1][0] });
  for (const [, runs] of asked) beginInTurn(runs);
}

/** Asks one model again, or with the answers to its tool calls. */
export function continueRun(turnId, columnId) {
  addStep(turnId, columnId, (steps) => steps);
}

/** Repeats the request to one model and replaces its last answer in this turn. */
export function retryRun(turnId, columnId) {
  addStep(turnId, columnId, (steps) => steps.slice(0, -1));
}

/** Adds a step to the chosen answer of a model. @param keep the steps before it */
function addStep(turnId, columnId, keep) {
  const { columns, turns } = getState();
  const column = columns.find(({ id }) => id === columnId);
  const at = turns.findIndex(({ id }) => id === turnId);
  const steps = keep(turns[at].runs.get(columnId) ?? []);
  const asked = { ...turns[at], runs: new Map([[columnId, steps]]) };
  const run = new Run(toRequest(column, [...turns.slice(0, at), asked]));
  changeTurn(turnId, (turn) => withSteps(turn, columnId, [...steps, run]));
  setState({ selected: run });
  begin(run);
}

/** Chooses one of several answers of a model: later messages continue with it. */
export function chooseRun(turnId, columnId, at) {
  changeTurn(turnId, (turn) => withChosen(turn, columnId, at));
  const steps = getState().turns.find(({ id }) => id === turnId).runs.get(columnId);
  setState({ selected: steps.at(-1) });
}

/** One after another, so that the answers of a model do not slow each other down. */
async function beginInTurn(runs) {
  for (const run of runs) if (run.isOpen) await begin(run);
}

/** Starts a run. @returns {Promise<void>} resolves when its answer has ended */
function begin(run) {
  run.start().catch((error) => reportError(error));
  return new Promise((resolve) => {
    // The end of the last answer enables the composer.
    const end = run.onChange(() => {
      if (run.isOpen) return;
      end();
      setState({});
      resolve();
    });
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

/** Chooses an API. Sending begins when it is loaded. @param {string} api */
export async function chooseApi(api, members = {}) {
  setState({ api, ...members });
  await loadApi(api);
  setState({});
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
  const isWhole = last !== undefined && !last.isRestored && last.state !== "written";
  if (isEmpty && isWhole) return last.request;
  if (isEmpty && last !== undefined) {
    // It was sent before the page was loaded again, or elsewhere.
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
  for (const turn of turns) if (turn.id === id) runsOfTurn(turn).forEach((run) => run.stop());
  setState({ turns: turns.filter((turn) => turn.id !== id) });
}

/** Removes one answer. */
export function removeRun(turnId, columnId, run) {
  run.stop();
  changeTurn(turnId, (turn) => {
    const steps = turn.runs.get(columnId) ?? [];
    return withSteps(turn, columnId, steps.filter((other) => other !== run));
  });
}

/** The messages of the first column. */
export function conversationMessages() {
  const { columns, system, turns } = getState();
  return toMessages(columns[0].own?.system ?? system, turnsOf(turns, columns[0].id));
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
export function openPortable({ models, own, settings, draft, turns }) {
  const before = getState().columns;
  // Columns that stay keep their answers.
  const columns = models.map((model, index) => ({
    ...{ id: before[index]?.id ?? newId(), model },
    ...(own[index] && { own: own[index] }),
  }));
  chooseApi(settings.api).catch((error) => reportError(error));
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
