/** What was sent to vendors: the explained requests, with the corrections of each attempt. */

import { toShownJson } from "./receipt_facts.js";

/**
 * The requests in the order in which they were sent. Equal ones that follow each other are one
 * entry.
 *
 * @param {{ record: any, explanation: any }} run
 * @returns {{ isComplete: boolean, requests: { provider: string, model: string, attempts: number,
 *   outcome: string, isFailed: boolean, request: any }[] }} not complete if a body is not known
 */
export function sentRequests({ record, explanation }) {
  const requests = [];
  let isComplete = true;
  const add = (sent) => {
    const last = requests.at(-1);
    if (last?.request === sent.request) Object.assign(last, sent, { attempts: last.attempts + 1 });
    else requests.push(sent);
  };
  for (const attempt of explanation === null ? [] : record?.attempts ?? []) {
    const { provider, model, corrections = [] } = attempt;
    const target = explanation.targets.find((one) =>
      one.provider === provider && one.model === model
    );
    let request = target?.request;
    if (request === undefined) {
      isComplete = false;
      continue;
    }
    for (const correction of corrections) {
      const body = corrected(request.body, correction);
      // Without the refused field, the explanation is of a later time than the request.
      if (body === request.body) {
        isComplete = false;
        continue;
      }
      const outcome = `refused: ${correction.fields.join(", ")}`;
      add({ provider, model, attempts: 1, request, outcome, isFailed: true });
      request = { ...request, body };
    }
    const isFailed = attempt.error != null;
    const outcome = isFailed ? String(attempt.error).replaceAll("_", " ") : "answered";
    add({ provider, model, attempts: 1, request, outcome, isFailed });
  }
  return { requests, isComplete };
}

/** A body after a correction; the same body if it has none of the fields. */
function corrected(body, { fields, sent_as }) {
  let result = body;
  for (const field of fields) result = changed(result, field.split("."), sent_as);
  return result;
}

/** A copy without a member, or with another name for it. A path goes through lists. */
function changed(value, [step, ...others], sentAs) {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => changed(entry, [step, ...others], sentAs));
    return entries.some((entry, index) => entry !== value[index]) ? entries : value;
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return value;
  const { [step]: inner, ...rest } = value;
  if (others.length === 0) {
    return sentAs === null || Object.hasOwn(rest, sentAs) ? rest : { ...rest, [sentAs]: inner };
  }
  const kept = changed(inner, others, sentAs);
  if (kept === inner) return value;
  const isEmpty = !Array.isArray(kept) && Object.keys(kept).length === 0;
  return isEmpty ? rest : { ...rest, [step]: kept };
}

/** The longest value of a change that is shown, in characters. */
const MAX_VALUE_CHARS = 200;

/**
 * The members that differ between two bodies, by their paths. Lists are compared as a whole.
 *
 * @returns {{ sign: "+" | "-", path: string, text: string }[]}
 */
export function diffOf(before, after, path = "") {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [one, other] = [before[name], after[name]];
    const own = path === "" ? name : `${path}.${name}`;
    if (isMembers(one) && isMembers(other)) return diffOf(one, other, own);
    if (JSON.stringify(one) === JSON.stringify(other)) return [];
    return [
      ...(one === undefined ? [] : [{ sign: "-", path: own, text: valueText(one) }]),
      ...(other === undefined ? [] : [{ sign: "+", path: own, text: valueText(other) }]),
    ];
  });
}

function isMembers(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueText(value) {
  const text = toShownJson(value).replaceAll(/\s+/g, " ");
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}
