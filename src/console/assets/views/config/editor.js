/** A text field for YAML with line numbers, markers of problems, and completion from a schema. */

import { html, useEffect, useLayoutEffect, useRef, useState } from "../../lib/preact.js";
import { placeOf, suggestionsAt } from "./completion.js";

/** The height of a line in pixels, as in config.css. */
const LINE_HEIGHT = 20;

/**
 * @param {{ text: string, schema: object | undefined, problems: { line?: number }[], target: {
 * line: number, column?: number } | undefined, onInput: (text: string) => void }} props when
 * `target` changes, the caret moves to it
 */
export function Editor({ text, schema, problems, target, onInput }) {
  const area = useRef(null);
  const gutter = useRef(null);
  const [offered, setOffered] = useState(undefined);

  useEffect(() => {
    if (target !== undefined) goTo(area.current, target);
  }, [target]);
  // A completion has moved the caret.
  useLayoutEffect(() => {
    if (offered !== undefined) {
      document.getElementById(`config-option-${offered.active}`)?.scrollIntoView({
        block: "nearest",
      });
    }
  }, [offered]);

  const offer = (isAsked) => {
    const { selectionStart: caret, selectionEnd: end, value, scrollTop, scrollLeft } = area.current;
    const place = caret === end && schema ? placeOf(value, caret) : undefined;
    const isWanted = isAsked || (place?.prefix ?? "") !== "";
    const options = isWanted ? suggestionsAt(schema, place) : [];
    if (options.length === 0) return setOffered(undefined);
    const lines = value.slice(0, caret).split("\n");
    setOffered({
      ...{ options, active: 0, length: place.prefix.length },
      top: lines.length * LINE_HEIGHT - scrollTop,
      column: lines.at(-1).length - place.prefix.length,
      scrollLeft,
    });
  };
  const choose = ({ insert }) => {
    const { selectionStart: caret } = area.current;
    area.current.setSelectionRange(caret - offered.length, caret);
    setOffered(undefined);
    type(insert);
  };
  const onKeyDown = (event) => {
    const { key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey && key === " ") {
      event.preventDefault();
      return offer(true);
    }
    if (ctrlKey || altKey || metaKey) return undefined;
    if (offered !== undefined) {
      const { options, active } = offered;
      const step = { ArrowDown: 1, ArrowUp: options.length - 1 }[key];
      if (step !== undefined) {
        event.preventDefault();
        return setOffered({ ...offered, active: (active + step) % options.length });
      }
      if (key === "Enter" || key === "Tab") {
        event.preventDefault();
        return choose(options[active]);
      }
      if (key === "Escape") {
        event.stopPropagation();
        return setOffered(undefined);
      }
    }
    if (key === "Enter") {
      event.preventDefault();
      type(`\n${indentAt(area.current)}`);
    }
    return undefined;
  };

  const faulty = new Set(problems.map(({ line }) => line));
  const count = text.split("\n").length;
  return html`
    <div class="yaml-editor">
      <div class="yaml-lines" ref=${gutter} aria-hidden="true">
        <pre>${Array.from({ length: count }, (_, index) => index + 1).join("\n")}</pre>
        ${[...faulty].filter(Boolean).map((line) =>
          html`
            <span key=${line} style=${{ top: `${(line - 1) * LINE_HEIGHT}px` }}>${line}</span>
          `
        )}
      </div>
      <textarea
        ref=${area}
        class="code"
        id="config-text"
        wrap="off"
        aria-label="Text of config.yaml"
        aria-describedby="config-keys"
        aria-autocomplete="list"
        aria-controls="config-options"
        aria-activedescendant=${offered && `config-option-${offered.active}`}
        autocomplete="off"
        autocapitalize="off"
        spellcheck=${false}
        value=${text}
        onInput=${(event) => {
          onInput(event.target.value);
          offer(false);
        }}
        onKeyDown=${onKeyDown}
        onBlur=${() => setOffered(undefined)}
        onClick=${() => setOffered(undefined)}
        onScroll=${(event) => {
          gutter.current.scrollTop = event.target.scrollTop;
          setOffered(undefined);
        }}
      ></textarea>
      <ul
        id="config-options"
        role="listbox"
        aria-label="Suggestions"
        hidden=${offered === undefined}
        style=${offered && {
          top: `${offered.top}px`,
          left: `calc(var(--gutter) + 8px + ${offered.column}ch - ${offered.scrollLeft}px)`,
        }}
        onMouseDown=${(event) => event.preventDefault()}
      >
        ${offered?.options.map((option, index) =>
          html`
            <li
              key=${option.text}
              id=${`config-option-${index}`}
              role="option"
              aria-selected=${String(index === offered.active)}
              onClick=${() => choose(option)}
            ><span class="mono">${option.text}</span> <span class="small">${option.hint}</span></li>
          `
        )}
      </ul>
    </div>
  `;
}

/** Inserts text like a keystroke, so that undo works. */
function type(text) {
  document.execCommand("insertText", false, text);
}

/** The indentation of a new line: that of the line, and more after a name without a value. */
function indentAt({ value, selectionStart }) {
  const line = value.slice(0, selectionStart).split("\n").at(-1);
  const [, indent, marks] = /^(\s*)((?:- )*)/.exec(line);
  const inner = indent + " ".repeat(marks.length);
  return /:\s*$/.test(line) ? `${inner}  ` : inner;
}

/** Selects the line, and shows it. */
function goTo(area, { line, column = 1 }) {
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  area.focus();
  area.setSelectionRange(start + column - 1, start + (lines[line - 1] ?? "").length);
  area.scrollTop = Math.max(0, (line - 5) * LINE_HEIGHT);
  area.scrollLeft = 0;
}
