/** Renders emphasis, code, formulas and links within a paragraph as elements and text nodes. */

/** The allowed URLs of links. Others, such as `javascript:`, are shown as text. */
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i;
const MARK = /[`*_[\\$]|~~|https?:\/\//g;
const WORD = /[\p{L}\p{N}]/u;

/**
 * Renders a text with inline markup into an element, in linear time: a missing closing delimiter is
 * searched once.
 *
 * @param {Element} parent
 * @param {string} text
 */
export function appendInline(parent, text) {
  /** Closing delimiters that do not occur in the rest of the text. */
  const missing = new Set();
  const find = (mark, from) => {
    if (missing.has(mark)) return -1;
    const at = text.indexOf(mark, from);
    if (at === -1) missing.add(mark);
    return at;
  };
  let plain = 0;
  const flush = (end) => {
    if (end > plain) parent.append(text.slice(plain, end));
  };
  MARK.lastIndex = 0;
  for (;;) {
    const found = MARK.exec(text);
    if (found === null) break;
    const at = found.index;
    const piece = readMark(text, at, found[0], find);
    if (piece === undefined) continue;
    flush(at);
    parent.append(piece.node);
    plain = piece.end;
    // The regular expression is shared, so its `lastIndex` may have changed.
    MARK.lastIndex = piece.end;
  }
  flush(text.length);
}

function readMark(text, at, mark, find) {
  switch (mark) {
    case "\\":
      if (text[at + 1] === "(" || text[at + 1] === "[") return readFormula(text, at, find);
      return /[\\`*_[\]#$~]/.test(text[at + 1] ?? "")
        ? { node: document.createTextNode(text[at + 1]), end: at + 2 }
        : undefined;
    case "`":
      return readCode(text, at, find);
    case "*":
    case "_":
      return readEmphasis(text, at, mark, find);
    case "~~":
      return readStruck(text, at, find);
    case "$":
      return readFormula(text, at, find);
    case "[":
      return readLink(text, at, find);
    default:
      return readAddress(text, at);
  }
}

function readCode(text, at, find) {
  const mark = text[at + 1] === "`" ? "``" : "`";
  const end = find(mark, at + mark.length);
  if (end <= at + mark.length) return undefined;
  return {
    node: element("code", text.slice(at + mark.length, end).trim()),
    end: end + mark.length,
  };
}

function readEmphasis(text, at, mark, find) {
  const isStrong = text[at + 1] === mark;
  const marks = isStrong ? mark + mark : mark;
  const start = at + marks.length;
  // `snake_case_names` and `2 * 3` are not emphasis.
  if (/\s/.test(text[start] ?? " ")) return undefined;
  if (mark === "_" && WORD.test(text[at - 1] ?? "")) return undefined;
  const end = find(marks, start + 1);
  if (end === -1 || /\s/.test(text[end - 1])) return undefined;
  if (mark === "_" && WORD.test(text[end + marks.length] ?? "")) return undefined;
  const inner = text.slice(start, end);
  if (inner.includes("\n\n")) return undefined;
  return { node: element(isStrong ? "strong" : "em", inner), end: end + marks.length };
}

function readStruck(text, at, find) {
  if (/\s/.test(text[at + 2] ?? " ")) return undefined;
  const end = find("~~", at + 3);
  if (end === -1 || /\s/.test(text[end - 1])) return undefined;
  return { node: element("s", text.slice(at + 2, end)), end: end + 2 };
}

/** The closing delimiters of formulas, by the opening ones. */
const FORMULAS = [["$$", "$$"], ["$", "$"], ["\\(", "\\)"], ["\\[", "\\]"]];

/** A formula is shown as TeX source, without emphasis. */
function readFormula(text, at, find) {
  const [open, close] = FORMULAS.find(([mark]) => text.startsWith(mark, at));
  const start = at + open.length;
  // `$5 and $6` are amounts.
  if (open === "$" && /[\s\d]/.test(text[start] ?? " ")) return undefined;
  const end = find(close, start + 1);
  if (end === -1 || (open === "$" && /\s/.test(text[end - 1]))) return undefined;
  const node = element("code", text.slice(start, end).trim());
  node.className = "formula";
  return { node, end: end + close.length };
}

function readLink(text, at, find) {
  const middle = find("](", at + 1);
  if (middle === -1) return undefined;
  const end = find(")", middle + 2);
  if (end === -1) return undefined;
  const label = text.slice(at + 1, middle);
  const address = text.slice(middle + 2, end);
  if (label === "" || label.includes("[") || !SAFE_ADDRESS.test(address)) return undefined;
  return { node: link(label, address), end: end + 1 };
}

const ADDRESS = /https?:\/\/[^\s<>"'`)\]]+/y;

function readAddress(text, at) {
  ADDRESS.lastIndex = at;
  const address = ADDRESS.exec(text)?.[0].replace(/[.,;:!?*_]{1,9}$/, "");
  if (address === undefined || !URL.canParse(address)) return undefined;
  return { node: link(address, address), end: at + address.length };
}

function link(label, address) {
  const made = element("a", label);
  made.href = address;
  made.target = "_blank";
  made.rel = "noopener noreferrer";
  return made;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
