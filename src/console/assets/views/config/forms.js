/** Forms for providers, aliases, keys and limits: they change the text in the editor. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Choices, ErrorBox, Loading, useElementId } from "../../lib/components.js";
import { kindsOf, ObjectForm } from "./object_forms.js";

/** Milliseconds after the last change until the objects of the text are listed. */
const LIST_MS = 400;

const SECTIONS = [
  { id: "providers", label: "Providers", one: "a provider" },
  { id: "aliases", label: "Aliases", one: "an alias" },
  { id: "server", label: "Keys", one: "a key" },
  { id: "limits", label: "Limits", one: "limits" },
];

/**
 * @param {{ text: string, schema: object | undefined, onEdit: (text: string) => void,
 *   onGo: (place: { line: number }) => void }} props
 */
export function Forms({ text, schema, onEdit, onGo }) {
  const { objects, error, isOld, apply } = useObjects(text, onEdit);
  const [section, setSection] = useState(SECTIONS[0]);
  const [chosen, setChosen] = useState(undefined);
  const select = useElementId("object");
  const listed = (objects ?? []).filter(({ path }) => path[0] === section.id);
  const object = listed.find(({ path }) => path.join("\n") === chosen) ?? listed[0];
  const counts = new Map(SECTIONS.map(({ id }) => [
    id,
    (objects ?? []).filter(({ path }) => path[0] === id).length,
  ]));
  const choose = (id) => {
    setSection(SECTIONS.find((one) => one.id === id));
    setChosen(undefined);
  };
  const isNew = chosen === "";
  return html`
    <section class="card padded stack config-forms" aria-labelledby="forms-title">
      <div class="row spread">
        <h2 id="forms-title">Forms</h2>
        <div role="status">${isOld && !error && html`<${Loading} text="Reading" />`}</div>
      </div>
      <${Choices}
        label="Section"
        value=${section.id}
        options=${SECTIONS.map(({ id, label }) => [id, `${label} ${counts.get(id)}`])}
        onChange=${choose}
      />
      <${ErrorBox} error=${error} title="The form cannot change the text" />
      ${objects && html`
        <div class="row nowrap">
          <div class="field config-object">
            <label for=${select}>Object</label>
            <select
              id=${select}
              value=${isNew ? "" : object?.path.join("\n")}
              onChange=${({ target }) => setChosen(target.value)}
            >
              ${listed.map((one) =>
                html`
                  <option key=${one.path.join("\n")} value=${one.path.join("\n")}>
                    ${one.name === "" ? "Defaults of all keys" : one.name}
                  </option>
                `
              )}
              <option value="">Add ${section.one} …</option>
            </select>
          </div>
          ${object && !isNew && html`
            <button type="button" class="link" onClick=${() => onGo({ line: object.first_line })}>
              ${object.first_line === object.last_line
                ? `Line ${object.first_line}`
                : `Lines ${object.first_line}–${object.last_line}`}
            </button>
          `}
        </div>
        ${object && !isNew
          ? html`
            <${ObjectForm}
              key=${object.path.join("\n")}
              ...${{ section: section.id, object, objects, schema }}
              onEdit=${apply}
              onRemove=${() => apply([{ path: object.path, remove: true }])}
            />
          `
          : html`
            <${NewObject}
              key=${section.id}
              ...${{ section, listed, schema }}
              onAdd=${async (edit) => {
                if (await apply([edit])) setChosen(edit.path.join("\n"));
              }}
            />
          `}
      `}
    </section>
  `;
}

const CHANGED =
  "This object has changed in the text meanwhile. The form shows it as it is now: make " +
  "the change again";

/** Whether the object of a path has the same values in two lists. */
function isSameObject(before, after, path) {
  const find = (objects) =>
    objects.findLast((object) => object.path.every((step, index) => step === path[index]));
  const [one, other] = [find(before), find(after)];
  const valuesOf = ({ fields, kept, name }) => JSON.stringify([fields, kept, name]);
  return one === undefined || other === undefined
    ? one === other
    : valuesOf(one) === valuesOf(other);
}

