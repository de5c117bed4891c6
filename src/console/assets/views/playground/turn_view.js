/** One turn of the conversation: the message of the user, and below it an answer for each model. */

import { html, useState } from "../../lib/preact.js";
import { Choices, IconButton } from "../../lib/components.js";
import { chooseRun, editTurn, removeTurn, runTurn } from "./actions.js";
import { AnswerCard } from "./answer_card.js";
import { asRuns, bestOf } from "./comparison.js";
import { lazy } from "./compare/lazy.js";
import { MessageEditor, Thumbnails } from "./message_editor.js";
import { samplesOf } from "./samples.js";
import { useRuns } from "./store.js";

const Differences = lazy(() => import("./compare/differences.js"), "Differences");
const Medians = lazy(() => import("./compare/medians.js"), "Medians");

/** @param {{ turn: object, index: number, columns: object[], selected: object | null, isBusy: boolean }} props */
export function TurnView({ turn, index, columns, selected, isBusy }) {
  const samples = columns.map(({ id }) => samplesOf(turn, id));
  useRuns(samples.flatMap(({ list }) => list.flat()));
  const hasAnswers = samples.some(({ list }) => list.length > 0);
  const hasSeveral = samples.some(({ list }) => list.length > 1);
  return html`
    <section class="turn" aria-label=${`Turn ${index + 1}`}>
      <${UserMessage} turn=${turn} isBusy=${isBusy} />
      ${hasAnswers && html`<${Answers} ...${{ turn, columns, samples, selected, isBusy }} />`}
      ${hasSeveral && html`<${Medians} columns=${columns} samples=${samples} />`}
      ${hasAnswers && html`<${Compared} columns=${columns} samples=${samples} />`}
    </section>
  `;
}

/**
 * The answers: a column for each model, in the same place in each turn. The first answers of all
 * models begin on one line, and so do the second ones.
 */
function Answers({ turn, columns, samples, selected, isBusy }) {
  const [folded, setFolded] = useState([]);
  const { fastest, cheapest } = bestOf(samples.map(({ list }) => asRuns(list)));
  const isChoice = samples.some(({ list }) => list.length > 1);
  const rows = Math.max(...samples.map(({ list, at }) => list[at]?.length ?? 0)) +
    (isChoice ? 1 : 0);
  const fold = (id) =>
    setFolded(folded.includes(id) ? folded.filter((other) => other !== id) : [...folded, id]);
  return html`
    <div class="columns answers" style=${{ "--columns": columns.length, "--rows": rows }}>
      ${columns.map((column, index) => {
        const { id } = column;
        const { list, at } = samples[index];
        return html`
          <div class="answer-column" key=${id}>
            ${isChoice && html`
              <div class="run-choice">
                ${list.length > 1 && html`
                  <${Choices}
                    label=${`Answers of ${column.model}`}
                    value=${at}
                    options=${list.map((_, number) => [number, String(number + 1)])}
                    onChange=${(number) => chooseRun(turn.id, id, number)}
                  />
                `}
              </div>
            `}
            ${(list[at] ?? []).map((run, step, runs) =>
              html`
                <${AnswerCard}
                  key=${run.id}
                  run=${run}
                  turnId=${turn.id}
                  columnId=${id}
                  isLast=${step === runs.length - 1}
                  isFastest=${index === fastest && step === runs.length - 1}
                  isCheapest=${index === cheapest && step === runs.length - 1}
                  isSelected=${run === selected}
                  isFolded=${folded.includes(id)}
                  onFold=${() => fold(id)}
                  isBusy=${isBusy}
                />
              `
            )}
          </div>
        `;
      })}
    </div>
  `;
}

/** What the answers to one message have in common, once two of them have ended. */
function Compared({ columns, samples }) {
  const [isOpen, setOpen] = useState(false);
  const answers = samples.flatMap(({ list }, index) =>
    list.flatMap((steps, at) => {
      const run = steps.at(-1);
      if (run === undefined || run.isOpen || run.fold.content === "") return [];
      const number = list.length > 1 ? `, answer ${at + 1}` : "";
      return [{ run, column: index, label: `${index + 1}: ${columns[index].model}${number}` }];
    })
  );
  if (answers.length < 2) return null;
  return html`
    <div class="compared">
      <button type="button" class="quiet small" aria-expanded=${String(isOpen)} onClick=${() =>
        setOpen(!isOpen)}>
        Differences
      </button>
      ${isOpen && html`<${Differences} answers=${answers} />`}
    </div>
  `;
}

function UserMessage({ turn, isBusy }) {
  const [edited, setEdited] = useState(null);
  const [fault, setFault] = useState("");
  const { user } = turn;
  if (edited !== null) {
    const save = () => {
      editTurn(turn.id, edited);
      setEdited(null);
    };
    const runAgain = () => {
      save();
      attempt(() => runTurn(turn.id), setFault);
    };
    return html`
      <div class="user-message editing" onKeyDown=${(event) => {
        if (event.key === "Escape") {
          // It ends the editing, and leaves an answer that is being written.
          event.stopPropagation();
          setEdited(null);
        }
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        if (!isBusy) runAgain();
      }}>
        <${MessageEditor} message=${edited} onChange=${setEdited} label="Edit the message">
          <span class="grow"></span>
          <button type="button" class="quiet" onClick=${() => setEdited(null)}>Cancel</button>
          <button type="button" onClick=${save}>Save</button>
          <button type="button" class="primary" disabled=${isBusy} onClick=${runAgain}>
            Save and run
          </button>
          <//>
          </div>
    `;
  }
  return html`
    <div class="user-message">
      <div class="message-head">
        <h3>User</h3>
        <span class="grow"></span>
        <${IconButton}
          icon="retry"
          class="small"
          label="Run from here"
          disabled=${isBusy}
          onClick=${() => attempt(() => runTurn(turn.id), setFault)}
        />
        <${IconButton}
          icon="edit"
          class="small"
          label="Edit this message"
          onClick=${() => setEdited(user)}
        />
        <${IconButton}
          icon="clear"
          class="small"
          label="Remove this message and its answers"
          onClick=${() => removeTurn(turn.id)}
        />
      </div>
      <${Thumbnails} images=${user.images} />
      ${user.text !== "" && html`<${LongText} text=${user.text} />`}
      ${fault !== "" && html`<p class="fault" role="alert">${fault}</p>`}
    </div>
  `;
}

/** The number of characters of a message that are shown at first. */
const MAX_SHOWN_CHARS = 4000;

function LongText({ text }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > MAX_SHOWN_CHARS && !isWhole;
  return html`
    <p class="plain-text">${isLong ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text}</p>
    ${isLong && html`
      <button type="button" class="quiet small" onClick=${() => setWhole(true)}>
        Show all ${text.length} characters
      </button>
    `}
  `;
}

function attempt(act, setFault) {
  setFault("");
  try {
    act();
  } catch (thrown) {
    setFault(thrown.message);
  }
}
