/**
 * Conversations in Gemini's format: https://ai.google.dev/api/caching#Content,
 * https://ai.google.dev/gemini-api/docs/function-calling and
 * https://ai.google.dev/gemini-api/docs/thought-signatures (2026-11-20).
 */

import { type ContentPart, isObject, type JsonObject, type Message } from "../../contract/chat.ts";
import { InnerJson } from "../../core/json/inner_json.ts";
import type { GeminiModel } from "./models.ts";
import { contentPath, mergeTurns, type Turn, withoutLegacy } from "../shared/messages.ts";
import { type PairedCall, pairTools } from "../../apis/tool_pairing.ts";
import { readBase64, readMedia } from "../../apis/media.ts";
import { unsupportedContent } from "../shared/errors.ts";
import { Part } from "../../apis/gemini/usage.ts";
import type { Call } from "../../contract/vendor_request.ts";
import { invalidValue } from "../../core/errors.ts";

/** A request's messages in the vendor's format. */
interface Conversation {
  /** The parts of `systemInstruction`. */
  readonly system: readonly Part[];
  readonly contents: readonly { readonly role: "user" | "model"; readonly parts: Part[] }[];
}

/** The facts that the conversion of messages depends on. */
interface TurnRules {
  readonly model: GeminiModel;
  /** Whether a file's URL must be sent with its media type. */
  readonly typedFiles: boolean;
  /** The members that a result must not have. */
  readonly resultMembers: ReadonlySet<string>;
}

/** The prefix of IDs that the gateway created for calls without an ID. */
export const OWN_ID = "call_gw_";

/**
 * Converts the messages: instructions are separate, turns alternate and begin with the user, and
 * the results of parallel calls are in one turn, in the order of the calls.
 */
export function toConversation(call: Call, rules: TurnRules): Conversation {
  const { system, turns: readTurns } = readMessages(call, rules);
  const signed = rules.model.modern ? withSignatures(readTurns, call) : readTurns;
  const turns = mergeTurns(signed.map((turn): GeminiTurn =>
    // Older generations require a separate turn for results.
    turn.role === "function" && rules.model.modern ? { role: "user", blocks: turn.blocks } : turn
  ));
  if (turns.length === 0) {
    if (system.length === 0) {
      throw invalidValue("messages", "at least one message must contain text");
    }
    call.changes.convert("messages");
    return { system: [], contents: [{ role: "user", parts: [...system] }] };
  }
  const ended = withUserEnds(turns, call, rules.model);
  const [first, ...others] = ended.map(({ role, blocks }) => ({
    role: role === "model" ? role : "user" as const,
    parts: [...blocks],
  }));
  if (rules.model.system || first === undefined || system.length === 0) {
    return { system, contents: [...(first ? [first] : []), ...others] };
  }
  call.changes.convert("messages");
  return { system: [], contents: [{ ...first, parts: [...system, ...first.parts] }, ...others] };
}

type GeminiTurn = Turn<"user" | "model" | "function", Part>;

function readMessages(call: Call, rules: TurnRules): { system: Part[]; turns: GeminiTurn[] } {
  const messages = withoutLegacy(call.request.messages);
  const pairing = pairTools(messages, (id) => id);
  const json = new InnerJson();
  const system: Part[] = [];
  const turns: GeminiTurn[] = [];
  let results = NO_RESULTS;
  for (const [index, message] of messages.entries()) {
    if (message.name && message.role !== "tool") call.changes.ignore("messages.name");
    const answered = pairing.results.get(index);
    if (message.role === "tool") {
      if (answered) results.add(answered, toResult(message, index, answered, call, rules, json));
      continue;
    }
    const parts = toParts(message, index, call, rules);
    if (message.role === "system" || message.role === "developer") {
      for (const part of parts) system.push(part);
      continue;
    }
    const calls = pairing.calls.get(index) ?? NO_CALLS;
    // Most messages have no calls; a conversation may have many messages.
    if (results !== NO_RESULTS) turns.push(...results.turns);
    results = calls.length === 0 ? NO_RESULTS : new ResultBatch(calls);
    if (message.role === "user") turns.push({ role: "user", blocks: parts });
    else if (calls.length === 0) turns.push({ role: "model", blocks: parts });
    else turns.push({ role: "model", blocks: [...parts, ...toCalls(message, calls, rules)] });
  }
  turns.push(...results.turns);
  return { system, turns };
}

/** A result, and its media, which older generations do not support inside a result. */
interface Result {
  readonly part: Part;
  readonly media: readonly Part[];
}

/**
 * The results of one turn's calls. They may arrive in any order and are sent in the calls' order.
 */
class ResultBatch {
  readonly #calls: readonly PairedCall[];
  readonly #results = new Map<PairedCall, Result>();

  constructor(calls: readonly PairedCall[]) {
    this.#calls = calls;
  }

