/**
 * Icons of 16 pixels in the color of the text. They are decorative: buttons have separate labels.
 */

import { html } from "./preact.js";

const PATHS = {
  overview: "M1.5 8.5h3l2-5.5 3 10 2-4.5h3",
  requests: "M5.5 3.5h9M5.5 8h9M5.5 12.5h9M1.5 3.5h1M1.5 8h1M1.5 12.5h1",
  sessions: "M2 3h9v6.5H6.5L4 12V9.5H2zM13 6v6h-1v2l-2.5-2H8",
  status: "M2 2.5h12V7H2zM2 9h12v4.5H2zM4.5 4.75h.01M4.5 11.25h.01",
  usage: "M2 14h12M3.5 11.5V8M8 11.5V2.5M12.5 11.5V5.5",
  savings: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 4.5v6M5.5 8L8 10.5 10.5 8",
  keys: "M5 8a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM7.2 8.8l6.3-6.3M10.5 5.5l2 2",
  playground: "M2.5 4l4 4-4 4M8.5 12.5h5",
  models: "M8 1.8l5.5 3v6.4L8 14.2l-5.5-3V4.8zM2.5 4.8L8 8l5.5-3.2M8 8v6",
  clients: "M3 3h10v7H3zM1.5 13h13",
  config:
    "M2 4.5h7M12.5 4.5H14M2 11.5h1.5M7 11.5h7M9 4.5a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 0 0-3.5 0zM3.5 11.5a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 0 0-3.5 0z",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  add: "M8 3v10M3 8h10",
  alias: "M3 5h7l3 3-3 3H3z",
  auto: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5v11M8 2.5a5.5 5.5 0 0 1 0 11",
  check: "M3 8.5l3.200 3.200L13 5",
  clear: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.800l.6-8.5",
  close: "M4 4l8 8M12 4l-8 8",
  code: "M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5",
  copy: "M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z",
  dark: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  down: "M4 6l4 4 4-4",
  edit: "M3 13l.7-3L10.5 3.200l2.300 2.300L6 12.300z",
  grip: "M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01",
  image: "M2.5 3.5h11v9h-11zM2.5 10.5l3-3 3 3 2-2 3 3M10 6.300v.2",
  keyboard: "M2 4.5h12v7.5H2zM4.5 7h.1M7 7h.1M9.5 7h.1M11.5 7h.1M5 9.700h6",
  light:
    "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.400 3.400l.7.7M11.900 11.900l.7.7M3.400 12.600l.7-.7M11.900 4.100l.7-.7",
  out: "M9.5 3H3.5v10h6M7 8h7M11.5 5.5L14 8l-2.5 2.5",
  receipt:
    "M3.5 2.5h9v11l-1.800-1.200L8.900 13.5 8 12.300l-.9 1.200-1.800-1.200-1.800 1.200zM6 6h4M6 9h4",
  right: "M6 4l4 4-4 4",
  retry: "M13 8a5 5 0 1 1-1.5-3.600L13 6M13 3v3h-3",
  save: "M4 2.5h8v11l-4-3-4 3z",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.300 10.300L13.5 13.5",
  send: "M8 13V3M4 7l4-4 4 4",
  settings:
    "M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M8.5 5a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 0 0-3.5 0zM4 11a1.75 1.75 0 1 0 3.5 0A1.75 1.75 0 0 0 4 11z",
  stop: "M4.5 4.5h7v7h-7z",
  up: "M4 10l4-4 4 4",
};

/** An icon by name. */
export function Icon({ name, size = 16 }) {
  return html`
    <svg
      width=${size}
      height=${size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d=${PATHS[name]} />
    </svg>
  `;
}
