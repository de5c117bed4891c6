/**
 * The transcriptions API: reads the form, and reads and writes the event stream.
 *
 * https://platform.openai.com/docs/api-reference/audio/createTranscription (2026-11).
 */

import {
  BINARY,
  FORM,
  json,
  jsonOrEvents,
  number,
  object,
  ref,
  text,
  toSchema,
} from "../openapi.ts";
import type { Usage } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import type { Frame } from "../../contract/stream_decoder.ts";
import type { BytesWriter, NativeStreamReader } from "../native_answers.ts";
import { parseEvent } from "../stream_record.ts";
import * as z from "zod";
import type { UploadedFile } from "../../contract/form.ts";
import {
  TRANSCRIPTION_PARAMETERS,
  type TranscriptionBody,
  type TranscriptionCall,
  type TranscriptionRequest,
  type TranscriptionTask,
} from "../../contract/media.ts";
import { GatewayError } from "../../core/errors.ts";
import { UNITS } from "../../core/units.ts";
import {
  inputUsage,
  NO_FIELD,
  type UnaryApi,
  type UnaryEndpoint,
  type UnaryKind,
  type Upload,
} from "../operation.ts";
import { modelMembers, readFields, toFieldMembers } from "../read_fields.ts";
import { readUsage } from "../responses/native_answers.ts";
import { audioSeconds } from "./audio_duration.ts";

// The stream of events of a transcription: https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event (2026-11).

const DELTA = "transcript.text.delta";
const DONE = "transcript.text.done";

/** The only event of an answer that arrived complete. */
function writeTranscriptEvent({ text, usage }: JsonObject): string {
  return toEvent({ type: DONE, text: isText(text) ? text : "", ...(isObject(usage) && { usage }) });
}

/** Writes the events of a plain text, piece by piece. */
class TranscriptWriter implements BytesWriter {
  readonly #decoder = new TextDecoder();
  #text = "";

  write(bytes: Uint8Array): string {
    const delta = this.#decoder.decode(bytes, { stream: true });
    this.#text += delta;
    return delta === "" ? "" : toEvent({ type: DELTA, delta });
  }