  add(call: PairedCall, result: Result): void {
    this.#results.set(call, result);
  }

  get turns(): GeminiTurn[] {
    const results = this.#calls.flatMap((call) => this.#results.get(call) ?? []);
    return [
      { role: "function", blocks: results.map(({ part }) => part) },
      { role: "user", blocks: results.flatMap(({ media }) => media) },
    ];
  }
}

const NO_CALLS: readonly PairedCall[] = [];
const NO_RESULTS = new ResultBatch(NO_CALLS);

/** A message's content without empty texts. */
function toParts(message: Message, index: number, call: Call, rules: TurnRules): Part[] {
  const { role, content } = message;
  const parts: Part[] = [];
  const addText = (text: string) => text !== "" && parts.push({ text });
  if (typeof content === "string") addText(content);
  for (const [at, part] of Array.isArray(content) ? content.entries() : []) {
    const path = contentPath(index, at);
    if (part.type === "text") addText(part.text);
    else if (part.type === "refusal") addText(part.refusal);
    else if (role === "user" || role === "tool") parts.push(toMedia(part, path, call, rules));
    else throw unsupportedContent(path, `messages of role '${role}' may contain only text`);
  }
  if (role === "assistant" && message.refusal) addText(message.refusal);
  // The vendor accepts an empty user message (observed 2026-08), which keeps the turns in order.
  if (role === "user" && parts.length === 0) parts.push({ text: "" });
  return parts;
}

function toMedia(
  part: ContentPart,
  path: string,
  { changes }: Call,
  rules: TurnRules,
): Part {
  if (part.type === "input_audio") return toAudio(part.input_audio, path);
  const detail = part.type === "image_url" ? part.image_url.detail : undefined;
  if (detail && detail !== "auto") changes.ignore("image_url.detail");
  const media = readMedia(part, path);
  if (!("url" in media)) return { inlineData: { mimeType: media.mediaType, data: media.data } };
  const { url } = media;
  if (!/^(?:https|gs):\/\//i.test(url) && !YOUTUBE.test(url)) {
    throw unsupportedContent(path, "URLs must be https, gs or data");
  }
  const mimeType = typeOfFile(url) ?? (rules.typedFiles ? typeOfPart(part) : undefined);
  return { fileData: { ...(mimeType && { mimeType }), fileUri: url } };
}

/** URLs of videos that the vendor reads itself. */
export const YOUTUBE =
  /^https?:\/\/(?:(?:www|m|music)\.)?(?:youtube(?:-nocookie)?\.com|youtu\.be)\//i;

/** The media type of a file by the extension of its URL; undefined if that is unknown. */
function typeOfFile(url: string): string | undefined {
  const extension = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase();
  return FILE_TYPES.get(extension ?? "");
}

/** The media type of a file without a known extension, for a vendor that requires one. */
function typeOfPart(part: ContentPart): string {
  if (part.type === "file_url") return "application/pdf";
  const url = part.type === "image_url" ? part.image_url.url : "";
  return part.type === "image_url" && !YOUTUBE.test(url) ? "image/jpeg" : "video/*";
}

/**
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/audio-understanding,
 * …/video-understanding and …/document-understanding (2026-11-20).
 */
const FILE_TYPES = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["aac", "audio/aac"],
  ["flac", "audio/flac"],
  ["m4a", "audio/m4a"],
  ["mp3", "audio/mp3"],
  ["ogg", "audio/ogg"],
  ["opus", "audio/ogg"],
  ["wav", "audio/wav"],
  ["3gp", "video/3gpp"],
  ["avi", "video/avi"],
  ["flv", "video/x-flv"],
  ["mov", "video/quicktime"],
  ["mp4", "video/mp4"],
  ["mpeg", "video/mpeg"],
  ["mpg", "video/mpg"],
  ["webm", "video/webm"],
  ["wmv", "video/wmv"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
]);

function toAudio(audio: { data: string; format: string }, path: string): Part {
  const mimeType = AUDIO_TYPES.get(audio.format.toLowerCase());
  if (mimeType === undefined) {
    throw unsupportedContent(path, `audio must be ${[...AUDIO_TYPES.keys()].join(", ")}`);
  }
  const data = readBase64(audio.data);
  if (data === undefined) throw invalidValue(`${path}.input_audio.data`, "it is not base64");
  return { inlineData: { mimeType, data } };
}

const AUDIO_TYPES = new Map([
  ["wav", "audio/wav"],
  ["mp3", "audio/mp3"],
  ["flac", "audio/flac"],
  ["aac", "audio/aac"],
  ["ogg", "audio/ogg"],
  ["opus", "audio/ogg"],
  ["pcm16", "audio/pcm"],
]);

