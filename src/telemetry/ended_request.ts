/** A request that has ended, with what log, ledger and metrics need of it, each read once. */

import { toUsd } from "../governance/cost.ts";
import type { AttemptRecord } from "../routing/attempt_records.ts";
import type { AttemptState } from "../routing/attempt_state.ts";
import type { Used } from "../routing/attempt_usage.ts";
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
  /** The number of requests that were sent to vendors. */
  readonly requests: number;
  /** The usage of all attempts. */
  readonly used: Used;
  /** Their cost in US dollars; undefined if a price is unknown. */
  readonly usd: number | undefined;
}

/** Reads the record of a request that has ended. */
export function toEndedRequest(record: RequestRecord, at: number, time: number): EndedRequest {
  const { attempts: requests, attemptRecords, billed, used } = record;
  return { record, at, time, billed, attemptRecords, requests, used, usd: toUsd(used.microUsd) };
}
