/** Markdown blocks that are rendered once complete: tables, tasks and code blocks. */

import { copyText } from "./clipboard.js";
import { appendInline } from "./markdown_inline.js";

const TABLE_RULE = /^[\s|:-]+$/;

/** A table, if the second line is a delimiter row; otherwise a paragraph. */
export function toTable(lines) {
  const [head, rule, ...rows] = lines;
  if (rule === undefined || !TABLE_RULE.test(rule)) {
    const block = document.createElement("p");
    lines.forEach((line, index) => {
      if (index > 0) block.append("\n");
      appendInline(block, line);
    });
    return block;
  }
  const table = document.createElement("table");
  const alignments = cellsOf(rule).map(alignmentOf);
  table.createTHead().append(toRow(head, "th", alignments));
  const body = table.createTBody();
  for (const row of rows) body.append(toRow(row, "td", alignments));
  const scroll = document.createElement("div");
  scroll.className = "table-scroll";
  scroll.append(table);
  return scroll;
}

function cellsOf(line) {
  return line.trim().slice(1, -1).split("|").map((cell) => cell.trim());
}

/** The alignment of a column, from its delimiter, such as `:---:`. */
function alignmentOf(rule) {
  const isRight = rule.endsWith(":");
  if (rule.startsWith(":")) return isRight ? "center" : "left";
  return isRight ? "right" : "";
}

function toRow(line, name, alignments) {
  const row = document.createElement("tr");
  cellsOf(line).forEach((cell, column) => {
    const made = document.createElement(name);
    made.dir = "auto";
    made.style.textAlign = alignments[column] ?? "";
    appendInline(made, cell);
    row.append(made);
  });
  return row;
}

/** The checkbox of a task. It is read-only, since it is part of the answer. */
export function toCheckBox(isDone) {
  const box = document.createElement("input");
  box.type = "checkbox";
  box.disabled = true;
  box.checked = isDone;
  box.setAttribute("aria-label", isDone ? "Done" : "To do");
  return box;
}

/** A button that copies a code block. */
export function toCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet small copy-code";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = [...block.querySelectorAll("pre")].map((pre) => pre.textContent).join("");
    button.textContent = await copyText(text) ? "Copied" : "Cannot copy";
  });
  return button;
}