function toCalls(message: Message, calls: readonly PairedCall[], rules: TurnRules): Part[] {
  const toolCalls = message.role === "assistant" ? message.tool_calls ?? [] : [];
  return calls.map((paired, at) => {
    const signature = signatureOf(toolCalls[at]?.extra_content);
    return {
      functionCall: { ...toIdentity(paired, rules), args: paired.input },
      ...(signature && { thoughtSignature: signature }),
    };
  });
}

/** The ID and name of a call. Only newer models accept IDs; the gateway's IDs are never sent. */
function toIdentity({ id, name }: PairedCall, { model }: TurnRules): JsonObject {
  const sent = model.modern && id !== "" && !id.startsWith(OWN_ID);
  return { ...(sent && { id }), name };
}

/** The thought signature; undefined for one that the vendor could not decode and would reject. */
function signatureOf(extra: unknown): string | undefined {
  const google = isObject(extra) && isObject(extra.google) ? extra.google : {};
  const { thought_signature: signature } = google;
  if (typeof signature !== "string" || signature === "") return undefined;
  if (signature === SKIP_SIGNATURE_CHECK) return signature;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(signature) && signature.length % 4 === 0
    ? signature
    : undefined;
}

/**
 * Makes the vendor skip the signature check, since calls by other vendors' models have no signature
 * (https://ai.google.dev/gemini-api/docs/thought-signatures, 2026-11-20). It must not be encoded:
 * https://github.com/googleapis/go-genai/issues/711 (2026).
 */
const SKIP_SIGNATURE_CHECK = "skip_thought_signature_validator";

/**
 * Adds a placeholder: since the last user message, the first call of each turn needs a signature.
 */
function withSignatures(turns: readonly GeminiTurn[], { changes }: Call): GeminiTurn[] {
  const current = turns.findLastIndex(({ role, blocks }) => role === "user" && blocks.length > 0);
  return turns.map((turn, index) => {
    if (turn.role !== "model" || index < current) return turn;
    const first = turn.blocks.findIndex((part) => part.functionCall !== undefined);
    if (first < 0 || turn.blocks[first]?.thoughtSignature !== undefined) return turn;
    changes.add("contents");
    const blocks = turn.blocks.map((part, at) =>
      at === first ? { ...part, thoughtSignature: SKIP_SIGNATURE_CHECK } : part
    );
    return { ...turn, blocks };
  });
}

function toResult(
  message: Message,
  index: number,
  answered: PairedCall,
  call: Call,
  rules: TurnRules,
  json: InnerJson,
): Result {
  const parts = toParts(message, index, call, rules);
  const texts = parts.flatMap(({ text }) => typeof text === "string" ? [text] : []);
  const media = parts.filter(({ text }) => text === undefined);
  const inside = rules.model.modern && media.length > 0;
  return {
    part: {
      functionResponse: {
        ...toIdentity(answered, rules),
        response: toResponse(texts.join(""), json, rules),
        ...(inside && { parts: media }),
      },
    },
    media: inside ? [] : media,
  };
}

/**
 * A result must be an object. Text stays text if it has numbers that the vendor would round,
 * members that it rejects, or more JSON than may be parsed.
 */
function toResponse(text: string, json: InnerJson, { resultMembers }: TurnRules): JsonObject {
  if (/^\s*[{[]/.test(text) && !/\d{16}/.test(text)) {
    try {
      const response = json.parseObject(text) ?? json.parseObject(`{"output":${text}}`) ?? {};
      return hasMember(response, resultMembers) ? { output: text } : response;
    } catch {
      // The text is not valid JSON.
    }
  }
  return { output: text };
}

/** Whether a value has one of the members, at any depth: the parser has bounded it. */
function hasMember(value: unknown, names: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.some((entry) => hasMember(entry, names));
  if (!isObject(value)) return false;
  for (const name in value) if (names.has(name) || hasMember(value[name], names)) return true;
  return false;
}

/** Adds the user turns without which the vendor would reject the conversation. */
function withUserEnds(turns: GeminiTurn[], call: Call, model: GeminiModel): GeminiTurn[] {
  const all = [...turns];
  const [first] = all;
  // Generation 3 accepts a conversation that begins with the model's text (observed 2026-08), but
  // calls must follow a user turn.
  const needsUser = !model.modern || !all.some(({ role }) => role === "user") ||
    first?.blocks.some(({ functionCall }) => functionCall !== undefined);
  if (first?.role === "model" && needsUser) {
    all.unshift({ role: "user", blocks: [{ text: "Continue." }] });
    call.changes.add("contents");
    call.changes.convert("messages");
  }
  // Rejected from 3.5 on: https://ai.google.dev/gemini-api/docs/whats-new-gemini-3.5 (2026-11-20).
  if (model.modern && all.at(-1)?.role === "model") {
    all.push({ role: "user", blocks: [{ text: "Continue from where you stopped." }] });
    call.changes.add("contents");
    call.changes.convert("messages");
  }
  return all;
}
