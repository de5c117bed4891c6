/**
 * Renders Markdown into an element while it arrives. Complete blocks are never changed again; only
 * the last one grows, so the cost per piece does not depend on the length of the answer. Creates
 * only text nodes and elements, and never parses HTML.
 */

import { toCheckBox, toCopyButton, toTable } from "./markdown_blocks.js";
import { appendInline } from "./markdown_inline.js";

/** Longer paragraphs continue in another element, since their layout would take too long. */
const MAX_BLOCK_CHARS = 2000;

/** The maximum number of blocks in one part. */
const MAX_PART_BLOCKS = 16;

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/;
const RULE = /^ {0,3}(?:-[ -]*-[ -]*-|\*[ *]*\*[ *]*\*|_[ _]*_[ _]*_)\s*$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const TABLE_LINE = /^\s*\|.*\|\s*$/;
const TASK = /^\[([ xX])\]\s+/;

/** A growing text inside an element. */
export class MarkdownWriter {
  #root;
  /** The latest blocks. Earlier parts are not laid out while they are not visible. */
  #part = null;
  /** The start of the current line, in a separate text node. */
  #line = "";
  #open = null;
  /** The lines of the current paragraph, quotation or table. */
  #lines = [];
  #chars = 0;
  #kind = "";
  #fence = "";
  #code = null;
  #list = null;

  constructor(root) {
    this.#root = root;
  }

