/** Finds names in the body or path of a pass-through request, such as its models. */

import type { JsonObject } from "../core/json/object.ts";
import type { Provider } from "../config/config.ts";
import type { TargetModel } from "../contract/vendor_request.ts";

const MODELS: ReadonlySet<string> = new Set(["model", "models", "modelid", "fallbacks"]);
/** The members that contain tags, a session or an end user. */
const LABELS: ReadonlySet<string> = new Set(["metadata", "safety_identifier", "user"]);
/**
 * A model in the path, in the forms that vendors use: `models/x:act`, `model/x/act`,
 * `deployments/x/act`.
 */
const IN_PATH = /(?:^|\/)(?:models?|deployments|engines)\/([^/]+?)(?::[A-Za-z]+)?(?:\/|$)/g;

/**
 * The names of the models, without duplicates.
 *
 * @param body the text of a JSON body, or the beginning of it
 * @param path without its percent-encoding
 */
export function namedModels(body: string, path: string): readonly string[] {
  const names = [...path.matchAll(IN_PATH)].flatMap(([, name]) => name ?? []);
  for (const [, text] of topLevelMembers(body, MODELS)) {
    for (const [quoted] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"/gs)) {
      names.push(unquoted(quoted));
    }
  }
  return [...new Set(names.map((name) => name.replace(/^models\//, "")))];
}

/** The body members by which usage can be grouped. */
export function namedLabels(body: string): JsonObject {
  const members: JsonObject = {};
  for (const [name, text] of topLevelMembers(body, LABELS)) {
    try {
      members[name] = JSON.parse(text);
    } catch {
      // The vendor would reject such a body.
    }
  }
  return members;
}

/** The models of each provider, by their IDs and by the vendor's names. */
const modelsByName = new WeakMap<Provider, ReadonlyMap<string, readonly TargetModel[]>>();

/** The models of a provider with this ID or vendor name. */
export function modelsNamed(name: string, provider: Provider): readonly TargetModel[] {
  let found = modelsByName.get(provider);
  if (found === undefined) modelsByName.set(provider, found = indexOf(provider));
  return found.get(name) ?? [];
}

function indexOf({ models }: Provider): ReadonlyMap<string, readonly TargetModel[]> {
  const byName = new Map<string, TargetModel[]>();
  for (const model of models) {
    for (const name of new Set([model.id, model.upstream])) {
      const others = byName.get(name);
      if (others === undefined) byName.set(name, [model]);
      else others.push(model);
    }
  }
  return byName;
}

/**
 * Finds some members of the outermost object, by their lowercase names, and the text of their
 * values. Takes linear time.
 */
function* topLevelMembers(
  text: string,
  wanted: ReadonlySet<string>,
): Generator<readonly [string, string]> {
  let depth = 0;
  let member: string | undefined;
  let last = "";
  let start = -1;
  const token = /["{}[\]:,]/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const { 0: found, index } = match;
    if (found === '"') {
      const end = endOfString(text, index);
      if (end === -1) return;
      token.lastIndex = end + 1;
      if (depth === 1) last = text.slice(index, end + 1);
    } else if (found === "{" || found === "[") depth++;
    else if (found === ":") {
      if (depth !== 1) continue;
      member = unquoted(last).toLowerCase();
      start = index + 1;
    } else {
      if (found !== ",") depth--;
      if (depth !== (found === "," ? 1 : 0)) continue;
      if (member !== undefined && wanted.has(member)) {
        yield [member, text.slice(start, index)];
      }
      member = undefined;
    }
  }
}

/** The index of the quotation mark that ends a string; -1 if it is not complete. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text[before] === "\\") before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
