/** Converts the record of a request to a row of the ledger. */

import { pricesOf, usdOf } from "../governance/cost.ts";
import type { LedgerRow } from "../governance/ledger/row.ts";
import { toBilled, usedBy } from "../routing/request_record.ts";
import { toCount } from "../core/json/values.ts";
import type { EndedRequest } from "./record_queue.ts";

/** The row of a request; undefined for requests that do not ask a model. */
export function toLedgerRow({ record, at, time }: EndedRequest): LedgerRow | undefined {
  if (!record.asksModel) return undefined;
  const { error, firstTokenAt, reached, startedAt } = record;
  const { usage, source } = usedBy(record);
  const billed = usage && toBilled(record, usage);
  return {
    time,
    id: record.id,
    key: record.key,
    tags: record.tags,
    model: record.model,
    provider: reached?.provider,
    upstream: reached?.upstream,
    format: record.format.name,
    status: record.status,
    error: error?.code ?? error?.kind,
    attempts: record.attempts,
    input: usage?.prompt_tokens ?? 0,
    cachedInput: toCount(usage?.prompt_tokens_details?.cached_tokens),
    cacheWrite: toCount(usage?.prompt_tokens_details?.cache_write_tokens),
    output: usage?.completion_tokens ?? 0,
    reasoning: toCount(usage?.completion_tokens_details?.reasoning_tokens),
    source,
    usd: billed === undefined ? 0 : usdOf(billed),
    prices: billed && pricesOf(billed),
    ms: Math.max(0, at - startedAt),
    firstTokenMs: firstTokenAt === undefined ? undefined : Math.max(0, firstTokenAt - startedAt),
  };
}