  end(): string {
    return toEvent({ type: DONE, text: this.#text });
  }
}

function toEvent(event: JsonObject): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** Reads the events of a vendor, which pass unchanged. Exported for tests. */
export class TranscriptStreamReader implements NativeStreamReader {
  started = false;
  complete = false;
  outputChars = 0;
  usage: Usage | undefined;
  readonly summary;
  readonly #readUsage: (answer: JsonObject) => Usage | undefined;

  constructor(model: string, readUsage: (answer: JsonObject) => Usage | undefined) {
    this.summary = { id: "", model, finishReasons: [] };
    this.#readUsage = readUsage;
  }

  push({ data }: Frame): { readonly error: unknown } | undefined {
    const body = parseEvent(data);
    if (isObject(body.error)) return { error: body };
    if (body.type === DELTA && isText(body.delta)) this.outputChars += body.delta.length;
    this.started ||= isText(body.type);
    if (body.type !== DONE) return undefined;
    this.complete = true;
    this.usage = this.#readUsage(body);
    return undefined;
  }
}

const texts = z.union([z.string(), z.array(z.string())]);

/** The members of a request that a schema checks. */
const transcriptionRequest = z.object({
  model: modelMembers.model,
  response_format: z.string().min(1).optional(),
  language: z.string().optional(),
  prompt: z.string().optional(),
  temperature: z.string().regex(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/, { error: "must be a number" })
    .optional(),
  stream: z.enum(["true", "false"]).optional(),
}).catchall(texts);

/**
 * Checks the fields of a form.
 *
 * @throws {GatewayError} `invalid_value` with the name of the first faulty field in `param`.
 */
function readTranscriptionRequest(
  form: JsonObject,
  file: UploadedFile,
  task: TranscriptionTask,
): TranscriptionRequest {
  const { stream, ...members } = readFields(form, transcriptionRequest);
  return {
    ...members,
    ...(stream !== undefined && { stream: stream === "true" }),
    task,
    file,
  } as unknown as TranscriptionRequest;
}

/** The upload of one form. */
class FormUpload implements Upload<TranscriptionRequest> {
  readonly #fields: JsonObject;
  readonly #file: UploadedFile;
  #failure: unknown;

  /** @param fields the fields before the file */
  constructor(fields: JsonObject, file: UploadedFile) {
    this.#fields = fields;
    this.#file = file;
  }

  checkRepeat(): void {
    if (this.#failure !== undefined && !this.#file.isKept) throw this.#failure;
  }

  failed(thrown: unknown): void {
    this.#failure ??= thrown;
  }

  async receive({ task }: TranscriptionRequest): Promise<TranscriptionRequest> {
    await this.#file.keep();
    const late = toFieldMembers(this.#file.lateFields);
    return readTranscriptionRequest({ ...this.#fields, ...late }, this.#file, task);
  }
}

/** Reads the requests of an endpoint: forms, and their fields for explanations. */
function readForms(
  task: TranscriptionTask,
): Required<Pick<UnaryEndpoint<TranscriptionRequest, TranscriptionBody>, "read" | "readForm">> {
  const readForm = (fields: JsonObject, file: UploadedFile) => {
    const request = readTranscriptionRequest(fields, file, task);
    const upload = new FormUpload(fields, file);
    return {
      request,
      toKind: (isLimited: boolean) =>
        toKind(upload, isLimited ? MIN_BYTES_PER_SECOND : BYTES_PER_SECOND),
    };
  };
  return {
    readForm,
    read(body) {
      if (!isObject(body)) {
        throw new GatewayError("invalid_request", "The request body must be a JSON object");
      }
      const { file: _, ...fields } = body;
      return readForm(fields, NO_FILE);
    },
  };
}

/** The placeholder file of an explanation. */
const NO_FILE: UploadedFile = {
  filename: "file",
  type: "application/octet-stream",
  whole: new Uint8Array(0),
  head: new Uint8Array(0),
  isKept: true,
  size: 0,
  async *read() {},
  keep: () => Promise.resolve(),
  lateFields: [],
};

const TEXT = "text/plain; charset=utf-8";
/** Bytes per second of audio of unknown duration: 128 kbit/s. */
const BYTES_PER_SECOND = 16_000;
/** The same for keys with limits: 8 kbit/s, since callers choose the rate. */
const MIN_BYTES_PER_SECOND = 1000;
/**
 * Tokens per second of audio, and of its transcript, for models that are billed by tokens: 0.006
 * dollars a minute at 6 dollars per million (https://platform.openai.com/docs/pricing, 2026-11).
 */
const INPUT_PER_SECOND = 17;
const OUTPUT_PER_SECOND = 5;

const STRUCTURAL: ReadonlySet<string> = new Set(["task", "file"]);

/** @param bytesPerSecond for audio of unknown duration */
function toKind(
  upload: FormUpload | undefined,
  bytesPerSecond: number,
): UnaryKind<TranscriptionRequest, TranscriptionBody> {
  return {
    name: "transcriptions",
    structural: STRUCTURAL,
    apiOf: ({ apis }) => apis.transcriptions,
    ...(upload && { uploadOf: () => upload }),
    isDefault: (name, value) =>
      name === "stream" && value === false || name === "response_format" && value === "json",
    estimate({ file }) {
      // The size of an upload may be unknown. At least one second is counted, since an exhausted
      // limit would otherwise admit it; it is billed by the received size.
      const seconds = () =>
        Math.max(1, Math.ceil(audioSeconds(file) ?? file.size / bytesPerSecond));
      return {
        get input() {
          return seconds() * INPUT_PER_SECOND;
        },
        get maxOutput() {
          return seconds() * OUTPUT_PER_SECOND;
        },
        get units() {
          return { seconds: seconds() };
        },
      };
    },
    write: ({ answer, asText }, call, { id }) => ({
      ...(asText
        ? { text: String(answer.text), contentType: TEXT }
        : { text: JSON.stringify(answer) }),
      ...summaryOf(answer, call, id),
    }),
    streams: {
      isAsked: ({ stream }) => stream === true,
      createReader: ({ model }) => new TranscriptStreamReader(model.upstream, usageIn),
      write: ({ answer }, call, { id }) => ({
        text: writeTranscriptEvent(answer),
        ...summaryOf(answer, call, id),
      }),
    },
    passes(_, type) {
      // For example, an error page of a proxy.
      if (type.includes("html")) return undefined;
      return { usage: undefined, outputChars: 0, createWriter: () => new TranscriptWriter() };
    },
  };
}

function summaryOf(answer: JsonObject, { model }: TranscriptionCall, id: string) {
  return { id, model: model.upstream, usage: usageIn(answer) };
}

/** The tokens and the seconds that a vendor reports; undefined if it reports neither. */
function usageIn({ duration, usage }: JsonObject): Usage | undefined {
  const counts = isObject(usage) ? usage : {};
  const [seconds] = [counts.seconds, counts.prompt_audio_seconds, Number(duration)]
    .filter((value) => typeof value === "number" && Number.isFinite(value) && value > 0);
  const tokens = tokensIn(counts);
  if (seconds === undefined) return tokens;
  return { ...(tokens ?? inputUsage(0)), [UNITS]: { seconds: Number(seconds) } };
}

function tokensIn(counts: JsonObject): Usage | undefined {
  if (typeof counts.input_tokens === "number") return readUsage(counts);
  const { prompt_tokens: input, completion_tokens: output } = counts;
  if (typeof input !== "number") return undefined;
  return readUsage({ input_tokens: input, output_tokens: output });
}

const FORM_OF_AUDIO = { mirror: "deployments", schema: transcriptionRequest } as const;

/** The description of both endpoints. */
function describeForm() {
  return {
    tag: "Media",
    body: [FORM, ref("TranscriptionRequest")],
    request: ["TranscriptionRequest", toSchema(transcriptionRequest, { file: BINARY })],
    schemas: {
      Transcription: object({ text }, { language: text, duration: number, usage: object({}) }),
      TranscriptionEvent: object({ type: text }, { delta: text, text }),
    },
  } as const;
}

/** Transcription. Transcription models support no other operation. */
export const transcriptions: UnaryApi<TranscriptionRequest, TranscriptionBody> = {
  ...toKind(undefined, BYTES_PER_SECOND),
  noun: "transcription",
  title: "Transcription",
  endpoints: [
    {
      path: "/v1/audio/transcriptions",
      explainedAs: "transcriptions",
      ...FORM_OF_AUDIO,
      describe: () => ({
        ...describeForm(),
        summary: "Transcribe audio",
        answers: { ...jsonOrEvents("Transcription"), "text/plain": text },
        events: "TranscriptionEvent",
        example: { file: "@hello.wav" },
      }),
      ...readForms("transcriptions"),
    },
    {
      path: "/v1/audio/translations",
      explainedAs: "translations",
      ...FORM_OF_AUDIO,
      describe: () => ({
        ...describeForm(),
        summary: "Translate audio into English",
        answers: { ...json("Transcription"), "text/plain": text },
        example: { file: "@hallo.wav" },
      }),
      ...readForms("translations"),
    },
  ],
  parameters: TRANSCRIPTION_PARAMETERS,
  usualNotes: NO_FIELD,
};
