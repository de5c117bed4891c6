/**
 * The parameters: system message, six main parameters, tools, and all others. Empty ones are not
 * sent.
 */

import { html } from "../../lib/preact.js";
import { useElementId } from "../../lib/components.js";
import {
  describeBounds,
  EXAMPLE_TOOLS,
  formatOf,
  MAIN_PARAMETERS,
  MORE_PARAMETERS,
  readParameters,
  readTools,
  RESPONSE_FORMATS,
} from "./parameters.js";
import { setState } from "./store.js";

/** @param {{ state: object, notes: string[] }} props `notes` are about the answers */
export function SettingsPanel({ state, notes }) {
  const { system, parameters, stream, streamUsage, tools } = state;
  const { errors } = readParameters(parameters);
  const isTouched = (name) => (parameters[name] ?? "").trim() !== "";
  const touched = Object.keys(parameters).filter(isTouched).length + (tools.trim() === "" ? 0 : 1);
  const moreTouched = MORE_PARAMETERS.filter(({ name }) => isTouched(name)).length;
  const show = (parameter) =>
    html`
      <${Parameter}
        key=${parameter.name}
        parameter=${parameter}
        text=${parameters[parameter.name] ?? ""}
        error=${errors.get(parameter.name)}
        onChange=${(text) => setState({ parameters: { ...parameters, [parameter.name]: text } })}
      />
    `;
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
      ${MAIN_PARAMETERS.map((parameter) =>
        show(parameter.name === "tool_choice" ? withFunctions(parameter, tools) : parameter)
      )}
      <${Tools} text=${tools} />
      <details class="more">
        <summary>More${moreTouched > 0 ? `: ${moreTouched} set` : `: ${MORE_PARAMETERS.length}`}
          <span> parameters</span></summary>
        <div class="stack">
          <${Check} label="Stream the answer" value=${stream} onChange=${(value) =>
            setState({ stream: value })} />
          <${Check} label="Usage and cost in the stream" value=${streamUsage} isOff=${!stream}
            onChange=${(value) => setState({ streamUsage: value })} />
          ${MORE_PARAMETERS.map(show)}
        </div>
      </details>
      <div class="row spread">
        <p class="hint">Empty fields are not sent.</p>
        <button type="button" class="quiet small" disabled=${touched === 0} onClick=${() =>
          setState({ parameters: {}, tools: "" })}>
          Clear${touched > 0 ? ` ${touched}` : ""}
        </button>
      </div>
      ${notes.map((note) => html`<p class="hint wrap-anywhere" key=${note}>${note}</p>`)}
    </div>
  `;
}

/** The parameter whose options include the names of the functions. */
function withFunctions(parameter, tools) {
  const names = (readTools(tools).value ?? []).map((tool) => tool.function?.name);
  return { ...parameter, options: [...parameter.options, ...names.filter(Boolean)] };
}

function Check({ label, value, isOff = false, onChange }) {
  return html`
    <label class="check">
      <input type="checkbox" checked=${value} disabled=${isOff} onChange=${(event) =>
        onChange(event.target.checked)} />
      ${label}
    </label>
  `;
}

function Tools({ text }) {
  const { error, value = [] } = readTools(text);
  const names = value.map((tool) => tool.function?.name ?? tool.custom?.name ?? tool.type);
  const set = (tools) => setState({ tools });
  return html`
    <div class="field">
      <div class="row spread">
        <label class="mono" for="tools">tools</label>
        <button type="button" class="quiet small" onClick=${() =>
          set(text === "" ? EXAMPLE_TOOLS : "")}>${text === "" ? "Example" : "Clear"}</button>
      </div>
      <textarea
        id="tools"
        class="code growing"
        rows="2"
        spellcheck=${false}
        placeholder="A JSON list of tools"
        aria-invalid=${String(error !== undefined)}
        aria-describedby="tools-note"
        value=${text}
        onInput=${(event) => set(event.target.value)}
      ></textarea>
      <p id="tools-note" class=${error === undefined ? "hint" : "fault"}>
        ${error ?? names.join(", ")}
      </p>
    </div>
  `;
}

/** One parameter: its name in the API, its field and its bounds. */
export function Parameter({ parameter, text, error, onChange }) {
  const id = useElementId("parameter");
  const { name, label = name, kind } = parameter;
  const isWide = kind === "json" || kind === "lines" || kind === "long";
  const hint = error ?? (text === "" || isWide ? parameter.hint : undefined);
  const shown = { id, parameter, text, onChange, isInvalid: error !== undefined };
  return html`
    <div class=${`parameter ${isWide ? "wide" : ""} ${text === "" ? "" : "touched"}`}>
      <label class="mono" for=${id}>${label}</label>
      <${Field} ...${shown} />
      ${parameter.slider !== undefined && html`<${Slider} ...${shown} />`}
      ${kind === "format" && formatOf(text) === "json_schema" && html`
        <textarea
          class="code growing"
          rows="3"
          spellcheck=${false}
          aria-label=${`${name} as JSON`}
          aria-invalid=${String(error !== undefined)}
          value=${text}
          onInput=${(event) => onChange(event.target.value)}
        ></textarea>
      `}
      <p id=${`${id}-hint`} class=${error === undefined
        ? "hint"
        : "fault"} hidden=${!hint}>${hint}</p>
    </div>
  `;
}

function Slider({ parameter: { name, min, slider, step = 1 }, text, onChange }) {
  return html`
    <input
      type="range"
      aria-label=${`${name}, slider`}
      min=${min}
      max=${slider}
      step=${step}
      value=${text.trim() === "" ? slider / 2 : text}
      onInput=${(event) => onChange(event.target.value)}
    />
  `;
}

function Field({ id, parameter, text, isInvalid, onChange }) {
  const { kind } = parameter;
  const shared = {
    id,
    value: text,
    "aria-invalid": String(isInvalid),
    "aria-describedby": `${id}-hint`,
    onInput: (event) => onChange(event.target.value),
  };
  switch (kind) {
    case "boolean":
      return html`<${Select} ...${shared} options=${["true", "false"]} />`;
    case "choice":
      return html`<${Select} ...${shared} options=${parameter.options} />`;
    case "format":
      return html`
        <${Select}
          ...${shared}
          value=${formatOf(text)}
          options=${[...RESPONSE_FORMATS.keys()]}
          onInput=${(event) => onChange(RESPONSE_FORMATS.get(event.target.value) ?? "")}
        />
      `;
    case "json":
    case "lines":
    case "long":
      return html`
        <textarea
          ...${shared}
          class=${kind === "json" ? "code growing" : "growing"}
          rows=${kind === "long" ? 3 : 1}
          spellcheck=${kind === "long"}
          placeholder=${parameter.placeholder ?? "not sent"}
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
        <input ...${shared} autocomplete="off" spellcheck=${false} placeholder="not sent" />
      `;
  }
}

/** A choice. A value that is not among the options is kept. */
function Select({ options, value, ...others }) {
  const all = value === "" || options.includes(value) ? options : [...options, value];
  return html`
    <select ...${others} value=${value}>
      <option value="">not sent</option>
      ${all.map((option) => html`<option key=${option} value=${option}>${option}</option>`)}
    </select>
  `;
}

/** The bounds, as the placeholder of an empty field. */
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