  /** Adds a piece of the text. */
  write(text) {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const line = this.#line + text.slice(start, end);
      this.#line = "";
      this.#hideOpen();
      this.#readLine(line.endsWith("\r") ? line.slice(0, -1) : line);
      start = end + 1;
    }
    if (start < text.length) this.#grow(text.slice(start));
  }

  /** Ends the text. */
  end() {
    const line = this.#line;
    this.#line = "";
    this.#hideOpen();
    if (line !== "") this.#readLine(line);
    this.#endBlock();
  }

  /** Adds a block, to a new part if the last one has many. */
  #add(block) {
    // The text direction is detected for each block.
    if (block.localName !== "figure") block.dir = "auto";
    if (this.#part === null || this.#part.childElementCount >= MAX_PART_BLOCKS) {
      this.#part?.classList.add("complete");
      this.#part = document.createElement("div");
      this.#part.className = "part";
      this.#root.append(this.#part);
    }
    this.#part.append(block);
  }

  /** Shows part of a line that has not ended. */
  #grow(piece) {
    this.#line += piece;
    if (this.#line.length > MAX_BLOCK_CHARS) {
      this.#breakLine();
      return;
    }
    if (this.#open === null) {
      this.#open = document.createElement(this.#code === null ? "p" : "span");
      this.#open.append("");
      if (this.#code === null) this.#add(this.#open);
      else this.#code.append(this.#open);
    }
    this.#open.firstChild.appendData(this.#line.slice(this.#open.firstChild.length));
  }

  /** Ends a block within a line that is too long, at a space if there is one. */
  #breakLine() {
    const line = this.#line;
    this.#line = "";
    this.#hideOpen();
    for (let start = 0; start < line.length;) {
      const end = start + MAX_BLOCK_CHARS;
      if (end >= line.length) {
        this.#grow(line.slice(start));
        return;
      }
      const space = line.lastIndexOf(" ", end);
      const stop = space > start ? space + 1 : end;
      const part = line.slice(start, stop);
      start = stop;
      if (this.#code !== null) this.#code.append(part);
      else {
        this.#readLine(part);
        this.#endBlock();
      }
    }
  }

  #hideOpen() {
    this.#open?.remove();
    this.#open = null;
  }

  #readLine(line) {
    if (this.#code !== null) {
      const mark = this.#fence;
      if (line.trimStart().startsWith(mark) && /^\s*[`~]+\s*$/.test(line)) this.#endBlock();
      else this.#addCode(`${line}\n`);
      return;
    }
    const fence = FENCE.exec(line);
    if (fence !== null) return this.#startCode(fence[1], fence[2]);
    if (line.trim() === "") return this.#endBlock();
    const heading = HEADING.exec(line);
    if (heading !== null) return this.#addWhole(`h${heading[1].length}`, heading[2]);
    if (RULE.test(line)) return this.#addWhole("hr", "");
    const item = ITEM.exec(line);
    if (item !== null) return this.#addItem(item);
    const quote = QUOTE.exec(line);
    if (quote !== null) return this.#addLine("quote", quote[1]);
    this.#addLine(TABLE_LINE.test(line) ? "table" : "text", line);
  }

  /** Adds a line to the open block, and shows it. */
  #addLine(kind, line) {
    // An indented line below an item continues the item.
    if (this.#list !== null && kind === "text" && /^\s{2}/.test(line)) {
      const item = this.#list.lastElementChild;
      item.append(" ");
      return appendInline(item, line.trim());
    }
    if (this.#kind !== kind || this.#chars > MAX_BLOCK_CHARS) this.#endBlock();
    this.#kind = kind;
    this.#lines.push(line);
    this.#chars += line.length;
    if (kind === "table") return;
    if (this.#lines.length === 1) {
      this.#add(document.createElement(kind === "quote" ? "blockquote" : "p"));
    }
    const block = this.#part.lastElementChild;
    if (this.#lines.length > 1) block.append("\n");
    appendInline(block, line);
  }

  #addWhole(name, text) {
    this.#endBlock();
    // Headings of an answer are at a lower level than the page's headings.
    const isHeading = /^h\d$/.test(name);
    const block = document.createElement(isHeading ? "p" : name);
    if (isHeading) {
      block.className = `heading heading-${name.slice(1)}`;
      block.setAttribute("role", "heading");
      block.setAttribute("aria-level", String(Math.min(6, Number(name.slice(1)) + 3)));
      appendInline(block, text);
    }
    this.#add(block);
  }

  #addItem([, indent, bullet, number, text]) {
    const name = bullet === undefined ? "ol" : "ul";
    if (this.#list?.localName !== name || this.#list.childElementCount >= MAX_ITEMS) {
      this.#endBlock();
      this.#list = document.createElement(name);
      if (number !== undefined) this.#list.start = Number(number);
      this.#add(this.#list);
    }
    const item = document.createElement("li");
    item.dir = "auto";
    const depth = Math.min(4, Math.floor(indent.length / 2));
    if (depth > 0) item.className = `depth-${depth}`;
    const task = bullet === undefined ? null : TASK.exec(text);
    if (task !== null) item.append(toCheckBox(task[1] !== " "));
    appendInline(item, task === null ? text : text.slice(task[0].length));
    if (task !== null) item.classList.add("task");
    this.#list.append(item);
  }

  #startCode(mark, language) {
    this.#endBlock();
    const block = document.createElement("figure");
    const caption = document.createElement("figcaption");
    caption.append(language || "text", toCopyButton(block));
    block.append(caption);
    this.#add(block);
    this.#fence = mark;
    this.#newCode(block);
  }

  /** A long code block is split into elements, like a long paragraph. */
  #newCode(block) {
    this.#code = document.createElement("pre");
    this.#code.tabIndex = 0;
    this.#chars = 0;
    block.append(this.#code);
  }

  #addCode(text) {
    if (this.#chars > MAX_BLOCK_CHARS) this.#newCode(this.#code.parentElement);
    this.#code.append(text);
    this.#chars += text.length;
  }

  #endBlock() {
    if (this.#kind === "table") this.#add(toTable(this.#lines));
    this.#kind = "";
    this.#lines = [];
    this.#chars = 0;
    this.#code = null;
    this.#list = null;
  }
}

/** The maximum number of items in one element: the layout of more would take too long. */
const MAX_ITEMS = 100;
