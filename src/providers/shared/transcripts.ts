/** Shared parts of transcription by vendors whose answers are not in OpenAI's format. */

import { GatewayError } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { converted, ignored, type Support } from "../../contract/support.ts";
import type { VendorForm } from "../../contract/form.ts";
import { fieldSupport } from "../../contract/operation_api.ts";
import type {
  TranscriptionApi,
  TranscriptionBody,
  TranscriptionCall,
  TranscriptionParameter,
} from "../../contract/media.ts";
import { isText } from "../../core/json/values.ts";
import type { VendorRequest } from "../../contract/vendor_request.ts";

/** For models that do not stream. */
export const AS_ONE_EVENT = converted("one event at the end");
export const NO_FIELD = ignored("no such field");
/** Formats that the gateway can write; the last one only if the vendor returns timestamps. */
const FORMATS: ReadonlySet<string> = new Set(["json", "text"]);
const VERBOSE = "verbose_json";

/** A vendor's transcript. */
interface Transcript {
  readonly text: string;
  readonly language?: string | undefined;
  /** The length of the audio in seconds. */
  readonly seconds?: number | undefined;
  /** Words with their `start` and `end` in seconds. */
  readonly words?: readonly JsonObject[] | undefined;
  /** OpenAI's usage; derived from the seconds if absent. */
  readonly usage?: JsonObject | undefined;
}

/** Records that the answer will be JSON if the gateway cannot write the requested format. */
export function convertFormat(
  { changes, request: { response_format: format } }: TranscriptionCall,
  hasWords: boolean,
): void {
  if (format === undefined || FORMATS.has(format) || hasWords && format === VERBOSE) return;
  changes.convert("response_format", format, "json");
}

/** @throws {GatewayError} `unsupported_operation` for a translation. */
export function refuseTranslations({ provider, request: { task } }: TranscriptionCall): void {
  if (task !== "translations") return;
  const message = `The provider '${provider.id}' does not translate audio`;
  throw new GatewayError("unsupported_operation", message, { param: "model" });
}

/** Converts fields after the file, once they arrive. */
export function toLateFields(
  { model, provider, changes }: TranscriptionCall,
  api: Pick<TranscriptionApi, "supports" | "supportFor">,
  listMark: string,
): NonNullable<VendorForm["toLateField"]> {
  return ([written, value]) => {
    const name = written.replace(/\[\]$/, "");
    const support = fieldSupport(name, api, model, provider);
    if (support?.level === "native") return [written === name ? name : name + listMark, value];
    if (support?.level === "renamed") return [support.to, value];
    changes.ignore(name);
    return undefined;
  };
}

/** The answer in the requested format. */
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

/** Reads the vendor's transcript. */
interface WordTranscript {
  readonly text: unknown;
  readonly language: unknown;
  /** The first number is the length of the audio in seconds. */
  readonly seconds: readonly unknown[];
  /** With `word`, `start` and `end`, in seconds. */
  readonly words: readonly JsonObject[];
}

/** The parts that differ between such vendors. */
interface WordTranscriptions {
  readonly parameters: Readonly<Pick<Record<TranscriptionParameter, Support>, "language">> & {
    readonly temperature?: Support;
  };
  readonly extensions: Readonly<Record<string, Support>>;
  toRequest(call: TranscriptionCall, api: TranscriptionApi): VendorRequest;
  read(body: JsonObject): WordTranscript;
}

/** Transcription by such a vendor. */
export function wordTranscriptions(row: WordTranscriptions): TranscriptionApi {
  const api: TranscriptionApi = {
    supports: {
      parameters: {
        language: row.parameters.language,
        prompt: NO_FIELD,
        response_format: converted("json, text, or verbose_json with words; json for others"),
        temperature: row.parameters.temperature ?? NO_FIELD,
        timestamp_granularities: converted("verbose_json has the times of words"),
        include: NO_FIELD,
        chunking_strategy: NO_FIELD,
        stream: AS_ONE_EVENT,
      },
      extensions: row.extensions,
    },
    adds: {},
    toRequest(call) {
      refuseTranslations(call);
      convertFormat(call, true);
      return row.toRequest(call, api);
    },
    toBody({ body }, call) {
      if (!isObject(body)) return undefined;
      const { text, language, seconds, words } = row.read(body);
      if (typeof text !== "string") return undefined;
      return toAnswer({
        text,
        language: isText(language) ? language : undefined,
        seconds: seconds.find((value) => typeof value === "number"),
        words,
      }, call);
    },
  };
  return api;
}
