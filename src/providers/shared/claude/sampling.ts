/** Sampling parameters, stop sequences and token limits, by the rules of the Claude models. */

import type { Call } from "../../contract/adapter.ts";
import { isDefault } from "../../contract/support.ts";

/** The sampling parameters that are sent. */
export interface Sampling {
  readonly temperature?: number;
  readonly top_p?: unknown;
  readonly top_k?: unknown;
}

/** The highest temperature; OpenAI's is 2. */
const MAX_TEMPERATURE = 1;

/**
 * The sampling parameters of a request that the model accepts; the receipt names the others.
 *
 * @param accepted whether the model accepts any; a model that thinks does not
 * @param together whether the model accepts temperature and top_p in one request
 */
export function toSampling(
  { request, receipt, fields: { temperature, top_p, top_k } }: Call,
  accepted: boolean,
  together: boolean,
): Sampling {
  const sent: { -readonly [Name in keyof Sampling]: Sampling[Name] } = {};
  const ignore = (name: string, value: unknown) => {
    if (value !== undefined && !isDefault(name, value, request)) receipt.ignore(name);
  };
  if (accepted && typeof temperature === "number") {
    sent.temperature = Math.min(temperature, MAX_TEMPERATURE);
    if (temperature > MAX_TEMPERATURE) {
      receipt.convert("temperature", temperature, MAX_TEMPERATURE);
    }
  } else ignore("temperature", temperature);
  const alone = temperature === undefined || together;
  if (accepted && alone && top_p !== undefined) sent.top_p = top_p;
  else ignore("top_p", top_p);
  if (accepted && Number.isInteger(top_k)) sent.top_k = top_k;
  else ignore("top_k", top_k);
  return sent;
}

/** The stop sequences, without blank ones, which the vendor refuses. */
export function toStopSequences(
  { request: { stop }, receipt }: Call,
): readonly string[] | undefined {
  const given = typeof stop === "string" ? [stop] : stop ?? [];
  const sent = given.filter((text) => text.trim() !== "");
  if (sent.length < given.length) receipt.ignore("stop");
  return sent.length > 0 ? sent : undefined;
}

/**
 * The caller's limit on the length of the answer, in tokens, reduced to the model's maximum.
 *
 * @param maxTokens the model's maximum; undefined if it is not known
 */
export function limitTokens(
  { request: { max_tokens, max_completion_tokens } }: Call,
  maxTokens: number | undefined,
): number | undefined {
  const asked = max_completion_tokens ?? max_tokens;
  return asked === undefined || maxTokens === undefined ? asked : Math.min(asked, maxTokens);
}

/** Records in the receipt what {@linkcode limitTokens} reduced or left out. */
export function noteTokenLimit({ request, receipt }: Call, sent: number | undefined): void {
  const { max_tokens, max_completion_tokens } = request;
  const name = max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens";
  const asked = request[name];
  if (max_tokens !== undefined && max_tokens !== asked) receipt.ignore("max_tokens");
  if (asked !== undefined && sent !== undefined && asked > sent) receipt.convert(name, asked, sent);
}
