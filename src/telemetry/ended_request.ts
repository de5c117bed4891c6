/** A request that has ended, with what log, ledger and metrics need of it, each read once. */

import type { AttemptRecord } from "../routing/attempt_records.ts";
import type { AttemptState } from "../routing/attempt_state.ts";
import type { RequestRecord } from "../routing/request_record.ts";

export interface EndedRequest {
  readonly record: RequestRecord;
  /** When it ended, as returned by the clock's `now()`. */
  readonly at: number;
  /** When it ended by the machine's clock, in milliseconds since the epoch. */
  readonly time: number;
  /** The attempts that a vendor may bill. Each has its final usage. */
  readonly billed: readonly AttemptState[];
  /** The attempts that have ended, and the requests that were sent again. */
  readonly attemptRecords: readonly AttemptRecord[];
  /** The name of the caller's format; empty for a request without a row in the ledger. */
  readonly format: string;
}

/** Reads the record of a request that has ended. */
export function toEndedRequest(record: RequestRecord, at: number, time: number): EndedRequest {
  const { attemptRecords, isModelRequest, passed, settled } = record;
  const billed = settled ?? record.settle();
  let format = isModelRequest ? record.format.name : "";
  if (passed !== undefined) format = "passthrough";
  return { record, at, time, billed, attemptRecords, format };
}
