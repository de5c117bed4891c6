/** The requests of the playground other than chats: images, speech, transcriptions and rankings. */

import { readParameter } from "./parameters.js";

/**
 * The kinds by the capability of their models, in the order in which the page shows them. Fields
 * are parameters; `long` is a multi-line text. The first field is required.
 *
 * @type {Map<string, { title: string, path: string, verb: string, takesFile?: boolean, fields:
 * (import("./parameters.js").Parameter & { isRequired?: boolean })[] }>}
 */
export const MEDIA = new Map([
  ["images", {
    ...{ title: "Image", path: "/v1/images/generations", verb: "Create" },
    fields: [
      { name: "prompt", kind: "long", isRequired: true, placeholder: "What the image shows" },
      { name: "size", kind: "text", hint: "Such as 1024x1024" },
      { name: "quality", kind: "text", hint: "Such as low, medium or high" },
      { name: "n", kind: "integer", min: 1, max: 10 },
    ],
  }],
  ["speech", {
    ...{ title: "Speech", path: "/v1/audio/speech", verb: "Speak" },
    fields: [
      { name: "input", kind: "long", isRequired: true, placeholder: "The text to speak" },
      { name: "voice", kind: "text", isRequired: true },
      { name: "instructions", kind: "text" },
      { name: "speed", kind: "number", min: 0.25, max: 4, step: 0.25 },
      { name: "response_format", kind: "choice", options: ["mp3", "wav", "opus", "aac", "flac"] },
    ],
  }],
  ["transcription", {
    ...{ title: "Transcription", path: "/v1/audio/transcriptions", verb: "Transcribe" },
    takesFile: true,
    fields: [
      { name: "language", kind: "text", hint: "Such as en" },
      { name: "prompt", kind: "text", hint: "Names and words that occur" },
      { name: "temperature", kind: "number", min: 0, max: 1, step: 0.1 },
    ],
  }],
  ["rerank", {
    ...{ title: "Rerank", path: "/v1/rerank", verb: "Rank" },
    fields: [
      { name: "query", kind: "long", isRequired: true, placeholder: "What is looked for" },
      {
        ...{ name: "documents", kind: "lines", isRequired: true },
        ...{ hint: "One document per line", placeholder: "The texts to rank" },
      },
      { name: "top_n", kind: "integer", min: 1 },
    ],
  }],
]);

/** The initial texts of a kind. */
export function firstTexts(kind) {
  return kind === "speech" ? { voice: "alloy" } : {};
}

/**
 * Reads the user's input.
 *
 * @param {string} kind
 * @param {{ model: string, texts: Record<string, string>, file: File | null }} entry
 * @returns {{ body: Record<string, unknown>, errors: Map<string, string> }} the file is not in the
 * body
 */
export function readMedia(kind, { model, texts, file }) {
  const { fields, takesFile } = MEDIA.get(kind);
  const body = { model };
  const errors = new Map();
  if (model.trim() === "") errors.set("model", "Choose a model");
  if (takesFile && file === null) errors.set("file", "Choose a file");
  for (const field of fields) {
    const { name, isRequired } = field;
    const read = readParameter(field, texts[name] ?? "");
    if ("error" in read) errors.set(name, read.error);
    else if ("value" in read) body[name] = read.value;
    else if (isRequired) errors.set(name, "Must not be empty");
  }
  return { body, errors };
}

/** The body of a request with a file. */
export function toForm(body, file) {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.append(name, String(value));
  form.append("file", file);
  return form;
}

/**
 * The documents of a ranking, the best first.
 *
 * @param {{ results?: { index: number, relevance_score: number }[] }} answer
 * @param {string[]} documents as they were sent
 * @returns {{ index: number, score: number, text: string }[]}
 */
export function toRanking({ results = [] }, documents) {
  return results.map(({ index, relevance_score: score }) => ({
    ...{ index, score, text: documents[index] ?? "" },
  }));
}

/** The types of images by the first characters of their Base64. */
const IMAGE_STARTS = [["/9j/", "image/jpeg"], ["UklGR", "image/webp"], ["R0lGOD", "image/gif"]];

/**
 * The images of an answer as URLs. The page does not load images from other origins.
 *
 * @param {{ data?: { b64_json?: string, url?: string, revised_prompt?: string }[] }} answer
 */
export function toImages({ data = [] }) {
  return data.map(({ b64_json: data64, url, revised_prompt: prompt }) => {
    if (typeof data64 !== "string") return { url: String(url), isData: false, prompt };
    const [, type] = IMAGE_STARTS.find(([start]) => data64.startsWith(start)) ?? ["", "image/png"];
    return { url: `data:${type};base64,${data64}`, isData: true, prompt };
  });
}
