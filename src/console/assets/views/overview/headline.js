/** The headline of the overview: the current state, and when it began. */

import {
  compareStates,
  evidenceText,
  incidentText,
  isTrouble,
  STATES,
} from "../../lib/target_health.js";
import { countOf } from "../../lib/format.js";
import { currentZone, formatterOf } from "../../lib/zone.js";

const CLOCK = { hour: "2-digit", minute: "2-digit" };
const DAY_AND_CLOCK = { day: "numeric", month: "short", ...CLOCK };

/** The targets with the worst first; those of one state by their failures. */
function worstFirst(targets) {
  const failures = ({ incident, recent }) => incident?.failures ?? recent.failures;
  return targets.toSorted((one, other) =>
    compareStates(one.state, other.state) || failures(other) - failures(one)
  );
}

/** The targets that need attention, the worst first. */
export function troubled(targets) {
  return worstFirst(targets.filter(({ state }) => isTrouble(state)));
}

/**
 * Describes the current state.
 *
 * @param {any} health the answer of `/v1/admin/health`
 * @returns {{ title: string, text: string }}
 */
export function headlineOf({ at, reading, since, targets }) {
  const now = Date.parse(at);
  const [worst, ...others] = troubled(targets);
  if (worst === undefined) return { title: calmTitle(targets), text: coverText(since, reading) };
  const sentences = [
    `${capital(evidenceText(worst, now))}.`,
    incidentText(worst) && `${incidentText(worst)}.`,
    others.length > 0 &&
    `${countOf(others.length, "more target needs", "more targets need")} a look.`,
  ];
  const begin = worst.since === null ? "" : ` since ${sinceText(worst.since, now)}`;
  return {
    title: `${targetName(worst)} ${STATES.get(worst.state).verb}${begin}`,
    text: sentences.filter((sentence) => sentence).join(" "),
  };
}

function calmTitle(targets) {
  const used = targets.filter(({ state }) => state !== "unused");
  if (used.length === 0) return "No target was used in 24 hours";
  return used.length === 1
    ? "The only used target is OK"
    : `All ${used.length} used targets are OK`;
}

function coverText(since, reading) {
  if (reading) return "The last day is still being read from the ledger.";
  return `Known since ${formatterOf(currentZone(), DAY_AND_CLOCK).format(new Date(since))}.`;
}

/** A target's name: the provider, and its model. */
function targetName({ provider, upstream }) {
  return upstream === "" ? provider : `${provider} ${upstream}`;
}

/** The time of day; with the date if it is more than a day ago. */
export function sinceText(time, now) {
  const isRecent = now - Date.parse(time) < 20 * 3_600_000;
  return formatterOf(currentZone(), isRecent ? CLOCK : DAY_AND_CLOCK).format(new Date(time));
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
