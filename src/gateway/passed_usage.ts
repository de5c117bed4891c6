/** Reads the usage of answers that are forwarded unchanged from their text. */

import { isObject, type Usage } from "../contract/chat.ts";
import { tokensOfChars } from "../apis/chat/token_estimate.ts";
import { toCount } from "../core/json/values.ts";

/** The number of UTF-16 units to keep from the end of an answer or event. */
const MAX_KEPT = 256 * 1024;

/** A vendor's usage object. Inside a string, its quotation marks would be escaped. */
const USAGE = /"(?:usage|usageMetadata|usage_metadata)"\s*:\s*\{/g;

/** The members that contain the text of an answer. */
const TEXT =
  /"(?:content|text|delta|thinking|partial_json|arguments|reasoning|reasoning_content|refusal)"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"/g;

/** Collects one answer's usage. */
export class PassedUsage {
  readonly #isStream: boolean;
  readonly #decoder = new TextDecoder();
  #kept = "";
  #chars = 0;
  #input: number | undefined;
  #cached = 0;
  #cacheWrite = 0;
  #output: number | undefined;
  #reasoning = 0;

  private constructor(type: string) {
    this.#isStream = type.includes("event-stream") || type.includes("ndjson");
  }

  /** A reader for this content type; undefined if such answers do not report usage. */
  static for(type: string | null): PassedUsage | undefined {
    const lower = type?.toLowerCase() ?? "";
    return /json|event-stream/.test(lower) ? new PassedUsage(lower) : undefined;
  }

  /** Reads the members of a usage object, whichever vendor's names it uses. */
  static read(members: Record<string, unknown>): Usage | undefined {
    const usage = new PassedUsage("");
    usage.#take(members);
    return usage.end(true);
  }

  /** Reads the next bytes. */
  push(packet: Uint8Array): void {
    this.#kept += this.#decoder.decode(packet, { stream: true });
    if (this.#isStream) {
      const end = this.#kept.lastIndexOf("\n");
      if (end !== -1) {
        this.#read(this.#kept.slice(0, end));
        this.#kept = this.#kept.slice(end + 1);
      }
    }
    // Truncated only rarely, so that the total work is linear.
    if (this.#kept.length > 2 * MAX_KEPT) this.#kept = this.#kept.slice(-MAX_KEPT);
  }

  /**
   * The vendor's usage; undefined if the vendor does not report any.
   *
   * @param isComplete whether the answer has ended; otherwise at least the received text is counted
   */
  end(isComplete: boolean): Usage | undefined {
    this.#read(this.#kept);
    this.#kept = "";
    if (this.#input === undefined && this.#output === undefined) return undefined;
    const input = this.#input ?? 0;
    const least = isComplete ? 0 : tokensOfChars(this.#chars);
    const output = Math.max(this.#output ?? 0, least);
    return {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: {
        cached_tokens: this.#cached,
        cache_write_tokens: this.#cacheWrite,
      },
      completion_tokens_details: { reasoning_tokens: this.#reasoning },
    };
  }

  /** The length of the received text in UTF-16 units. */
  get chars(): number {
    return this.#chars;
  }

  #read(text: string): void {
    for (const [, value = ""] of text.matchAll(TEXT)) this.#chars += value.length;
    for (const { 0: found, index } of text.matchAll(USAGE)) {
      const usage = objectAt(text, index + found.length - 1);
      if (usage !== undefined) this.#take(usage);
    }
  }

  /** Later counts replace earlier ones, since vendors report totals. */
  #take(usage: Record<string, unknown>): void {
    const input = first(usage, [
      "prompt_tokens",
      "input_tokens",
      "inputTokens",
      "promptTokenCount",
    ]);
    const output = first(usage, [
      ...["completion_tokens", "output_tokens", "outputTokens", "candidatesTokenCount"],
    ]);
    // Anthropic and Bedrock report cached input separately from other input.
    const read = first(usage, ["cache_read_input_tokens", "cacheReadInputTokens"]);
    const written = first(usage, ["cache_creation_input_tokens", "cacheWriteInputTokens"]);
    const details = detailsOf(usage, ["prompt_tokens_details", "input_tokens_details"]);
    const thoughts = first(usage, ["thoughtsTokenCount"]) ?? 0;
    const total = first(usage, ["total_tokens", "totalTokens"]);
    if (input !== undefined) this.#input = input + (read ?? 0) + (written ?? 0);
    else if (output === undefined && total !== undefined) this.#input = total;
    if (output !== undefined) this.#output = output + thoughts;
    this.#cached = read ??
      first(details, ["cached_tokens"]) ?? first(usage, ["cachedContentTokenCount"]) ??
      this.#cached;
    this.#cacheWrite = written ?? this.#cacheWrite;
    this.#reasoning = thoughts ||
      (first(detailsOf(usage, ["completion_tokens_details", "output_tokens_details"]), [
        "reasoning_tokens",
      ]) ?? this.#reasoning);
  }
}

function first(values: Record<string, unknown>, names: readonly string[]): number | undefined {
  const name = names.find((candidate) => typeof values[candidate] === "number");
  return name === undefined ? undefined : toCount(values[name]);
}

function detailsOf(usage: Record<string, unknown>, names: readonly string[]) {
  return names.map((name) => usage[name]).find(isObject) ?? {};
}

/** The maximum length of a usage object, in UTF-16 units. */
const MAX_USAGE = 4096;

/** The object that begins at an index; undefined if it is not complete. */
function objectAt(text: string, start: number): Record<string, unknown> | undefined {
  let depth = 0;
  const end = Math.min(text.length, start + MAX_USAGE);
  for (let at = start; at < end; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) {
      try {
        const value: unknown = JSON.parse(text.slice(start, at + 1));
        return isObject(value) ? value : undefined;
      } catch {
        return undefined;
      }
    }
  }
  return undefined;
}
