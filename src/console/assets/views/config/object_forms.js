/** The form of one object: a provider, an alias, a key or limits. */

import { html, useState } from "../../lib/preact.js";
import { useElementId } from "../../lib/components.js";
import { choicesAt, settingsAt } from "./completion.js";
import { fieldAt, ListField, ValueField } from "./form_fields.js";

/** The fields of one object. Members without a field are not changed. */
export function ObjectForm({ section, object, objects, schema, onEdit, onRemove }) {
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
      <p class="hint">Parts of it can only be changed in the text.</p>
    `}
    ${kept.length > 0 && html`
      <p class="hint">Members that can only be changed in the text: <code>${kept.join(
        ", ",
      )}</code></p>
    `}
    <div>
      <button type="button" class="quiet small" onClick=${onRemove}>
        Remove from the text
      </button>
    </div>
  `;
}

/**
 * The settings without a dedicated field: those in the text, and those that the user adds.
 *
 * @param {{ object: object, schema: object | undefined, place: { path: string[], kind?: string },
 *   known: string[], onEdit: (edits: object[]) => void }} props `known` are the members that the
 *   form shows elsewhere
 */
function OtherSettings({ object, schema, place, known, onEdit }) {
  const id = useElementId("setting");
  const [added, setAdded] = useState([]);
  const settings = new Map(
    settingsAt(schema, place).map((setting) => [setting.path.join("."), setting]),
  );
  const written = object.fields.filter(({ path, items }) =>
    path.length > 0 && items === undefined && !known.includes(path[0])
  ).map(({ path }) => path.join("."));
  const missing = [...settings.keys()].filter((name) =>
    !known.includes(name.split(".")[0]) && !isInText(object, name)
  );
  const shown = [...written, ...added.filter((name) => missing.includes(name))];
  const offered = missing.filter((name) => !added.includes(name));
  return html`
    ${shown.map((name) => {
      const { path = name.split("."), types, options, hint } = settings.get(name) ?? {};
      return html`
        <${ValueField} key=${name} label=${name} ...${{
          object,
          path,
          types,
          options,
          hint,
          onEdit,
        }} />
      `;
    })}
    ${offered.length > 0 && html`
      <div class="field">
        <label for=${id}>More settings</label>
        <select
          id=${id}
          class="config-more"
          value=""
          onChange=${({ target }) => {
            setAdded([...added, target.value]);
            target.value = "";
          }}
        >
          <option value="">Add a setting …</option>
          ${offered.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
        </select>
      </div>
    `}
  `;
}

/** Whether a setting, a part of it or the whole that it belongs to is in the text. */
function isInText({ fields, kept }, name) {
  const names = [...fields.map(({ path }) => path.join(".")), ...kept];
  return names.some((other) =>
    other === name || other.startsWith(`${name}.`) || name.startsWith(`${other}.`)
  );
}

const KEY_HINT =
  "A reference such as ${OPENAI_API_KEY}. A provider whose variable is not set is disabled.";
const KNOWN_OF_PROVIDERS = ["kind", "base_url", "api_key", "models"];

function ProviderForm({ object, schema, onEdit }) {
  const props = { object, onEdit };
  const kind = fieldAt(object, ["kind"])?.value;
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
    <${ValueField} ...${props} path=${["api_key"]} label="API key" hint=${KEY_HINT} />
    <${ListField} ...${props} path=${["models"]} label="Models" isOrdered />
    <${OtherSettings}
      ...${{ ...props, schema, known: KNOWN_OF_PROVIDERS }}
      place=${{ path: ["providers", object.name], kind }}
    />
  `;
}

/** The members of an entry of an alias that a form can change. */
const ENTRY_MEMBERS = ["model", "weight", "when"];

function AliasForm({ object, objects, schema, onEdit }) {
  const isObject = object.fields.some(({ path }) => path.length > 0) ||
    object.kept.some((name) => name !== "");
  const path = isObject ? ["targets"] : [];
  const place = { path: ["aliases", object.name] };
  const items = fieldAt(object, path)?.items ?? [];
  const balance = fieldAt(object, ["balance"])?.value ??
    (items.some((item) => entryValue(item, "weight") !== undefined) ? "weighted" : "in_order");
  const hedge = fieldAt(object, ["hedge", "after"])?.value;
  const detailsOf = (item, index) =>
    (!item.is_text || item.fields?.every(({ path: [name] }) => ENTRY_MEMBERS.includes(name))) &&
    items.length > 1 && html`
      <${EntrySettings}
        ...${{ item, schema, onEdit }}
        path=${[...object.path, ...path, index]}
      />
    `;
  const stepTextOf = (item, index) => {
    if (balance !== "in_order") return `or, by ${balance}`;
    const when = entryValue(item, "when");
    const after = when === undefined ? "a failure" : when.map(wordsOf).join(", ");
    return `after ${after}${hedge && index === 1 ? `; as a hedge after ${hedge}` : ""}`;
  };
  // A list cannot have other settings: it becomes the targets of an object.
  const addSetting = ([{ path: [, , ...names], value }]) =>
    onEdit([{
      path: object.path,
      value: {
        targets: fieldAt(object, [])?.items?.map(({ name }) => name) ??
          [fieldAt(object, []).value],
        ...nested(names, value),
      },
    }]);
  const canAdd = isObject || items.every(({ is_text: isText }) => !isText);
  return html`
    <${ListField}
      ...${{ object, path, onEdit, detailsOf, stepTextOf }}
      label="Targets, tried in this order"
      suggestions=${modelsOf(objects)}
      isOrdered
    />
    ${canAdd && html`
      <${OtherSettings}
        ...${{ object, schema, place, known: ["targets"] }}
        onEdit=${isObject ? onEdit : addSetting}
      />
    `}
  `;
}

const nested = ([name, ...rest], value) => ({
  [name]: rest.length === 0 ? value : nested(rest, value),
});
const wordsOf = (name) => name.replaceAll("_", " ");

/** A value of an entry: a list of names is one, too. */
function entryValue({ fields = [] }, name) {
  const field = fieldAt({ fields }, [name]);
  return field?.items?.map(({ name }) => name) ?? field?.value;
}

/** How much an entry of an alias is used, and after which failures. */
function EntrySettings({ item, path, schema, onEdit }) {
  const { name, fields = [{ path: ["model"], value: name }] } = item;
  const [weight, when] = ["weight", "when"].map((member) => entryValue(item, member));
  const failures = choicesAt(schema, { path: ["aliases", "", "targets", "[]", "when", "[]"] });
  const isPlain = item.fields === undefined;
  // A name becomes an object with its first setting.
  const edit = ([{ path: at, value }]) => {
    if (isPlain) return onEdit([{ path, value: { model: name, [at.at(-1)]: value } }]);
    return onEdit([value === undefined ? { path: at, remove: true } : { path: at, value }]);
  };
  const choose = (failure, isChosen) => {
    const next = failures.filter((one) =>
      one === failure ? isChosen : when?.includes(one) ?? false
    );
    const at = [...path, "when"];
    if (next.length === 0) edit([{ path: at }]);
    else if (when === undefined) edit([{ path: at, value: next }]);
    else onEdit([{ path: at, items: next }]);
  };
  const summary = [
    weight !== undefined && `weight ${weight}`,
    when !== undefined && `after ${when.map(wordsOf).join(", ")}`,
  ].filter(Boolean).join("; ");
  return html`
    <details class="config-entry">
      <summary>${summary ||
        "Weight and failures"}<span class="only-read"> of ${name}</span></summary>
      <${ValueField}
        object=${{ path, fields, kept: [] }}
        path=${["weight"]}
        label="Weight"
        types=${["number"]}
        hint="Share of the requests that try it first, relative to the other weights"
        onEdit=${edit}
      />
      <fieldset>
        <legend>Tried after these failures</legend>
        ${failures.map((failure) =>
          html`
            <label key=${failure} class="row nowrap">
              <input
                type="checkbox"
                checked=${when?.includes(failure) ?? false}
                onChange=${({ target }) => choose(failure, target.checked)}
              />
              ${wordsOf(failure)}
            </label>
          `
        )}
      </fieldset>
      <p class="hint">None chosen: all failures except too long prompts and content filters</p>
    </details>
  `;
}

const KNOWN_OF_KEYS = ["name", "owner", "team", "note", "key", "models", "budget", "limits"];

function KeyForm({ object, objects, schema, onEdit }) {
  const props = { object, onEdit };
  const names = [["name", "Name"], ["owner", "Owner"], ["team", "Team"], ["note", "Note"]];
  const hasBudget = fieldAt(object, ["budget", "usd"]) !== undefined;
  const editBudget = (edits) => {
    const at = [...object.path, "budget"];
    if (edits[0].remove) return onEdit([{ path: at, remove: true }]);
    if (hasBudget) return onEdit(edits);
    return onEdit([{ path: at, value: { usd: edits[0].value, per: "month" } }]);
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
        types=${["number"]}
      />
      ${hasBudget && html`
        <${ValueField}
          ...${props}
          path=${["budget", "per"]}
          label="Per"
          options=${choicesAt(schema, { path: ["server", "keys", "[]", "budget", "per"] })}
          isRequired
        />
      `}
    </div>
    <${LimitFields} ...${{ object, schema, onEdit }} path=${["limits"]} />
    <${OtherSettings}
      ...${{ ...props, schema, known: KNOWN_OF_KEYS }}
      place=${{ path: ["server", "keys", "[]"] }}
    />
  `;
}

function LimitForm({ object, schema, onEdit }) {
  return html`<${LimitFields} ...${{ object, schema, onEdit }} path=${[]} />`;
}

function LimitFields({ object, schema, path, onEdit }) {
  return html`
    <div class="config-pair">
      ${settingsAt(schema, { path: ["limits"] }).map(({ hint, path: [name] }) =>
        html`
          <${ValueField}
            key=${name}
            ...${{ object, onEdit }}
            path=${[...path, name]}
            label=${hint.split(",")[0]}
            types=${["integer"]}
          />
        `
      )}
    </div>
  `;
}

/** The kinds of providers. */
export function kindsOf(schema) {
  return choicesAt(schema, { path: ["providers", "", "kind"] }).sort();
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
