/**
 * The OpenAI dialect: `openAiCompatible({...})` for every vendor that speaks
 * it, and OpenAI itself.
 */

import {
  type AnswerMessage,
  type AnswerToolCall,
  type ChatRequest,
  type Choice,
  type ChunkBody,
  type ChunkChoice,
  type CompletionBody,
  type Delta,
  type FinishReason,
  isObject,
  type JsonObject,
  type Message,
  type ToolCallDelta,
  type Usage,
} from "../chat.ts";
import { GatewayError } from "../errors.ts";
import type { Frame } from "../framing.ts";
import {
  type Adapter,
  type AdditionTable,
  type Auth,
  type Call,
  type Failure,
  NOTHING,
  type Plain,
  type ProviderDefaults,
  type Step,
  type StreamDecoder,
  type TargetModel,
  type Verdict,
} from "./adapter.ts";
import { toVerdict } from "./openai_errors.ts";
import { nearestEffort, openAiSupport } from "./openai_models.ts";
import { type ContentKind, type ContentSupport, native, type Parameter } from "./support.ts";
import { CONTENT_KINDS, PARAMETERS, type Support } from "./support.ts";

/** What sets one vendor of the dialect apart from OpenAI. */
export interface Dialect {
  readonly kind: string;
  readonly defaults: ProviderDefaults;
  /** Verdicts that differ from `native`. */
  readonly parameters?: Readonly<Partial<Record<Parameter, Support>>>;
  readonly content?: Readonly<Partial<Record<ContentKind, ContentSupport>>>;
  readonly extensions?: "all" | Readonly<Record<string, Support>>;
  /** Whether streams may be asked for usage. True unless said otherwise. */
  readonly streamUsage?: boolean;
  readonly auth?: Auth;
  readonly imageSources?: Adapter["imageSources"];
  readonly options?: Adapter["options"];
  readonly adds?: AdditionTable;
  readonly rateLimitHeaders?: Adapter["rateLimitHeaders"];
  readonly requestIdHeader?: string;
  /** Members of replayed assistant turns that the vendor would refuse. */
  readonly dropFromTurns?: readonly string[];
  /** Finish reasons beyond OpenAI's and the common ones. */
  readonly finishReasons?: Readonly<Record<string, FinishReason>>;
  supportFor?(request: ChatRequest, model: TargetModel): Readonly<Record<string, Support>>;
  /** Changes the body that is ready to be sent, for what data cannot say. */
  request?(body: JsonObject, call: Call): JsonObject;
  /** Changes a choice's message or delta, for what data cannot say. */
  message?(message: JsonObject): void;
  /** Finds usage where it is not in `usage`. */
  usage?(body: JsonObject): unknown;
  /** Finds the failure of a stream where it is not in `error`. */
  failure?(body: JsonObject): unknown;
  /** Where the resource is, when not at `/chat/completions`. */
  url?(call: Call): string;
  /** A verdict that the shared classifier would miss. */
  error?(failure: Failure): Verdict | undefined;
}

const INCLUDE_USAGE = "stream_options.include_usage";

/** An adapter for a vendor that speaks OpenAI's dialect. */
export function openAiCompatible(dialect: Dialect): Adapter {
  const streamUsage = dialect.streamUsage ?? true;
  const adapter: Adapter = {
    kind: dialect.kind,
    defaults: dialect.defaults,
    supports: {
      parameters: { ...allNative(PARAMETERS), ...dialect.parameters },
      content: { ...allNative(CONTENT_KINDS), ...dialect.content },
      extensions: dialect.extensions ?? "all",
    },
    adds: {
      ...(streamUsage ? { [INCLUDE_USAGE]: "streams report their usage only when asked" } : {}),
      ...dialect.adds,
    },
    framing: "sse",
    imageSources: dialect.imageSources ?? { https: true, http: true },
    toRequest: (call) => ({
      url: dialect.url?.(call) ?? `${call.provider.baseUrl}/chat/completions`,
      headers: {},
      body: toBody(call, dialect, streamUsage),
      auth: dialect.auth ?? { type: "bearer" },
    }),
    toCompletion: (answer, call) => toCompletion(answer.body, call, dialect),
    decoder: (call) => new DialectDecoder(call, dialect),
    toError: (failure) => dialect.error?.(failure) ?? toVerdict(failure),
  };
  return {
    ...adapter,
    ...(dialect.options && { options: dialect.options }),
    ...(dialect.supportFor && { supportFor: dialect.supportFor }),
    ...(dialect.rateLimitHeaders && { rateLimitHeaders: dialect.rateLimitHeaders }),
    ...(dialect.requestIdHeader && { requestIdHeader: dialect.requestIdHeader }),
  };
}

