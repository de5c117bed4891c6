/** The settings: system message, parameters, tools. Unchanged settings are not sent. */

import { html } from "../../lib/preact.js";
import { useElementId } from "../../lib/components.js";
import {
  describeBounds,
  EXAMPLE_TOOLS,
  HEADER_OPTIONS,
  PARAMETER_GROUPS,
  readParameters,
  readTools,
} from "./parameters.js";
import { setState } from "./store.js";

export function SettingsPanel({ state }) {
  const { system, parameters, stream, streamUsage, tools } = state;
  const { errors } = readParameters(parameters);
  const touched = Object.values(parameters).filter((text) => text.trim() !== "").length +
    (tools.trim() === "" ? 0 : 1);
  const set = (name, text) => setState({ parameters: { ...parameters, [name]: text } });
  const reset = () => setState({ parameters: {}, tools: "" });
  const show = (parameter) =>
    html`
      <${Parameter}
        key=${parameter.name}
        parameter=${parameter}
        text=${parameters[parameter.name] ?? ""}
        error=${errors.get(parameter.name)}
        onChange=${(text) => set(parameter.name, text)}
      />
    `;
  const [sampling, ...others] = PARAMETER_GROUPS;
  return html`
    <div class="settings">
      <div class="field">
        <label for="system">System message</label>
        <textarea
          id="system"
          class="growing"
          rows="3"
          placeholder="None is sent"
          value=${system}
          onInput=${(event) => setState({ system: event.target.value })}
        ></textarea>
      </div>
      <div class="stack tight">
        <label class="check">
          <input
            type="checkbox"
            checked=${stream}
            onChange=${(event) => setState({ stream: event.target.checked })}
          />
          Stream the answer
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked=${streamUsage}
            disabled=${!stream}
            onChange=${(event) => setState({ streamUsage: event.target.checked })}
          />
          Usage and cost in the stream
        </label>
      </div>
      <div class="row spread">
        <p class="hint">Empty fields are not sent.</p>
        <button type="button" class="quiet small" disabled=${touched === 0} onClick=${reset}>
          Clear${touched > 0 ? ` ${touched}` : ""}
        </button>
      </div>
      <${Group} title=${sampling.title} isOpen>${sampling.parameters.map(show)}<//>
      ${others.map(({ title, parameters: own }) =>
        html`
          <${Group} key=${title} title=${title} isOpen=${title === "Tools"}>
            ${title === "Tools" && html`<${Tools} text=${tools} />`}
            ${own.map(show)}
          <//>
        `
      )}
      <${Group} title="Gateway options">${HEADER_OPTIONS.map(show)}<//>
    </div>
  `;
}

function Group({ title, isOpen = false, children }) {
  return html`
    <details class="group" open=${isOpen}>
      <summary>${title}</summary>
      <div class="group-body">${children}</div>
    </details>
  `;
}

function Tools({ text }) {
  const { error, value } = readTools(text);
  const set = (tools) => setState({ tools });
  return html`
    <div class="field wide">
      <div class="row spread">
        <label class="label mono" for="tools">tools</label>
        ${text === ""
          ? html`<button type="button" class="quiet small" onClick=${() => set(EXAMPLE_TOOLS)}>
              Example
            </button>`
          : html`<button type="button" class="quiet small" onClick=${() => set("")}>Clear</button>`}
      </div>
      <textarea
        id="tools"
        class="code growing"
        rows="3"
        spellcheck=${false}
        placeholder="A JSON list of tools"
        aria-invalid=${String(error !== undefined)}
        aria-describedby="tools-note"
        value=${text}
        onInput=${(event) => set(event.target.value)}
      ></textarea>
      <p id="tools-note" class=${error === undefined ? "hint" : "fault"}>
        ${error ?? (value === undefined ? "" : names(value))}
      </p>
    </div>
  `;
}

function names(tools) {
  return tools.map((tool) => tool.function?.name ?? tool.custom?.name ?? tool.type).join(", ");
}

/** One parameter: its name as the API has it, its field and its bounds. */
export function Parameter({ parameter, text, error, onChange }) {
  const id = useElementId("parameter");
  const { name, label = name, kind, examples } = parameter;
  const isWide = kind === "json" || kind === "lines";
  const hint = error ?? (text === "" || isWide ? parameter.hint : undefined);
  return html`
    <div class=${`parameter ${isWide ? "wide" : ""} ${text === "" ? "" : "touched"}`}>
      <label class="mono" for=${id}>${label}</label>
      ${examples && html`
        <span class="examples">
          ${examples.map(([title, example]) =>
            html`
              <button type="button" class="quiet small" key=${title} onClick=${() =>
                onChange(example)}>
                ${title}
              </button>
            `
          )}
        </span>
      `}
      <${Field}
        id=${id}
        parameter=${parameter}
        text=${text}
        isInvalid=${error !== undefined}
        onChange=${onChange}
      />
      <p id=${`${id}-hint`} class=${error === undefined
        ? "hint"
        : "fault"} hidden=${!hint}>${hint}</p>
    </div>
  `;
}

function Field({ id, parameter, text, isInvalid, onChange }) {
  const { kind, options } = parameter;
  const shared = {
    id,
    value: text,
    "aria-invalid": String(isInvalid),
    "aria-describedby": `${id}-hint`,
    onInput: (event) => onChange(event.target.value),
  };
  switch (kind) {
    case "boolean":
      return html`
        <select ...${shared}>
          <option value="">not sent</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      `;
    case "json":
    case "lines":
      return html`
        <textarea
          ...${shared}
          class="code growing"
          rows="1"
          spellcheck=${false}
          placeholder="not sent"
        ></textarea>
      `;
    case "number":
    case "integer":
      return html`
        <input
          ...${shared}
          inputmode=${kind === "integer" ? "numeric" : "decimal"}
          autocomplete="off"
          title=${`Must be ${describeBounds(parameter)}`}
          placeholder=${boundsOf(parameter)}
          onKeyDown=${(event) => onArrow(event, parameter, text, onChange)}
        />
      `;
    default:
      return html`
        <input
          ...${shared}
          autocomplete="off"
          spellcheck=${false}
          list=${options === undefined ? undefined : `${id}-options`}
          placeholder="not sent"
        />
        ${options && html`
          <datalist id=${`${id}-options`}>
            ${options.map((option) => html`<option key=${option} value=${option}></option>`)}
          </datalist>
        `}
      `;
  }
}

/** The bounds as a field shows them while it is empty. */
function boundsOf({ min, max }) {
  if (min !== undefined && max !== undefined && max < 1000) return `${min} – ${max}`;
  return min === undefined ? "not sent" : `≥ ${min}`;
}

/** The arrow keys change a number by its step, within its bounds. */
function onArrow(event, { kind, min, max, step = 1 }, text, onChange) {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  event.preventDefault();
  const before = text.trim() === "" ? (kind === "number" ? 1 : min ?? 0) : Number(text);
  if (!Number.isFinite(before)) return;
  const after = text.trim() === "" ? before : before + (event.key === "ArrowUp" ? step : -step);
  const bounded = Math.min(max ?? Infinity, Math.max(min ?? -Infinity, after));
  onChange(String(Math.round(bounded * 1000) / 1000));
}