/** The objects of a text, and a function that edits the text and returns whether it succeeded. */
function useObjects(text, onEdit) {
  const [state, setState] = useState({});
  const latest = useRef(text);
  latest.current = text;
  const post = (text, edits, signal) =>
    getJson("/v1/admin/config/form", { body: { text, edits }, signal });
  const isOld = state.text !== text;
  useEffect(() => {
    if (!isOld) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      post(text, [], signal).then(
        ({ objects }) =>
          signal.aborted || setState((before) => before.text === text ? before : { text, objects }),
        (error) => signal.aborted || setState((before) => ({ ...before, text, error })),
      );
    }, state.text === undefined ? 0 : LIST_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  const apply = async (edits) => {
    try {
      for (;;) {
        const base = latest.current;
        if (base !== state.text) {
          const { objects } = await post(base, []);
          if (!isSameObject(state.objects, objects, edits[0].path)) {
            setState({ text: base, objects, error: new Error(CHANGED) });
            return false;
          }
        }
        const form = await post(base, edits);
        // Something was typed meanwhile: the edit is made again, in the text as it is now.
        if (latest.current !== base) continue;
        setState({ text: form.text, objects: form.objects });
        onEdit(form.text);
        return true;
      }
    } catch (error) {
      setState((before) => ({ ...before, error }));
      return false;
    }
  };
  return { ...state, isOld, apply };
}

/**
 * The first field of a new object of each section: its label, and the initial value from the text.
 */
const FIRST_VALUES = {
  providers: ["API key, such as ${OPENAI_API_KEY}", (text, kind) => ({
    kind,
    ...(text !== "" && { api_key: text }),
  })],
  aliases: ["First target", (text) => text],
  server: ["Key, such as ${TEAM_KEY}", (text, _, name) => ({ name, key: text })],
  limits: ["Requests per minute", (text) => ({
    requests_per_minute: /^\d+$/.test(text) ? Number(text) : text,
  })],
};

function NewObject({ section, listed, schema, onAdd }) {
  const ids = [useElementId("new"), useElementId("new"), useElementId("new")];
  const [name, setName] = useState("");
  const [kind, setKind] = useState("openai");
  const [text, setText] = useState("");
  const [label, valueOf] = FIRST_VALUES[section.id];
  const isLimit = section.id === "limits";
  const isTaken = listed.some((object) => object.name === name.trim());
  const isComplete = !isTaken && (name.trim() !== "" || isLimit) &&
    (section.id === "providers" || text.trim() !== "");
  const add = (event) => {
    event.preventDefault();
    const path = {
      server: ["server", "keys", listed.length],
      limits: name.trim() === "" ? ["limits"] : ["limits", "models", name.trim()],
    }[section.id] ?? [section.id, name.trim()];
    if (isComplete) onAdd({ path, value: valueOf(text.trim(), kind, name.trim()) });
  };
  const inputs = { autocomplete: "off", spellcheck: false };
  return html`
    <form class="stack" onSubmit=${add}>
      <div class="field">
        <label for=${ids[0]}>${isLimit ? "Model" : "Name"}</label>
        <input
          ...${inputs}
          id=${ids[0]}
          value=${name}
          onInput=${({ target }) => setName(target.value)}
        />
        ${isLimit && html`<span class="hint">Empty: the defaults of all keys</span>`}
        ${isTaken && html`<span class="fault">The text has it already.</span>`}
      </div>
      ${section.id === "providers" && html`
        <div class="field">
          <label for=${ids[1]}>Kind</label>
          <select id=${ids[1]} value=${kind} onChange=${({ target }) => setKind(target.value)}>
            ${kindsOf(schema).map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
          </select>
        </div>
      `}
      <div class="field">
        <label for=${ids[2]}>${label}</label>
        <input
          ...${inputs}
          id=${ids[2]}
          value=${text}
          onInput=${({ target }) => setText(target.value)}
        />
      </div>
      <div><button type="submit" disabled=${!isComplete}>Add to the text</button></div>
    </form>
  `;
}
