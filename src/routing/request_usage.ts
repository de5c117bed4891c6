/** The usage that one request is likely to have, for the order by price. */

import type { Usage } from "../chat/chat.ts";
import { countInput } from "../chat/token_estimate.ts";
import type { ServiceKey, Target } from "../config/config.ts";
import { isObject } from "../core/json/object.ts";
import { tokenFamilyOf } from "../providers/shared/token_families.ts";
import type { ModelPlan } from "../gateway/plan.ts";
import type { SentRequest, SessionName } from "../gateway/feature.ts";
import type { AttemptTarget } from "./attempt_state.ts";
import type { LastTurn, MeasuredUsage } from "./measured_usage.ts";
import type { State } from "./state.ts";
import type { TypicalUsage } from "./usage_means.ts";

/** Where the usage of a request comes from. */
interface UsageContext {
  readonly key: ServiceKey;
  readonly sent: SentRequest | undefined;
  readonly session: SessionName | undefined;
  readonly state: State;
}

/** The usage of a request whose targets are ordered by price; undefined unless it is a chat. */
export function toRequestUsage(
  { configuredName: model }: Pick<ModelPlan, "configuredName">,
  { key: { name: key }, sent, session, state: { measured } }: UsageContext,
): RequestUsage | undefined {
  return sent && new RequestUsage({
    ...{ measured, key, model },
    body: sent.body,
    session: () => session?.id,
  });
}

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
  readonly session: () => string | undefined;
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
    const name = session();
    return name === undefined ? undefined : measured.lastTurn(key, name, now);
  }

  /** A target has answered it. */
  answered(target: AttemptTarget, usage: Usage | undefined, now: number): void {
    if (usage === undefined) return;
    const { key, measured, model, session } = this.#input;
    measured.answered(model, target, usage, now);
    const name = session();
    if (name !== undefined) measured.turnEnded(key, name, target, usage, now);
  }
}

/** The members of all caller formats that hold text. */
function estimateOf(body: unknown): number {
  if (!isObject(body)) return 0;
  const { messages, input, contents, system, instructions, systemInstruction, tools } = body;
  const content = [messages, input, contents, system, instructions, systemInstruction];
  return countInput(content, [tools]).tokens(tokenFamilyOf(""));
}
