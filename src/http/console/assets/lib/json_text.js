/** JSON that a person writes: parsed with the position of the first fault. */

/**
 * Parses a text. Every browser reports faults differently, so the position is found here.
 *
 * @param {string} text
 * @returns {{ value: unknown } | { error: string, line: number, column: number }}
 */
export function parseJson(text) {
  try {
    return { value: JSON.parse(text) };
  } catch {
    const fault = findFault(text);
    const before = text.slice(0, fault.at);
    const line = before.split("\n").length;
    const column = fault.at - (before.lastIndexOf("\n") + 1) + 1;
    return { error: fault.message, line, column };
  }
}

/** A fault as a sentence. @param {any} fault */
export function describeFault(fault) {
  const { error, line, column } = fault;
  return `Line ${line}, column ${column}: ${error}`;
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_TEXT = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Finds the first fault of a text that is not JSON. It reads each character once. */
function findFault(text) {
  /** The closing bracket of each open list or object. */
  const open = [];
  let at = 0;
  // What may follow: a value, the first name or end, a name, a colon, or a comma or end.
  let next = "value";

  const skip = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) return false;
    at = pattern.lastIndex;
    return true;
  };

  for (;;) {
    skip(SPACE);
    const character = text[at];
    if (next === "comma" && open.length === 0) {
      return { at, message: `unexpected ${named(character)} after the end of the JSON` };
    }
    if (character === undefined) return { at, message: missing(next, open.at(-1)) };
    if (next === "comma" || next === "first name" || next === "first value") {
      if (character === open.at(-1)) {
        open.pop();
        at++;
        next = "comma";
        continue;
      }
    }
    if (next === "comma") {
      if (character !== ",") return { at, message: missing(next, open.at(-1)) };
      at++;
      next = open.at(-1) === "}" ? "name" : "value";
    } else if (next === "colon") {
      if (character !== ":") return { at, message: "a colon is missing" };
      at++;
      next = "value";
    } else if (next === "name" || next === "first name") {
      if (character !== '"') return { at, message: "a name in double quotes is missing" };
      const fault = skipText();
      if (fault !== undefined) return fault;
      next = "colon";
    } else if (character === "{" || character === "[") {
      open.push(character === "{" ? "}" : "]");
      at++;
      next = character === "{" ? "first name" : "first value";
    } else if (character === '"') {
      const fault = skipText();
      if (fault !== undefined) return fault;
      next = "comma";
    } else {
      if (!skip(SCALAR)) return { at, message: `unexpected ${named(character)}` };
      next = "comma";
    }
  }

  function skipText() {
    const start = at++;
    for (;;) {
      skip(PLAIN_TEXT);
      const character = text[at];
      if (character === '"') {
        at++;
        return undefined;
      }
      if (character === undefined) return { at: start, message: "this text has no closing quote" };
      if (character !== "\\") return { at, message: "a line break in a text must be written \\n" };
      if (!skip(ESCAPE)) return { at, message: "unknown escape after the backslash" };
    }
  }
}

function missing(next, closing) {
  if (next === "comma") return `a comma or ${closing} is missing`;
  if (next === "colon") return "a colon is missing";
  if (next === "name" || next === "first name") return "a name in double quotes is missing";
  return "a value is missing";
}

function named(character) {
  return character === undefined ? "end" : `'${character}'`;
}
