/** Shared parts of transcription by vendors whose answers are not OpenAI's. */

import { GatewayError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json/object.ts";
import { converted, ignored } from "../contract/support.ts";
import type { VendorForm } from "../contract/form.ts";
import { fieldSupport } from "../contract/operation_api.ts";
import type {
  TranscriptionApi,
  TranscriptionBody,
  TranscriptionCall,
} from "../contract/transcriptions.ts";

/** For models that do not stream. */
export const AS_ONE_EVENT = converted("one event at the end");
export const NO_FIELD = ignored("no such field");
/** Formats that the gateway writes, the last one only where a vendor has times. */
const FORMATS: ReadonlySet<string> = new Set(["json", "text"]);
const VERBOSE = "verbose_json";

/** A transcript as a vendor gives it. */
export interface Transcript {
  readonly text: string;
  readonly language?: string | undefined;
  /** The length of the audio in seconds. */
  readonly seconds?: number | undefined;
  /** Words with their `start` and `end` in seconds. */
  readonly words?: readonly JsonObject[] | undefined;
  /** OpenAI's usage; that of the seconds if absent. */
  readonly usage?: JsonObject | undefined;
}

/** Records the format of an answer that the gateway cannot write, which becomes JSON. */
export function convertFormat(
  { receipt, request: { response_format: format } }: TranscriptionCall,
  hasWords: boolean,
): void {
  if (format === undefined || FORMATS.has(format) || hasWords && format === VERBOSE) return;
  receipt.convert("response_format", format, "json");
}

/** @throws {GatewayError} `unsupported_operation` for a translation. */
export function refuseTranslations({ provider, request: { task } }: TranscriptionCall): void {
  if (task !== "translations") return;
  const message = `The provider '${provider.id}' does not translate audio`;
  throw new GatewayError("unsupported_operation", message, { param: "model" });
}

/** Converts fields after the file, once they arrive. */
export function toLateFields(
  { model, provider, receipt }: TranscriptionCall,
  api: Pick<TranscriptionApi, "supports" | "supportFor">,
  listMark: string,
): NonNullable<VendorForm["toLateField"]> {
  return ([written, value]) => {
    const name = written.replace(/\[\]$/, "");
    const support = fieldSupport(name, api, model, provider);
    if (support?.level === "native") return [written === name ? name : name + listMark, value];
    if (support?.level === "renamed") return [support.to, value];
    receipt.ignore(name);
    return undefined;
  };
}

/** The answer in the format that the caller asks for. */
export function toAnswer(
  { text, language, seconds, words, usage }: Transcript,
  { request: { response_format: format, task } }: TranscriptionCall,
): TranscriptionBody {
  const duration = seconds === undefined ? undefined : { type: "duration", seconds };
  const used = usage ?? duration;
  const end = used === undefined ? {} : { usage: used };
  if (format !== VERBOSE || words === undefined) {
    return { answer: { text, ...end }, asText: format === "text" };
  }
  const name = task === "translations" ? "translate" : "transcribe";
  return {
    answer: {
      task: name,
      ...(language !== undefined && { language }),
      ...(seconds !== undefined && { duration: seconds }),
      text,
      words,
      ...end,
    },
  };
}
