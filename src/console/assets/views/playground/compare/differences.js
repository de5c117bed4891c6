/** The words in which two answers to one message differ. */

import { html, useMemo, useState } from "../../../lib/preact.js";
import { count } from "../../../lib/format.js";
import { firstPair } from "../comparison.js";
import { diffWords } from "./word_diff.js";

/** The most characters of each answer that are compared, and the most parts that are shown. */
const MAX_CHARS = 100_000;
const MAX_PARTS = 4000;

/** @param {{ answers: { label: string, column: number, run: object }[] }} props at least two */
export function Differences({ answers }) {
  const [ids, setIds] = useState(() => firstPair(answers).map(({ run }) => run.id));
  const chosen = ids.map((id, at) => answers.find(({ run }) => run.id === id) ?? answers[at]);
  const texts = chosen.map(({ run }) => run.fold.content);
  const parts = useMemo(
    () => diffWords(...texts.map((text) => text.slice(0, MAX_CHARS))),
    texts,
  );
  const pick = (at, id) => setIds(ids.with(at, Number(id)));
  return html`
    <section class="differences card" aria-label="Differences">
      <div class="row">
        ${["First answer", "Second answer"].map((name, at) =>
          html`
            <label key=${name} class="row">
              <span class=${at === 0 ? "removed" : "added"}>${at === 0 ? "−" : "+"}</span>
              <select
                aria-label=${name}
                value=${chosen[at].run.id}
                onChange=${(event) => pick(at, event.target.value)}
              >
                ${answers.map(({ label, run }) =>
                  html`<option key=${run.id} value=${run.id}>${label}</option>`
                )}
              </select>
            </label>
          `
        )}
        <span class="soft small" role="status">${summaryOf(parts)}</span>
      </div>
      <p class="plain-text">
        ${parts.slice(0, MAX_PARTS).map(({ kind, text }, index) => {
          if (kind === "same") return text;
          return kind === "removed"
            ? html`<del key=${index}>${text}</del>`
            : html`<ins key=${index}>${text}</ins>`;
        })}
      </p>
      ${(parts.length > MAX_PARTS || texts.some((text) => text.length > MAX_CHARS)) && html`
        <p class="hint">The rest is not compared: the answers are too long.</p>
      `}
    </section>
  `;
}

const WORD = /[\p{L}\p{N}_]+/gu;

/** How many words only one of them has. */
function summaryOf(parts) {
  const words = (kind) =>
    parts.reduce(
      (sum, part) => sum + (part.kind === kind ? part.text.match(WORD)?.length ?? 0 : 0),
      0,
    );
  if (parts.every(({ kind }) => kind === "same")) return "The same text";
  return `${count(words("removed"))} words only in the first, ` +
    `${count(words("added"))} only in the second, ${count(words("same"))} in both`;
}
