/** The menus for the time range and the time zone of all views. */

import { html, useEffect, useState } from "./preact.js";
import { Dialog } from "./components.js";
import { Menu } from "./menu.js";
import { periodOf, RANGES, rangeText, readRange } from "./range.js";
import { changeRange, changeZone, VIEWS } from "./router.js";
import { serverNow } from "./server_clock.js";
import {
  BROWSER_ZONE,
  currentZone,
  formatterOf,
  fromInput,
  OFFERED_ZONES,
  onZoneChange,
  toInput,
} from "./zone.js";

/** The time zone of this tab. The component renders again when it changes. */
export function useZone() {
  const [zone, setShown] = useState(currentZone);
  useEffect(() => {
    const update = () => setShown(currentZone());
    update();
    return onZoneChange(update);
  }, []);
  return zone;
}

/** Chooses the range of the view; renders nothing for a view without a range. */
export function RangeMenu({ route, zone }) {
  const [isOpen, setOpen] = useState(false);
  const { range: fallback } = VIEWS.find(({ id }) => id === route.view);
  if (fallback === undefined) return null;
  const choice = readRange(route.query, fallback);
  const text = rangeText(choice, zone);
  const label = html`
    <span class="only-read">Range: </span>
    <span class="long">${text}</span>
    <span class="short">${RANGES.get(choice.range)?.short ?? "Custom"}</span>
  `;
  return html`
    <${Menu} class="right range" title=${text} label=${label}>
      ${[...RANGES].map(([range, { text, short }]) =>
        html`
          <button type="button" key=${range} data-range=${range}
            aria-current=${range === choice.range ? "true" : undefined}
            onClick=${() => changeRange({ range, from: "", to: "" })}>
            <span>${text}</span><span class="faint">${dayText(range, zone) ?? short}</span>
          </button>
        `
      )}
      <hr />
      <button type="button" data-range="custom"
        aria-current=${choice.range === "custom" ? "true" : undefined}
        onClick=${() => setOpen(true)}>From … to …</button>
    <//>
    ${isOpen && html`
      <${RangeDialog} choice=${choice} zone=${zone} onClose=${() => setOpen(false)} />
    `}
  `;
}

/** The days of a month; undefined for other ranges. */
function dayText(range, zone) {
  if (RANGES.get(range).months === undefined) return undefined;
  const { from, to } = periodOf({ range }, serverNow(), zone);
  const [first, last] = [from, to - 1].map((time) =>
    formatterOf(zone, { day: "numeric", month: "short" }).format(time)
  );
  return `${first} – ${last}`;
}

/** Chooses the first and the last time of a range. */
function RangeDialog({ choice, zone, onClose }) {
  const [values, setValues] = useState(() => {
    const { from, to } = periodOf(choice, serverNow(), zone);
    return [toInput(from, zone), toInput(to, zone)];
  });
  const [from, to] = values;
  const isValid = from !== "" && to !== "" && from < to;
  const submit = (event) => {
    event.preventDefault();
    if (!isValid) return;
    const [first, last] = values.map((text) => new Date(fromInput(text, zone)).toISOString());
    onClose();
    changeRange({ range: "custom", from: first, to: last });
  };
  const fields = [["range-from", "From"], ["range-to", "To"]];
  return html`
    <${Dialog} title="Range" onClose=${onClose} class="narrow">
      <form class="stack" onSubmit=${submit}>
        <div class="two-fields">
          ${fields.map(([id, label], index) =>
            html`
              <div class="field" key=${id}>
                <label for=${id}>${label}</label>
                <input id=${id} type="datetime-local" step="1" required value=${values[index]}
                  aria-describedby="range-fault"
                  onInput=${(event) => setValues(values.with(index, event.target.value))} />
              </div>
            `
          )}
        </div>
        <p class="fault" id="range-fault" role="status">
          ${isValid ? "" : "The start must be before the end."}
        </p>
        <p class="hint">Times: ${zone}.</p>
        <div class="row end">
          <button type="button" onClick=${onClose}>Cancel</button>
          <button type="submit" class="primary" disabled=${!isValid}>Show</button>
        </div>
      </form>
      <//>
  `;
}

/** Chooses the zone of all times. */
export function ZoneMenu({ zone }) {
  const now = serverNow();
  const zones = [...new Set(["UTC", BROWSER_ZONE, ...OFFERED_ZONES, zone])];
  const label = html`<span class="only-read">Time zone: </span><span class="zone">${
    shortName(zone)
  }</span>`;
  return html`
    <${Menu} class="right zones" title=${zone} label=${label}>
      ${zones.map((name) =>
        html`
          <button type="button" key=${name} data-zone=${name}
            aria-current=${name === zone ? "true" : undefined} onClick=${() => changeZone(name)}>
            <span>${name}${name === BROWSER_ZONE && name !== "UTC" ? ", this browser" : ""}</span>
            <span class="faint">${formatterOf(name, { hour: "2-digit", minute: "2-digit" }).format(
              now,
            )}</span>
          </button>
        `
      )}
      <p class="hint">Times follow the gateway's clock, not the browser's.</p>
    <//>
  `;
}

/** The city of a time zone, such as `New York`. */
function shortName(zone) {
  return zone.split("/").at(-1).replaceAll("_", " ");
}
