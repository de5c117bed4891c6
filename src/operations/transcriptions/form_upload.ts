/** An upload that is sent as it arrives: another target can get it only while it is kept. */

import type { UploadedFile } from "../../providers/contract/form.ts";
import type { Upload } from "../unary/operation.ts";

/** The upload of one form. */
export class FormUpload implements Upload {
  readonly #file: UploadedFile;
  #failure: unknown;

  constructor(file: UploadedFile) {
    this.#file = file;
  }

  checkRepeat(): void {
    if (this.#failure !== undefined && !this.#file.isKept) throw this.#failure;
  }

  failed(thrown: unknown): void {
    this.#failure ??= thrown;
  }
}
