/** A growing text of a run. */

import { html, useEffect, useRef } from "../../lib/preact.js";
import { FrameWriter } from "../../lib/frame_writer.js";
import { MarkdownWriter } from "../../lib/markdown.js";

/**
 * One part of a run's answer. The element is filled outside rendering.
 *
 * @param {{ run: object, part: "content" | "reasoning" | "refusal", class?: string }} props
 */
export function StreamedText({ run, part, class: name = "" }) {
  const element = useRef(null);
  useEffect(() => {
    const root = element.current;
    root.replaceChildren();
    const markdown = new MarkdownWriter(root);
    let isEnded = false;
    const end = () => {
      if (isEnded || run.isOpen) return;
      isEnded = true;
      markdown.end();
    };
    const frames = new FrameWriter((text) => markdown.write(text), end);
    const before = run.fold[part];
    if (before !== "") frames.add(before);
    const endText = run.onText((written, text) => written === part && frames.add(text));
    // The last line is written when the run has ended and the queue is empty.
    const endChange = run.onChange(() => frames.isIdle && end());
    if (frames.isIdle) end();
    return () => {
      endText();
      endChange();
      frames.stop();
    };
  }, [run, part]);
  return html`<div ref=${element} class=${`text ${name}`}></div>`;
}
