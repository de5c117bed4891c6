/** The changes in a text, and its problems. */

import { html } from "../../lib/preact.js";
import { count } from "../../lib/format.js";
import { TableBox } from "../shared/parts.js";
import { lineDiff } from "./line_diff.js";

const SECTIONS = new Map([
  ["providers", "Provider"],
  ["models", "Model"],
  ["aliases", "Alias"],
  ["pins", "Pin"],
  ["limits", "Limit"],
  ["keys", "Service key"],
  ["admin_keys", "Admin key"],
  ["settings", "Setting"],
]);
const TONES = { added: "good", removed: "bad", changed: "accent" };

/** The problems of a text. A click on one leads to its line. */
export function ProblemList({ check, onGo }) {
  const { problems, more_problems: more } = check;
  if (problems.length === 0) {
    return html`<p class="row"><span class="badge good">valid</span> No problems</p>`;
  }
  return html`
    <ol class="config-problems">
      ${problems.map((problem, index) =>
        html`
          <li key=${index}>
            ${problem.line
              ? html`
                <button type="button" class="link" onClick=${() => onGo(problem)}>
                  Line ${problem.line}, column ${problem.column ?? 1}
                </button>
              `
              : html`<strong>File</strong>`}
            <span class="wrap-anywhere">
              ${problem.path && html`<code>${problem.path}</code>${": "}`}${problem.message}
            </span>
          </li>
        `
      )}
    </ol>
    ${more > 0 && html`<p class="hint">${count(more)} more problems</p>`}
  `;
}

/** The changes of a text relative to the current configuration, by name. */
export function ChangeTable({ check }) {
  const { changes, more_changes: more } = check;
  if (changes.length === 0) {
    return html`<p class="soft">It changes nothing in the current configuration.</p>`;
  }
  return html`
    <${TableBox} label="Changes to the current configuration" class="config-changes">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Name</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        ${changes.map(({ section, name, change, before, after }) =>
          html`
            <tr key=${`${section} ${name}`}>
              <td>${SECTIONS.get(section) ?? section}</td>
              <th scope="row" class="mono wrap-anywhere">${name}</th>
              <td>
                <span class=${`badge ${TONES[change]}`}>${change}</span>
                ${before !== undefined && html`<del class="mono wrap-anywhere">${before}</del>`}
                ${after !== undefined && html`<ins class="mono wrap-anywhere">${after}</ins>`}
              </td>
            </tr>
          `
        )}
      </tbody>
      <//>
    ${more > 0 && html`<p class="hint">${count(more)} more changes</p>`}
  `;
}

/** The changed lines. */
export function LineDiff({ before, after, label }) {
  const groups = lineDiff(before, after);
  if (groups.length === 0) return html`<p class="soft">The texts are the same.</p>`;
  return html`
    <div class="line-diff" role="group" aria-label=${label} tabindex="0">
      ${groups.map((rows, index) =>
        html`
          <div key=${index} class="line-group">
            ${rows.map(({ sign, text, line }, position) =>
              html`
                <div key=${position} class=${ROWS[sign]}>
                  <span class="faint">${line}</span>
                  <span class="only-read">${WORDS[sign]}</span>
                  <code>${`${sign} ${text}`}</code>
                </div>
              `
            )}
          </div>
        `
      )}
    </div>
  `;
}

const ROWS = { "+": "added", "-": "removed", " ": "" };
const WORDS = { "+": "added", "-": "removed", " ": "" };
