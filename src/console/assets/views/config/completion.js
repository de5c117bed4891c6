/** Completion for config.yaml from its JSON Schema, in block and flow style. */

/** The maximum number of suggestions. */
const MAX_SHOWN = 50;

/** A line with its indentation, the dashes of list entries, and the member that it begins. */
const LINE = /^(\s*)((?:- +)*)(?:(["']?)([^\s"'#,{}[\]][^"'#,{}[\]]*?)\3\s*:(?=\s|$))?\s*(.*)$/;

/**
 * The location of the caret.
 *
 * @param {string} text
 * @param {number} caret
 * @returns {{ path: string[], prefix: string, isKey: boolean, siblings: string[], kind?: string } |
 * undefined} `[]` in the path stands for an entry of a list; undefined in a comment
 */
export function placeOf(text, caret) {
  const lines = text.split("\n");
  const index = text.slice(0, caret).split("\n").length - 1;
  const before = text.slice(0, caret).split("\n")[index];
  if (/(?:^|\s)#/.test(before) || before.includes("\t")) return undefined;
  const parsed = parse(before);
  const { steps, prefix, isKey, siblings } = inLine(parsed);
  const { path, providerLine, above } = outside(lines, index, parsed);
  const isOpen = steps.length > 0 || parsed.key !== undefined;
  return {
    path: [...path, ...steps],
    prefix,
    isKey,
    siblings: siblings ?? (isOpen ? [] : [...above, ...below(lines, index, parsed.column)]),
    kind: path[0] === "providers" || steps[0] === "providers"
      ? kindOf(lines, providerLine ?? index)
      : undefined,
  };
}

function parse(line) {
  const [, indent, marks, , key, rest] = LINE.exec(line) ?? ["", "", "", "", undefined, ""];
  return {
    indent: indent.length,
    marks: marks.length,
    column: indent.length + marks.length,
    key,
    rest,
  };
}

/** The steps within the line: its member, and open braces and brackets. */
function inLine({ key, rest }) {
  const steps = key === undefined ? [] : [key];
  const stack = [];
  let from = 0;
  for (const { 0: mark, index } of rest.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[[{}\],]/g)) {
    if (mark.length > 1) continue;
    const name = /([^\s"'{},[\]:]+)["']?\s*:\s*$/.exec(rest.slice(from, index))?.[1];
    if (mark === "{" || mark === "[") {
      if (name !== undefined) steps.push(name);
      if (mark === "[") steps.push("[]");
      stack.push({ mark, count: (name === undefined ? 0 : 1) + (mark === "[" ? 1 : 0), keys: [] });
    } else if (mark !== ",") {
      const { count } = stack.pop() ?? { count: 0 };
      steps.splice(steps.length - count);
    }
    if (mark === "," && stack.length > 0) {
      const done = /^\s*["']?([^\s"'{},[\]:]+)["']?\s*:/.exec(rest.slice(from, index))?.[1];
      if (done !== undefined) stack.at(-1).keys.push(done);
    }
    from = index + 1;
  }
  const last = rest.slice(from);
  const open = stack.at(-1);
  const member = open?.mark === "{" ? /^\s*["']?([^\s"':]+)["']?\s*:\s+(.*)$/.exec(last) : null;
  if (member !== null) steps.push(member[1]);
  const isValue = member !== null || open?.mark === "[" ||
    (open === undefined && key !== undefined);
  return {
    steps,
    prefix: (member?.[2] ?? last).trimStart().replace(/^["']/, ""),
    isKey: !isValue,
    siblings: open?.mark === "{" ? open.keys : undefined,
  };
}

/** The path of the members that contain the line, and their other members above it. */
function outside(lines, index, { indent, marks, column }) {
  const path = [];
  const above = [];
  let own = column;
  let isNew = marks > 0;
  if (isNew) {
    path.push("[]");
    own = indent + 1;
  }
  for (let at = index - 1; at >= 0 && own > 0; at--) {
    const line = lines[at];
    if (/^\s*(#|$)/.test(line)) continue;
    const { indent, marks, column, key, rest } = parse(line);
    if (column === own && !isNew && key !== undefined && path.length === 0) above.push(key);
    if (marks > 0 && column === own && !isNew) {
      // The entry of a list that the line continues.
      path.unshift("[]");
      own = indent + 1;
      isNew = true;
      continue;
    }
    if (column >= own || key === undefined || /^[^&!#\s]/.test(rest)) {
      if (column < own && key === undefined) break;
      continue;
    }
    path.unshift(key);
    own = column;
    isNew = false;
    if (marks > 0) {
      path.unshift("[]");
      own = indent + 1;
      isNew = true;
    }
  }
  return { path, above, providerLine: lineOfProvider(lines, index, path) };
}

/** The line of the provider that a path is in. */
function lineOfProvider(lines, index, [section, id]) {
  if (section !== "providers" || id === undefined) return undefined;
  for (let at = index; at >= 0; at--) {
    const { key, column } = parse(lines[at]);
    if (key === id && column > 0) return at;
  }
  return undefined;
}

/** The members below the line in the same mapping. */
function below(lines, index, column) {
  const keys = [];
  for (const line of lines.slice(index + 1)) {
    if (/^\s*(#|$)/.test(line)) continue;
    const found = parse(line);
    if (found.column < column || found.marks > 0) break;
    if (found.column === column && found.key !== undefined) keys.push(found.key);
  }
  return keys;
}

function kindOf(lines, first) {
  const { column } = parse(lines[first] ?? "");
  for (let at = first; at < lines.length; at++) {
    if (at > first && lines[at].trim() !== "" && parse(lines[at]).column <= column) {
      return undefined;
    }
    const kind = /(?:^|[\s{,])kind:\s*["']?([\w-]+)/.exec(lines[at])?.[1];
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/**
 * The suggestions of the schema at a location.
 *
 * @param {object} schema the JSON Schema of the file
 * @param {ReturnType<typeof placeOf>} place
 * @returns {{ text: string, insert: string, hint: string }[]}
 */
export function suggestionsAt(schema, place) {
  if (place === undefined) return [];
  const { isKey, prefix, siblings } = place;
  const nodes = nodesAt(schema, place);
  const found = isKey ? keysOf(nodes, schema, siblings) : valuesOf(nodes);
  const start = prefix.toLowerCase();
  return found.filter(({ text }) => text.toLowerCase().includes(start) && text !== prefix)
    .sort((one, other) => rank(one, start) - rank(other, start))
    .slice(0, MAX_SHOWN);
}

/**
 * The settings of an object that are one value: of its members, and of the members of these.
 *
 * @param {object} schema the JSON Schema of the file
 * @param {{ path: string[], kind?: string }} place of the object
 * @returns {{ path: string[], types: string[], options: string[], hint: string }[]} a setting has
 *   options if it is a choice
 */
export function settingsAt(schema, place) {
  return schema === undefined ? [] : settingsIn(nodesAt(schema, place), schema, []);
}

/** The values that the schema lists for a place. */
export function choicesAt(schema, place) {
  return schema === undefined ? [] : valuesOf(nodesAt(schema, place)).map(({ text }) => text);
}

function settingsIn(nodes, root, path) {
  const settings = new Map();
  for (const [name, member] of nodes.flatMap(({ properties = {} }) => Object.entries(properties))) {
    const all = unfold(member, root);
    const types = [...new Set(all.flatMap(({ type = [] }) => type))];
    const options = valuesOf(all).map(({ text }) => text);
    const isFree = all.some(({ const: fixed, enum: several, type = [] }) =>
      fixed === undefined && several === undefined &&
      [type].flat().some((one) => ["string", "number", "integer"].includes(one))
    );
    const hint = all.find(({ description }) => description)?.description ?? "";
    const at = [...path, name];
    if (isFree || options.length > 0) {
      settings.set(at.join("."), { path: at, types, options: isFree ? [] : options, hint });
    }
    const inner = path.length === 0 ? settingsIn(all, root, at) : [];
    for (const setting of inner) settings.set(setting.path.join("."), setting);
  }
  return [...settings.values()];
}

/** The schemas that apply at a place. */
function nodesAt(schema, { path, kind }) {
  let nodes = unfold(schema, schema);
  for (const [depth, step] of path.entries()) {
    nodes = nodes.flatMap((node) => unfold(memberOf(node, step), schema));
    if (path[0] === "providers" && depth === 1 && kind !== undefined) {
      const own = nodes.filter(({ properties }) => properties?.kind?.const === kind);
      if (own.length > 0 && (path[2] ?? "") !== "kind") nodes = own;
    }
  }
  return nodes;
}

function rank({ text }, start) {
  return text.toLowerCase().startsWith(start) ? 0 : 1;
}

function memberOf({ properties, additionalProperties, items }, step) {
  if (step === "[]") return items;
  if (properties !== undefined && Object.hasOwn(properties, step)) return properties[step];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** Expands the references and choices of a schema. */
function unfold(node, root) {
  if (typeof node !== "object" || node === null) return [];
  const { $ref, anyOf = [], oneOf = [], allOf = [] } = node;
  const named = $ref === undefined
    ? []
    : [$ref.split("/").slice(1).reduce((inner, step) => inner?.[step], root)];
  const others = [...named, ...anyOf, ...oneOf, ...allOf];
  return [node, ...others.flatMap((other) => unfold(other, root))];
}

function keysOf(nodes, root, siblings) {
  const keys = new Map();
  for (const { properties = {} } of nodes) {
    for (const [name, member] of Object.entries(properties)) {
      if (siblings.includes(name) || keys.has(name)) continue;
      const all = unfold(member, root);
      const isInner = all.some(({ type }) => type === "object" || type === "array") &&
        !all.some(({ type }) => type === "string");
      const hint = all.find(({ description }) => description)?.description ?? "";
      keys.set(name, { text: name, insert: isInner ? `${name}:` : `${name}: `, hint });
    }
  }
  return [...keys.values()];
}

function valuesOf(nodes) {
  const values = new Map();
  for (const { const: fixed, enum: several = [], type, default: usual } of nodes) {
    const all = [
      ...(fixed === undefined ? [] : [fixed]),
      ...several,
      ...(type === "boolean" ? [true, false] : []),
    ];
    for (const value of all) {
      const text = String(value);
      values.set(text, { text, insert: text, hint: value === usual ? "the default" : "" });
    }
  }
  return [...values.values()];
}
