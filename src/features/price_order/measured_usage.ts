/**
 * Measured usage of requested models and their sessions, for the order by price. It is kept only
 * for requests with this order.
 */

import type { Usage } from "../../contract/chat.ts";
import { readCounts } from "../../apis/chat/token_counts.ts";
import type { Target } from "../../config/config.ts";
import type { TargetName } from "../../gateway/feature.ts";
import { setNewest, touch } from "../../core/collections.ts";
import { type TypicalUsage, UsageMeans } from "../../gateway/timed_figures.ts";
import { isObject } from "../../core/json/object.ts";
import { countInput } from "../../apis/chat/token_estimate.ts";
import { tokenFamilyOf } from "../../apis/token_families.ts";

/** The parts of a request that determine its price. */
interface UsageInput {
  readonly measured: MeasuredUsage;
  /** The name of the service key. */
  readonly key: string;
  /** The alias or model as config.yaml names it. */
  readonly model: string;
  /** The body in the caller's format. */
  readonly body: unknown;
  /** The session's pseudonym, if the model has session affinity. */
  readonly session: string | undefined;
}

/** The last turn of a session. */
export interface LastTurn {
  /** The target that answered it, as {@linkcode targetName} writes it. */
  readonly target: string;
  readonly usage: TypicalUsage;
  /** The number of answers of the session so far. */
  readonly turns: number;
  /** When it ended, in milliseconds of the clock. */
  readonly at: number;
}

/** The minimum time that vendors keep the prompt after the last turn, in milliseconds. */
const CACHE_MS = 300_000;

/** The maximum numbers of model names, of service keys with sessions, and of sessions per key. */
const MAX_MODELS = 1000;
const MAX_KEYS = 500;
const MAX_SESSIONS = 500;

/** The requested model. */
type Asked = Pick<Target, "provider" | "model">;

/** The name of a target, which is the same after a reload. */
export function targetName({ provider, model }: Asked): string {
  return nameOf({ provider: provider.settings.id, model: model.upstream });
}

function nameOf({ provider, model }: TargetName): string {
  return `${model}@${provider}`;
}

/** The figures of one process. */
export class MeasuredUsage {
  /** By the alias or model as config.yaml names it, and by target. */
  readonly #models = new Map<string, Map<string, UsageMeans>>();
  /** By service key and session. */
  readonly #keys = new Map<string, Map<string, LastTurn>>();

  ofModel(model: string, target: Asked, now: number): TypicalUsage | undefined {
    return this.#models.get(model)?.get(targetName(target))?.value(now);
  }

  /** The last turn of a session, as long as its prompt is likely to be cached. */
  lastTurn(key: string, session: string, now: number): LastTurn | undefined {
    const turn = this.#keys.get(key)?.get(session);
    return turn !== undefined && now < turn.at + CACHE_MS ? turn : undefined;
  }

  /** Records that a target has answered a request for a model. */
  answered(model: string, target: TargetName, usage: Usage, now: number): void {
    const targets = touch(this.#models, model, MAX_MODELS, () => new Map<string, UsageMeans>());
    touch(targets, nameOf(target), MAX_MODELS, () => new UsageMeans()).add(
      readCounts(usage),
      now,
    );
  }

  /** Records that a target has answered a turn of a session. */
  turnEnded(key: string, session: string, target: TargetName, usage: Usage, at: number): void {
    const sessions = touch(this.#keys, key, MAX_KEYS, () => new Map<string, LastTurn>());
    const turns = (this.lastTurn(key, session, at)?.turns ?? 0) + 1;
    const turn = { target: nameOf(target), usage: readCounts(usage), turns, at };
    setNewest(sessions, session, turn, MAX_SESSIONS);
  }
}

/** The expected usage of one request. */
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

  /** Records that a target has answered it. */
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
