/** The usage that one request is likely to have, for the order by price. */

import type { Usage } from "../../contract/chat.ts";
import { countInput } from "../../apis/chat/token_estimate.ts";
import type { Target } from "../../config/config.ts";
import { isObject } from "../../core/json/object.ts";
import { tokenFamilyOf } from "../../apis/token_families.ts";
import type { TargetName } from "../../gateway/feature.ts";
import type { LastTurn, MeasuredUsage } from "./measured_usage.ts";
import type { TypicalUsage } from "../../gateway/timed_figures.ts";

/** One request, as far as its price depends on it. */
interface UsageInput {
  readonly measured: MeasuredUsage;
  /** The name of the service key. */
  readonly key: string;
  /** The alias or model as config.yaml names it. */
  readonly model: string;
  /** The body in the caller's format. */
  readonly body: unknown;
  /** The session's pseudonym, where requests are kept with their sessions. */
  readonly session: string | undefined;
}

/** The usage that one request is likely to have. */
export class RequestUsage {
  readonly #input: UsageInput;
  #tokens: number | undefined;

  constructor(input: UsageInput) {
    this.#input = input;
  }

  /** An estimate of its input tokens; 0 if the body is unknown. */
  get tokens(): number {
    return this.#tokens ??= estimateOf(this.#input.body);
  }

  ofModel(target: Target, now: number): TypicalUsage | undefined {
    const { measured, model } = this.#input;
    return measured.ofModel(model, target, now);
  }

  lastTurn(now: number): LastTurn | undefined {
    const { key, measured, session } = this.#input;
    return session === undefined ? undefined : measured.lastTurn(key, session, now);
  }

  /** A target has answered it. */
  answered(target: TargetName, usage: Usage | undefined, now: number): void {
    if (usage === undefined) return;
    const { key, measured, model, session } = this.#input;
    measured.answered(model, target, usage, now);
    if (session !== undefined) measured.turnEnded(key, session, target, usage, now);
  }
}

/** The members of all caller formats that hold text. */
function estimateOf(body: unknown): number {
  if (!isObject(body)) return 0;
  const { messages, input, contents, system, instructions, systemInstruction, tools } = body;
  const content = [messages, input, contents, system, instructions, systemInstruction];
  return countInput(content, [tools]).tokens(tokenFamilyOf(""));
}
