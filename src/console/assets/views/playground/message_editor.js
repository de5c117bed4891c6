/** Edits a user message: text and images. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { IconButton } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { bytes } from "../../lib/format.js";
import { IMAGE_TYPES, readImages } from "./images.js";

/**
 * @param {{ message: { text: string, images: object[] }, onChange: (message: object) => void,
 *   label: string, placeholder?: string, children: unknown }} props the children are the buttons
 */
export function MessageEditor({ message, onChange, label, placeholder, inputRef, children }) {
  const picker = useRef(null);
  const latest = useRef(message);
  latest.current = message;
  const [faults, setFaults] = useState([]);
  const [isOver, setOver] = useState(false);
  // An image error is cleared once the message is sent or its images change.
  useEffect(() => setFaults((before) => before.length === 0 ? before : []), [
    message.images.length,
    message.text === "",
  ]);

  const add = async (files) => {
    const read = await readImages(files, latest.current.images);
    if (read.images.length > 0) {
      const { text, images } = latest.current;
      onChange({ text, images: [...images, ...read.images] });
    }
    // Runs after the change, which clears earlier errors.
    setTimeout(() => setFaults(read.faults));
  };
  const onPaste = (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  };
  const onDrop = (event) => {
    setOver(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  };
  const onDragOver = (event) => {
    if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };

  return html`
    <div
      class=${`editor ${isOver ? "over" : ""}`}
      onDrop=${onDrop}
      onDragOver=${onDragOver}
      onDragLeave=${() => setOver(false)}
    >
      <${Thumbnails}
        images=${message.images}
        onRemove=${(image) =>
          onChange({
            ...message,
            images: message.images.filter((other) => other !== image),
          })}
      />
      <textarea
        ref=${inputRef}
        class="growing"
        rows="2"
        aria-label=${label}
        placeholder=${placeholder}
        value=${message.text}
        onInput=${(event) => onChange({ ...message, text: event.target.value })}
        onPaste=${onPaste}
      ></textarea>
      ${faults.length > 0 && html`
        <div class="fault" role="alert">${faults.map((fault) =>
          html`<p key=${fault}>${fault}</p>`
        )}</div>
      `}
      <div class="editor-tools">
        <input
          ref=${picker}
          type="file"
          class="only-read"
          tabindex="-1"
          aria-label="Add images"
          multiple
          accept=${IMAGE_TYPES.join(",")}
          onChange=${async (event) => {
            await add([...event.target.files]);
            event.target.value = "";
          }}
        />
        <${IconButton}
          icon="image"
          label="Add images (or paste, or drop them here)"
          onClick=${() => picker.current.click()}
        />
        ${children}
      </div>
      ${isOver && html`<div class="drop-note"><${Icon} name="image" />Drop images here</div>`}
    </div>
  `;
}

/** The images of a message. */
export function Thumbnails({ images, onRemove }) {
  if (images.length === 0) return null;
  return html`
    <ul class="thumbnails" aria-label="Images">
      ${images.map((image, index) =>
        html`
          <li key=${index}>
          ${image.url.startsWith("data:image/")
            ? html`<img src=${image.url} alt=${image.name} title=${`${image.name}, ${
              bytes(image.size)
            }`} />`
            : html`<span class="mono small wrap-anywhere">${image.url}</span>`}
            ${onRemove && html`
              <${IconButton}
                icon="close"
                class="small"
                label=${`Remove ${image.name}`}
                onClick=${() => onRemove(image)}
              />
            `}
          </li>
        `
      )}
    </ul>
  `;
}
