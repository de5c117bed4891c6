/** A stream of a native API that another target can continue. */

import type { CallerFormat, StreamWriter } from "../../../apis/chat/caller_format.ts";
import type { Usage } from "../../../contract/chat.ts";
import type { StreamRecord } from "../../../apis/stream_record.ts";
import type { StreamContinuation } from "../../operation.ts";
import type { ResumableStream } from "./chat_continuation.ts";
import { ResumedWriter } from "./resumed_writer.ts";

/** What a native attempt needs for its stream to be continued. */
export interface NativeContinuation {
  /** Gets the events of the stream. */
  readonly record: StreamRecord;
  readonly continuation: StreamContinuation;
}

/** How the second part is written. */
export interface NativeStreamParts {
  readonly record: StreamRecord;
  /** Whether the request asks for plain text. Called after the stream was cut. */
  readonly isPlain: () => boolean;
  readonly format: CallerFormat;
  /** Creates the writer of the events that follow the recorded ones. */
  readonly createWriter: () => StreamWriter;
}

/** The events of one attempt, and those that may follow. */
export class NativeStream implements ResumableStream {
  readonly #parts: NativeStreamParts;

  constructor(parts: NativeStreamParts) {
    this.#parts = parts;
  }

  get text(): string | undefined {
    const { record: { text }, isPlain } = this.#parts;
    return text === undefined || text.trim() === "" || !isPlain() ? undefined : text;
  }

  resume(used: Usage | undefined, repeats: boolean): CallerFormat {
    const { createWriter, format, record: { text = "" } } = this.#parts;
    return {
      ...format,
      createStreamWriter: () => new ResumedWriter(createWriter(), { text, repeats, used }),
    };
  }
}