/** OpenAI's own service. */
export const openai = openAiCompatible({
  kind: "openai",
  defaults: { baseUrl: "https://api.openai.com/v1", credentials: "required" },
  dropFromTurns: ["reasoning_content", "reasoning_details", "reasoning"],
  supportFor: openAiSupport,
  request: (body, call) => withNearestEffort(withFewStops(body, call), call),
});

/** The most stop sequences that OpenAI takes. */
const MAX_STOPS = 4;

function withFewStops(body: JsonObject, { receipt }: Call): JsonObject {
  const { stop } = body;
  if (!Array.isArray(stop) || stop.length <= MAX_STOPS) return body;
  receipt.convert("stop", stop.length, MAX_STOPS);
  return { ...body, stop: stop.slice(0, MAX_STOPS) };
}

function withNearestEffort(body: JsonObject, { request, model, receipt }: Call): JsonObject {
  const asked = request.reasoning_effort;
  if (asked === undefined || body.reasoning_effort === undefined) return body;
  const accepted = nearestEffort(asked, model.base);
  if (accepted === asked) return body;
  receipt.convert("reasoning_effort", asked, accepted);
  return { ...body, reasoning_effort: accepted };
}

/** Any server of the dialect, by its `base_url` alone. */
export const openaiCompatible = openAiCompatible({
  kind: "openai_compatible",
  defaults: { credentials: "optional" },
});

function allNative<Name extends string>(
  names: readonly Name[],
): Record<Name, Support & ContentSupport> {
  return Object.fromEntries(names.map((name) => [name, native])) as Record<
    Name,
    Support & ContentSupport
  >;
}

function toBody(call: Call, dialect: Dialect, streamUsage: boolean): JsonObject {
  const body: JsonObject = {
    model: call.model.upstream,
    messages: withoutMembers(call.request.messages, dialect.dropFromTurns),
    ...call.fields,
  };
  if (call.stream && streamUsage) {
    const asked = isObject(body.stream_options) ? body.stream_options : {};
    body.stream_options = { ...asked, include_usage: true };
  }
  return dialect.request?.(body, call) ?? body;
}

/** Replayed answers carry members that were ours; a turn without them is not copied. */
function withoutMembers(
  messages: readonly Message[],
  names: readonly string[] | undefined,
): readonly Message[] {
  if (names === undefined) return messages;
  return messages.map((turn) => {
    if (turn.role !== "assistant" || !names.some((name) => name in turn)) return turn;
    const copy = { ...turn };
    for (const name of names) delete copy[name];
    return copy;
  });
}

function toCompletion(body: unknown, call: Call, dialect: Dialect): CompletionBody {
  const choices = isObject(body) && Array.isArray(body.choices)
    ? body.choices.filter(isObject)
    : [];
  if (!isObject(body) || choices.length === 0) {
    throw new GatewayError("upstream_error", "The provider's answer holds no choices");
  }
  const { id, created, model, object: _, ...rest } = body;
  return {
    ...rest,
    ...envelopeOf({ id, created, model }),
    choices: choices.map((choice, index) => toChoice(choice, index, call, dialect)),
    usage: readUsage(dialect.usage?.(body) ?? body.usage),
  };
}

function toChoice(choice: JsonObject, position: number, call: Call, dialect: Dialect): Choice {
  const finish = toFinishReason(choice.finish_reason, dialect);
  if (finish === "broken") throw new GatewayError("upstream_error", GAVE_UP);
  const raw = isObject(choice.message) ? { ...choice.message } : {};
  dialect.message?.(raw);
  moveReasoning(raw);
  const { tool_calls, ...rest } = raw;
  const calls = (Array.isArray(tool_calls) ? tool_calls.filter(isObject) : [])
    .map((entry): AnswerToolCall => {
      const made = isObject(entry.function) ? entry.function : {};
      return {
        ...entry,
        id: isText(entry.id) ? entry.id : call.newId("call_"),
        type: (entry.type ?? "function") as "function",
        ...(isObject(entry.custom) ? {} : {
          function: {
            ...made,
            name: String(made.name ?? ""),
            // Clients parse it: a call without arguments has an empty object of them.
            arguments: asText(made.arguments ?? {}),
          },
        }),
      } as AnswerToolCall;
    });
  const message: AnswerMessage = {
    ...rest,
    role: "assistant",
    content: typeof raw.content === "string" ? raw.content : textOfParts(raw.content),
  };
  if (calls.length > 0) message.tool_calls = calls;
  return {
    ...choice,
    index: Number.isInteger(choice.index) ? choice.index as number : position,
    message,
    finish_reason: finish ?? "stop",
  };
}

