/** The table of all names. */

import { html } from "../../lib/preact.js";
import { count, duration, percent, price, short } from "../../lib/format.js";
import { capabilitiesOf, hasTokenPrices } from "../../lib/models.js";
import { unitPricesOf } from "../../lib/units.js";
import { StateMark } from "../../lib/state_mark.js";
import { Table } from "../../lib/table.js";
import { addressOf, NO_FILTERS } from "../requests/addresses.js";
import { Breaker } from "../status/breaker.js";
import { HEALTH } from "../status/health.js";
import { FORMS } from "./figures.js";

const ORDER = [...HEALTH.keys()];

/** A column of numbers. */
function numbers(id, title, of, text, others = {}) {
  return { id, title, of, text, isNumber: true, ...others };
}

/** The price of tokens; undefined for a model that is paid by other units only. */
function tokenPrice(name) {
  return ({ prices }) => prices && hasTokenPrices(prices) ? prices[name] : undefined;
}

const COLUMNS = [
  { id: "name", title: "Model", of: ({ id }) => id, isRisingFirst: true },
  {
    ...{ id: "form", title: "Form" },
    of: ({ form }) => form === "model" ? undefined : FORMS.get(form),
  },
  {
    ...{ id: "state", title: "State", isRisingFirst: true, card: "b" },
    of: ({ all, health }) => ORDER.indexOf(worstOf(all) ?? health),
    cell: (entry) => html`<${NameState} entry=${entry} />`,
  },
  {
    ...{ id: "targets", title: "Tried in this order", isProse: true, card: "c" },
    of: orderText,
    cell: (entry) => html`<span title=${orderText(entry)}>${orderText(entry)}</span>`,
  },
  numbers("input_price", "In", tokenPrice("input"), price, {
    hint: "US dollars per million input tokens",
  }),
  numbers("output_price", "Out", tokenPrice("output"), price, {
    hint: "US dollars per million output tokens",
  }),
  { id: "unit_price", title: "Per unit", of: ({ prices }) => unitPricesOf(prices).join(", ") },
  numbers("context", "Context", (entry) => entry.context_window, short),
  {
    ...{ id: "capabilities", title: "Can", class: "soft" },
    of: (entry) => capabilitiesOf(entry).join(", "),
  },
  numbers("p50", "p50", (entry) => entry.p50, duration),
  numbers("uptime", "Uptime", (entry) => entry.uptime, (value) => percent(value, 1)),
  numbers("attempts", "Attempts", (entry) => entry.attempts, count, {
    ...{ card: "d", mark: "attempts", hint: "Attempts in 24 hours" },
  }),
];

/** @param {{ entries: object[], opened: string | undefined }} props */
export function ModelTable({ entries, opened }) {
  if (entries.length === 0) return html`<p class="card empty">No name matches.</p>`;
  return html`
    <${Table}
      label="Models, aliases and pinned names"
      columns=${COLUMNS}
      rows=${entries}
      idOf=${({ id }) => id}
      hrefOf=${({ id }) => `#/models/${encodeURIComponent(id)}`}
      actionsOf=${actionsOf}
      order=${{ id: "attempts", isRising: false }}
      current=${opened}
      onClose=${opened === undefined ? undefined : () => (location.hash = "#/models")}
    />
  `;
}

function actionsOf({ form, id }) {
  const isName = form !== "pattern";
  return [
    ...isName ? [{ text: "Try", href: `#/playground?model=${encodeURIComponent(id)}` }] : [],
    { text: "Targets and facts", href: `#/models/${encodeURIComponent(id)}` },
    { text: "Its requests", href: addressOf({ ...NO_FILTERS, model: id }) },
    ...isName
      ? [{ text: "Settings for a client", href: `#/clients?model=${encodeURIComponent(id)}` }]
      : [],
    { text: "Copy the name", copy: id },
  ];
}

/** The providers in the order in which they are tried; equal ones are separated by commas. */
function orderText({ steps }) {
  return steps.map(({ targets }) =>
    [...new Set(targets.map(({ provider }) => provider))].join(", ")
  )
    .join(" → ");
}

/** The worst state of the targets, if any needs attention. */
function worstOf(targets) {
  const states = targets.map(({ health }) => health)
    .filter((health) => ORDER.indexOf(health) < ORDER.indexOf("ok"));
  return states.toSorted((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))[0];
}

/** The state of a name: the number of targets in the worst state. */
function NameState({ entry: { all, health } }) {
  const worst = worstOf(all);
  if (worst === undefined || all.length === 1) return html`<${State} state=${worst ?? health} />`;
  const affected = all.filter((target) => target.health === worst).length;
  if (affected === all.length) return html`<${State} state=${worst} />`;
  return html`
    <span class=${`st ${worst}`}>${affected} of ${all.length} ${HEALTH.get(worst).text
      .toLowerCase()}</span>
  `;
}

function State({ state }) {
  if (state === "limited") return html`<span class="st slow">${HEALTH.get(state).text}</span>`;
  return html`<${StateMark} state=${state} />`;
}

/** Opens the playground with this model. */
export function Try({ id }) {
  return html`
    <a
      class="button small"
      href=${`#/playground?model=${encodeURIComponent(id)}`}
      aria-label=${`Try ${id}`}
    >Try</a>
  `;
}

export function Health({ entry: { health, state } }) {
  if (state !== undefined && state.breaker !== "closed") {
    return html`<${Breaker} state=${state.breaker} />`;
  }
  return html`<${State} state=${health} />`;
}

/** A value as text; a dash if unknown. */
export function known(value, text) {
  return value === null || value === undefined ? "–" : text(value);
}
