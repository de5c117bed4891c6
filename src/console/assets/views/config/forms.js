/** Forms for providers, aliases, keys and limits: they change the text in the editor. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Choices, ErrorBox, Loading, useElementId } from "../../lib/components.js";
import { fieldAt, ListField, ValueField } from "./form_fields.js";

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

/** The objects of a text, and a function that edits the text and returns whether it succeeded. */
function useObjects(text, onEdit) {
  const [state, setState] = useState({});
  const latest = useRef(text);
  latest.current = text;
  const post = (edits, signal) =>
    getJson("/v1/admin/config/form", { body: { text, edits }, signal });
  const isOld = state.text !== text;
  useEffect(() => {
    if (!isOld) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      post([], signal).then(
        ({ objects }) => signal.aborted || setState({ text, objects }),
        (error) => signal.aborted || setState((before) => ({ ...before, text, error })),
      );
    }, state.text === undefined ? 0 : LIST_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  const apply = async (edits) => {
    // Positions refer to the text at the time of listing.
    if (isOld) return false;
    try {
      const form = await post(edits);
      // Text typed in the meantime is not overwritten.
      if (latest.current !== text) return false;
      setState({ text: form.text, objects: form.objects });
      onEdit(form.text);
      return true;
    } catch (error) {
      setState((before) => ({ ...before, error }));
      return false;
    }
  };
  return { ...state, isOld, apply };
}

/** The fields of one object. Members without a field are not changed. */
function ObjectForm({ section, object, objects, schema, onEdit, onRemove }) {
  const props = { object, schema, objects, onEdit };
  const form = {
    providers: ProviderForm,
    aliases: AliasForm,
    server: KeyForm,
    limits: LimitForm,
  }[section];
  const kept = object.kept.filter((name) => name !== "");
  return html`
    <${form} ...${props} />
    ${object.kept.includes("") && html`
      <p class="hint">It is written in a way that only the text can change.</p>
    `}
    ${kept.length > 0 && html`
      <p class="hint">These stay as they are in the text: <code>${kept.join(", ")}</code></p>
    `}
    <div>
      <button type="button" class="quiet small" onClick=${onRemove}>
        Remove from the text
      </button>
    </div>
  `;
}

const KEY_HINT =
  "A reference such as ${OPENAI_API_KEY}. A provider whose variable is not set is disabled.";
const KNOWN_OF_PROVIDERS = new Set(["kind", "base_url", "api_key", "models"]);

function ProviderForm({ object, schema, onEdit }) {
  const props = { object, onEdit };
  const others = object.fields.filter(({ path, items }) =>
    items === undefined && !KNOWN_OF_PROVIDERS.has(path[0])
  );
  return html`
    <${ValueField} ...${props} path=${["kind"]} label="Kind" options=${kindsOf(
      schema,
    )} isRequired />
    <${ValueField}
      ...${props}
      path=${["base_url"]}
      label="Base URL"
      hint="Empty: the default of its kind, if there is one"
    />
    <${ValueField}
      ...${props}
      path=${["api_key"]}
      label="API key"
      hint=${KEY_HINT}
    />
    ${others.map(({ path, value }) =>
      html`
        <${ValueField}
          key=${path.join(".")}
          ...${props}
          path=${path}
          label=${path.join(".")}
          isNumber=${typeof value === "number"}
        />
      `
    )}
    <${ListField} ...${props} path=${["models"]} label="Models" isOrdered />
  `;
}

function AliasForm({ object, objects, onEdit }) {
  const isObject = object.fields.some(({ path }) => path.length > 0) ||
    object.kept.some((name) => name !== "");
  const path = isObject ? ["targets"] : [];
  const others = object.fields.filter(({ path: [name] }) =>
    name !== undefined && name !== "targets"
  );
  return html`
    <${ListField}
      ...${{ object, path, onEdit }}
      label="Targets, tried in this order"
      suggestions=${modelsOf(objects)}
      isOrdered
    />
    ${others.map(({ path, value, items }) =>
      items === undefined && html`
        <${ValueField}
          key=${path.join(".")}
          ...${{ object, path, onEdit }}
          label=${path.join(".")}
          isNumber=${typeof value === "number"}
        />
      `
    )}
  `;
}

function KeyForm({ object, objects, schema, onEdit }) {
  const props = { object, onEdit };
  const names = [["name", "Name"], ["owner", "Owner"], ["team", "Team"], ["note", "Note"]];
  const hasBudget = fieldAt(object, ["budget", "usd"]) !== undefined;
  const editBudget = (edits) => {
    const at = [...object.path, "budget"];
    if (edits[0].remove) onEdit([{ path: at, remove: true }]);
    else if (hasBudget) onEdit(edits);
    else onEdit([{ path: at, value: { usd: edits[0].value, per: "month" } }]);
  };
  return html`
    <div class="config-pair">
      ${names.map(([name, label]) =>
        html`
          <${ValueField}
            key=${name}
            ...${props}
            path=${[name]}
            label=${label}
            isRequired=${name === "name"}
          />
        `
      )}
    </div>
    <${ValueField} ...${props} path=${["key"]} label="Key" hint="A reference, or sha256:…"
      isRequired />
    <${ListField}
      ...${props}
      path=${["models"]}
      label="Models that it may use; all if none is listed"
      suggestions=${modelsOf(objects)}
    />
    <div class="config-pair">
      <${ValueField}
        object=${object}
        onEdit=${editBudget}
        path=${["budget", "usd"]}
        label="Budget in USD"
        isNumber
      />
      ${hasBudget && html`
        <${ValueField} ...${props} path=${[
          "budget",
          "per",
        ]} label="Per" options=${PERIODS} isRequired />
      `}
    </div>
    <${LimitFields} ...${{ object, schema, onEdit }} path=${["limits"]} />
  `;
}

const PERIODS = ["hour", "day", "week", "month", "total"];

function LimitForm({ object, schema, onEdit }) {
  return html`<${LimitFields} ...${{ object, schema, onEdit }} path=${[]} />`;
}

function LimitFields({ object, schema, path, onEdit }) {
  const members = Object.entries(schema?.properties?.limits?.properties ?? {})
    .filter(([name]) => name !== "models");
  return html`
    <div class="config-pair">
      ${members.map(([name, { description }]) =>
        html`
          <${ValueField}
            key=${name}
            ...${{ object, onEdit }}
            path=${[...path, name]}
            label=${description.split(",")[0]}
            isNumber
          />
        `
      )}
    </div>
  `;
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

function kindsOf(schema) {
  const kinds = schema?.properties?.providers?.additionalProperties?.oneOf ?? [];
  return kinds.map(({ properties }) => properties.kind.const).sort();
}

/** The names of the providers' models, plain and pinned. */
function modelsOf(objects) {
  const names = objects.filter(({ path }) => path[0] === "providers").flatMap((provider) =>
    (fieldAt(provider, ["models"])?.items ?? []).flatMap(({ name }) => [
      name,
      `${name}@${provider.name}`,
    ])
  );
  return [...new Set(names)].sort();
}