/** `reasoning` is what several servers call `reasoning_content`. */
function moveReasoning(message: JsonObject): void {
  if (typeof message.reasoning === "string" && message.reasoning_content === undefined) {
    message.reasoning_content = message.reasoning;
    delete message.reasoning;
  }
  if (message.reasoning_content === null || message.reasoning_content === "") {
    delete message.reasoning_content;
  }
}

function textOfParts(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  return content.filter(isObject).map((part) => isText(part.text) ? part.text : "").join("");
}

const FINISH_REASONS = new Map<string, FinishReason>([
  ["stop", "stop"],
  ["length", "length"],
  ["tool_calls", "tool_calls"],
  ["content_filter", "content_filter"],
  ["function_call", "tool_calls"],
  ["tool_use", "tool_calls"],
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_length", "length"],
]);

const GAVE_UP = "The provider gave up on the answer";

function toFinishReason(
  reason: unknown,
  dialect: Dialect,
): FinishReason | "broken" | undefined {
  if (!isText(reason)) return undefined;
  const own = dialect.finishReasons;
  if (own !== undefined && Object.hasOwn(own, reason)) return own[reason];
  if (reason === "error") return "broken";
  return FINISH_REASONS.get(reason) ?? "stop";
}

/**
 * Usage that adds up: some vendors count reasoning beside `completion_tokens`,
 * and show it only in the total.
 */
