/** Transcription, and translation of audio. */

import { OTHER_OPERATIONS } from "../../../contract/operations.ts";
import {
  TRANSCRIPTION_PARAMETERS,
  type TranscriptionBody,
  type TranscriptionCall,
  type TranscriptionRequest,
  type TranscriptionTask,
} from "../../../contract/media.ts";
import type { OperationEndpoint, OperationKind } from "../../operation_kind.ts";
import type { Usage } from "../../../contract/chat.ts";
import type { Config, ServiceKey } from "../../../config/config.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { UNITS } from "../../../core/units.ts";
import { GatewayError } from "../../../core/errors.ts";
import { readUsage } from "../../../apis/responses/native_answers.ts";
import {
  readTranscriptionRequest,
  TranscriptStreamReader,
  TranscriptWriter,
  writeTranscriptEvent,
} from "../../../apis/transcriptions/transcriptions.ts";
import { audioSeconds } from "../../../apis/transcriptions/audio_duration.ts";
import type { UploadedFile } from "../../../contract/form.ts";
import type { ApiKind } from "../../feature.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import {
  inputUsage,
  toTables,
  type UnaryKind,
  unaryRequest,
  type Upload,
} from "../unary/unary_operation.ts";
import { toFieldMembers } from "../../../apis/read_fields.ts";

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

const API: ApiKind = { format: "transcriptions", idPrefix: "", operation: "transcriptions" };

/** Reads the requests of an endpoint: forms, and their fields for explanations. */
function readForms(
  task: TranscriptionTask,
): Required<Pick<OperationEndpoint, "read" | "readForm">> {
  const readForm = (fields: JsonObject, file: UploadedFile): ParsedRequest => {
    const request = readTranscriptionRequest(fields, file, task);
    const upload = new FormUpload(fields, file);
    return unaryRequest(API, { request }, request.stream === true, (context) => {
      const { principal: { key }, config: { limits } } = context;
      const rate = isLimited(key, limits) ? MIN_BYTES_PER_SECOND : BYTES_PER_SECOND;
      return toKind(upload, rate);
    });
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

/** Whether a wrong estimate could exceed a limit or a budget. */
function isLimited(
  { budget, endUsers, limits }: ServiceKey,
  { defaults, models }: Config["limits"],
): boolean {
  const isOfKey = Object.values(limits ?? defaults).some((limit) => limit !== undefined);
  return isOfKey || budget !== undefined || endUsers !== undefined || models.size > 0;
}

/** @param bytesPerSecond for audio of unknown duration */
function toKind(
  upload: FormUpload,
  bytesPerSecond: number,
): UnaryKind<TranscriptionRequest, TranscriptionBody> {
  return {
    name: "transcriptions",
    structural: new Set(["task", "file"]),
    apiOf: ({ transcriptions }) => transcriptions,
    uploadOf: () => upload,
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

/** Transcription. Transcription models support no other operation. */
export const transcriptions: OperationKind = {
  name: "transcriptions",
  noun: "transcription",
  endpoints: [
    {
      path: "/v1/audio/transcriptions",
      explainedAs: "transcriptions",
      ...readForms("transcriptions"),
    },
    { path: "/v1/audio/translations", explainedAs: "translations", ...readForms("translations") },
  ],
  models: OTHER_OPERATIONS.transcriptions,
  support: {
    group: { member: "transcriptions", title: "Transcription" },
    parameters: TRANSCRIPTION_PARAMETERS,
    contentMember: "contents",
    contents: [],
    tablesOf: ({ transcriptions: api }) => api && toTables(api),
    isUsual: ({ note }) => note === "no such field",
  },
};
