/** One turn of the conversation: the user's message, and the answer of each model below it. */

import { html, useState } from "../../lib/preact.js";
import { IconButton } from "../../lib/components.js";
import { editTurn, removeTurn, runTurn } from "./actions.js";
import { AnswerCard } from "./answer_card.js";
import { bestOf } from "./comparison.js";
import { MessageEditor, Thumbnails } from "./message_editor.js";
import { useRuns } from "./hooks.js";

/** @param {{ turn: object, index: number, columns: object[], selected: object | null, isBusy: boolean }} props */
export function TurnView({ turn, index, columns, selected, isBusy }) {
  const answers = columns.map(({ id }) => turn.runs.get(id) ?? []);
  useRuns(answers.flat());
  return html`
    <section class="turn" aria-label=${`Turn ${index + 1}`}>
      <${UserMessage} turn=${turn} isBusy=${isBusy} />
      ${answers.flat().length > 0 && html`
        <${Answers} ...${{ turn, columns, answers, selected, isBusy }} />
      `}
    </section>
  `;
}

/**
 * The answers: a column for each model, in the same place in each turn. The first answers of all
 * models begin on one line, and so do the second ones.
 */
function Answers({ turn, columns, answers, selected, isBusy }) {
  const { fastest, cheapest } = bestOf(answers);
  const rows = Math.max(...answers.map(({ length }) => length));
  return html`
    <div class="columns answers" style=${{ "--columns": columns.length, "--rows": rows }}>
      ${columns.map(({ id }, index) =>
        html`
          <div class="answer-column" key=${id}>
            ${answers[index].map((run, step, runs) => {
              const isLast = step === runs.length - 1;
              return html`
                <${AnswerCard}
                  key=${run.id}
                  run=${run}
                  turnId=${turn.id}
                  columnId=${id}
                  isLast=${isLast}
                  isFastest=${index === fastest && isLast}
                  isCheapest=${index === cheapest && isLast}
                  isSelected=${run === selected}
                  isBusy=${isBusy}
                />
              `;
            })}
          </div>
        `
      )}
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
          // Ends editing, but does not stop an answer.
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

/** The number of characters of a message that are initially visible. */
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
