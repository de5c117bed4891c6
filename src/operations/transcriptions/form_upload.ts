/** An upload that is sent as it arrives: another target can get it only while it is kept. */

import type { JsonObject } from "../../core/json/object.ts";
import { toFieldMembers } from "../../formats/read_fields.ts";
import { readTranscriptionRequest } from "../../formats/transcriptions/transcriptions.ts";
import type { UploadedFile } from "../../providers/contract/form.ts";
import type { TranscriptionRequest } from "../../providers/contract/transcriptions.ts";
import type { Upload } from "../unary/operation.ts";

/** The upload of one form. */
export class FormUpload implements Upload<TranscriptionRequest> {
  readonly #fields: JsonObject;
  readonly #file: UploadedFile;
  #failure: unknown;

  /** @param fields those before the file */
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