function readUsage(raw: unknown): Usage | undefined {
  if (!isObject(raw)) return undefined;
  const prompt = countOf(raw.prompt_tokens);
  let completion = countOf(raw.completion_tokens);
  const details = raw.completion_tokens_details;
  const reasoning = isObject(details) ? countOf(details.reasoning_tokens) : 0;
  if (reasoning > 0 && countOf(raw.total_tokens) === prompt + completion + reasoning) {
    completion += reasoning;
  }
  return {
    ...raw,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  } as Usage;
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

function envelopeOf(
  body: JsonObject,
): { id?: string | undefined; created?: number | undefined; model?: string | undefined } {
  return {
    id: isText(body.id) ? body.id : undefined,
    created: typeof body.created === "number" && body.created > 0
      ? Math.trunc(body.created)
      : undefined,
    model: isText(body.model) ? body.model : undefined,
  };
}

/** Reads the dialect's stream; only what is odd is changed. */
class DialectDecoder implements StreamDecoder {
  /** For each choice, the tool calls seen so far. */
  readonly #tools = new Map<number, SeenCall[]>();
  readonly #call: Call;
  readonly #dialect: Dialect;
  #broken = false;

  constructor(call: Call, dialect: Dialect) {
    this.#call = call;
    this.#dialect = dialect;
  }

  push(frame: Frame): Step {
    if (frame.data === "[DONE]") return { chunks: [], done: true };
    if (frame.data === "") return NOTHING;
    let body: unknown;
    try {
      body = JSON.parse(frame.data);
    } catch {
      return failed("The provider sent an event that is not JSON");
    }
    if (!isObject(body)) return failed("The provider sent an event that is not an object");
    const elsewhere = this.#dialect.failure?.(body);
    if (body.error || elsewhere || frame.event === "error") {
      const told: Failure = { where: "stream", body: elsewhere ? { error: elsewhere } : body };
      return { chunks: [], failure: this.#dialect.error?.(told) ?? toVerdict(told) };
    }
    const chunk = this.#toChunk(body);
    if (this.#broken) return { ...failed(GAVE_UP), chunks: [chunk] };
    return { chunks: [chunk], plain: this.#dialect.message ? undefined : plainOf(chunk) };
  }

  /** The gateway itself sees to it that every choice came to a finish. */
  end(): Step {
    return NOTHING;
  }

  #toChunk(body: JsonObject): ChunkBody {
    const { id, created, model, object: _, choices, usage, ...rest } = body;
    return {
      ...rest,
      ...envelopeOf({ id, created, model }),
      choices: Array.isArray(choices)
        ? choices.filter(isObject).map((choice, index) => this.#toChoice(choice, index))
        : [],
      usage: readUsage(this.#dialect.usage?.(body) ?? usage) ?? (usage === null ? null : undefined),
    };
  }

  #toChoice(choice: JsonObject, position: number): ChunkChoice {
    const index = Number.isInteger(choice.index) ? choice.index as number : position;
    const delta: Delta = isObject(choice.delta) ? choice.delta : {};
    this.#dialect.message?.(delta);
    moveReasoning(delta);
    if (Array.isArray(delta.content)) delta.content = textOfParts(delta.content);
    if (Array.isArray(delta.tool_calls)) {
      delta.tool_calls = delta.tool_calls.filter(isObject).map((piece) =>
        this.#toToolCall(piece as JsonObject, index)
      );
    } else {
      delete delta.tool_calls;
    }
    const finish = toFinishReason(choice.finish_reason, this.#dialect);
    if (finish === "broken") this.#broken = true;
    return {
      ...choice,
      index,
      delta,
      finish_reason: finish === undefined || finish === "broken" ? null : finish,
    };
  }

  /** The first piece of a call gets what OpenAI's has; later ones lose what they repeat. */
  #toToolCall(piece: JsonObject, choice: number): ToolCallDelta {
    const seen = this.#tools.get(choice) ?? [];
    this.#tools.set(choice, seen);
    const known = seen.findLastIndex((call, at) => continues(piece, call, at === seen.length - 1));
    if (known !== -1) return { index: known, ...restOf(piece) };
    const id = isText(piece.id) ? piece.id : this.#call.newId("call_");
    return { ...piece, index: seen.push({ index: piece.index, id }) - 1, id, ...startOf(piece) };
  }
}

/** A chunk of one choice that adds a piece of text, reasoning or arguments, and nothing else. */
function plainOf({ choices, usage, obfuscation }: ChunkBody): Plain | undefined {
  const [choice, ...others] = choices;
  if (choice === undefined || others.length > 0 || usage || choice.finish_reason) return undefined;
  const [member, ...more] = Object.entries(choice.delta);
  if (member === undefined || more.length > 0) return undefined;
  const text = Array.isArray(member[1]) ? argumentsOf(member[1]) : member[1];
  return isText(text) ? { text, noise: isText(obfuscation) ? obfuscation : undefined } : undefined;
}

function argumentsOf([piece, ...others]: readonly ToolCallDelta[]): string | undefined {
  const starts = piece?.id !== undefined || piece?.function?.name !== undefined;
  return starts || others.length > 0 ? undefined : piece?.function?.arguments;
}

/** How a vendor told one tool call of a stream from the others. */
interface SeenCall {
  readonly index: unknown;
  readonly id: unknown;
}

/**
 * Whether a piece belongs to a call that was seen before. Vendors leave out
 * indices, ids or both, give every call the index 0, or every piece a new id:
 * a name with another id, or with neither id nor index, begins a call.
 */
function continues(piece: JsonObject, call: SeenCall, last: boolean): boolean {
  const named = isText(isObject(piece.function) ? piece.function.name : undefined);
  if (isText(piece.id) && piece.id === call.id) return true;
  if (named && isText(piece.id)) return false;
  if (Number.isInteger(piece.index)) return piece.index === call.index;
  return last && !named;
}

/** What the first piece of a call says of its function, or of its custom tool. */
function startOf({ type, custom, function: made }: JsonObject): JsonObject {
  if (isObject(custom)) return { type: type ?? "custom", custom };
  const { name, arguments: text, ...others } = isObject(made) ? made : {};
  return {
    type: "function",
    function: { ...others, name: String(name ?? ""), arguments: asText(text) },
  };
}

/** What a later piece adds: a piece of the arguments, or of a custom tool's input. */
function restOf({ custom, function: made }: JsonObject): JsonObject {
  if (isObject(custom)) return { custom: { input: asText(custom.input) } };
  return { function: { arguments: asText(isObject(made) ? made.arguments : undefined) } };
}

function failed(message: string): Step {
  return { chunks: [], failure: { kind: "upstream_error", message } };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Arguments are text on the wire; some servers send the object itself. */
function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
