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
} from "../chat.ts";
import { type ErrorKind, GatewayError } from "../errors.ts";
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
import { moveReasoning, readUsage, tellThoughts } from "./openai_answers.ts";
import { ThinkTags, toFinishReason } from "./openai_answers.ts";
import { toVerdict } from "./openai_errors.ts";
import { openAiSupport, toAccepted } from "./openai_models.ts";
import { OPENAI_RESPONSES, openAiOptions } from "./openai_responses.ts";
import { type ResponsesPlace, withResponses } from "./openai_responses.ts";
import { type ContentKind, type ContentSupport, native, type Parameter } from "./support.ts";
import { CONTENT_KINDS, PARAMETERS, type Support } from "./support.ts";

/** What sets one vendor of the dialect apart from OpenAI. */
export interface Dialect {
  readonly kind: string;
  readonly genAiName?: string;
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
  /** Whether an answer may begin with its reasoning between think tags. */
  readonly thinkTags?: boolean;
  /** What the vendor's error codes and types mean, where the status does not say. */
  readonly errorCodes?: Readonly<Record<string, ErrorKind>>;
  /** Changes a choice as it came, in an answer or in a chunk, for what data cannot say. */
  choice?(choice: JsonObject): void;
  /** Changes a choice's message or delta, for what data cannot say. */
  message?(message: JsonObject): void;
  /** Finds usage where it is not in `usage`, before the choices are read. */
  usage?(body: JsonObject): unknown;
  /** Finds the failure of a stream where it is not in `error`. */
  failure?(body: JsonObject): unknown;
  /** Where the resource is, when not at `/chat/completions`. */
  url?(call: Call): string;
  /** What the vendor is told, when it is not the model's `upstream`. */
  model?(call: Call): string;
  /** OpenAI's Responses API beside this one. */
  readonly responses?: ResponsesPlace;
  /** A verdict that the shared classifier would miss. */
  error?(failure: Failure): Verdict | undefined;
}

const INCLUDE_USAGE = "stream_options.include_usage";

/** Members of a dialect that change an answer which is whole in itself. */
const REWRITES = ["choice", "failure", "finishReasons", "message", "thinkTags", "usage"] as const;

/** An adapter for a vendor that speaks OpenAI's dialect. */
export function openAiCompatible(dialect: Dialect): Adapter {
  const streamUsage = dialect.streamUsage ?? true;
  const adapter: Adapter = {
    kind: dialect.kind,
    ...(dialect.genAiName && { genAiName: dialect.genAiName }),
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
    transparent: REWRITES.every((hook) => dialect[hook] === undefined),
    imageSources: dialect.imageSources ?? { https: true, http: true },
    toRequest: (call) => ({
      url: dialect.url?.(call) ?? `${call.provider.baseUrl}/chat/completions`,
      headers: {},
      body: toBody(call, dialect, streamUsage),
      auth: dialect.auth ?? { type: "bearer" },
    }),
    toCompletion: (answer, call) => toCompletion(answer.body, call, dialect),
    decoder: (call) => new DialectDecoder(call, dialect),
    toError: (failure) => toError(failure, dialect),
  };
  const chat = {
    ...adapter,
    ...(dialect.options && { options: dialect.options }),
    ...(dialect.supportFor && { supportFor: dialect.supportFor }),
    ...(dialect.rateLimitHeaders && { rateLimitHeaders: dialect.rateLimitHeaders }),
    ...(dialect.requestIdHeader && { requestIdHeader: dialect.requestIdHeader }),
  };
  return withResponses(chat, dialect);
}

/** What OpenAI's models want of the dialect, wherever they are served. */
export const openAiModels = {
  dropFromTurns: ["reasoning_content", "reasoning_details", "reasoning", "extra_content"],
  options: openAiOptions,
  supportFor: openAiSupport,
  request: toAccepted,
} satisfies Partial<Dialect>;

/** OpenAI's own service. */
export const openai = openAiCompatible({
  ...openAiModels,
  kind: "openai",
  defaults: { baseUrl: "https://api.openai.com/v1", credentials: "required" },
  responses: OPENAI_RESPONSES,
});

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

function toError(failure: Failure, dialect: Dialect): Verdict {
  return dialect.error?.(failure) ?? toVerdict(failure, dialect.errorCodes);
}

function toBody(call: Call, dialect: Dialect, streamUsage: boolean): JsonObject {
  const body: JsonObject = {
    model: dialect.model?.(call) ?? call.model.upstream,
    messages: withoutMembers(call.request.messages, dialect.dropFromTurns),
    ...call.fields,
  };
  if (call.stream && streamUsage) {
    const asked = isObject(body.stream_options) ? body.stream_options : {};
    if (!asked.include_usage) call.receipt.add(INCLUDE_USAGE);
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
    if (turn.role !== "assistant") return turn;
    const calls = turn.tool_calls ?? [];
    if (!names.some((name) => name in turn || calls.some((call) => name in call))) return turn;
    const copy = { ...turn };
    for (const name of names) delete copy[name];
    copy.tool_calls = copy.tool_calls?.map((call) => {
      const kept = { ...call };
      for (const name of names) delete kept[name];
      return kept;
    });
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
  const usage = readUsage(dialect.usage?.(body) ?? body.usage);
  return {
    ...rest,
    ...envelopeOf({ id, created, model }),
    choices: choices.map((choice, index) => toChoice(choice, index, call, dialect)),
    usage,
  };
}

function toChoice(choice: JsonObject, position: number, call: Call, dialect: Dialect): Choice {
  dialect.choice?.(choice);
  const finish = toFinishReason(choice.finish_reason, dialect.finishReasons);
  if (finish === "broken") throw new GatewayError("upstream_error", GAVE_UP);
  const raw = isObject(choice.message) ? { ...choice.message } : {};
  dialect.message?.(raw);
  moveReasoning(raw);
  if (dialect.thinkTags) tellThoughts(raw, new ThinkTags(), true);
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
  const { delta: _, ...others } = choice;
  return {
    ...others,
    index: Number.isInteger(choice.index) ? choice.index as number : position,
    message,
    finish_reason: finish ?? "stop",
  };
}

const GAVE_UP = "The provider gave up on the answer";

function textOfParts(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  return content.filter(isObject).map((part) => isText(part.text) ? part.text : "").join("");
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
  /** For each choice, the think tags of a vendor that writes them. */
  readonly #tags = new Map<number, ThinkTags>();
  /** Choices whose last finish reason was an empty text, which some vendors mean. */
  readonly #hollow = new Set<number>();
  #broken = false;
  readonly #call: Call;
  readonly #dialect: Dialect;

  constructor(call: Call, dialect: Dialect) {
    this.#call = call;
    this.#dialect = dialect;
  }

  push(frame: Frame): Step {
    if (frame.data === "[DONE]") return { chunks: this.#finishHollow(), done: true };
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
      const told = elsewhere ? { error: elsewhere } : body;
      return { chunks: [], failure: toError({ where: "stream", body: told }, this.#dialect) };
    }
    const chunk = this.#toChunk(body);
    if (this.#broken) return { ...failed(GAVE_UP), chunks: [chunk] };
    return { chunks: [chunk], plain: this.#isRegular() ? plainOf(chunk) : undefined };
  }

  /** The gateway itself sees to it that every choice came to a finish. */
  end(): Step {
    return NOTHING;
  }

  /** Whether nothing but the shared rules made the chunk. */
  #isRegular(): boolean {
    const { message, choice } = this.#dialect;
    return !message && !choice && this.#tags.values().every((tags) => tags.through);
  }

  #finishHollow(): ChunkBody[] {
    return [...this.#hollow].map((index) => ({
      choices: [{ index, delta: {}, finish_reason: "stop" }],
    }));
  }

  #toChunk(body: JsonObject): ChunkBody {
    const { id, created, model, object: _, choices, usage, ...rest } = body;
    const counted = readUsage(this.#dialect.usage?.(body) ?? usage);
    return {
      ...rest,
      ...envelopeOf({ id, created, model }),
      choices: Array.isArray(choices)
        ? choices.filter(isObject).map((choice, index) => this.#toChoice(choice, index))
        : [],
      usage: counted ?? (usage === null ? null : undefined),
    };
  }

  #toChoice(choice: JsonObject, position: number): ChunkChoice {
    this.#dialect.choice?.(choice);
    const index = Number.isInteger(choice.index) ? choice.index as number : position;
    const delta: Delta = isObject(choice.delta) ? choice.delta : {};
    this.#dialect.message?.(delta);
    moveReasoning(delta);
    if (Array.isArray(delta.content)) delta.content = textOfParts(delta.content);
    const finish = toFinishReason(choice.finish_reason, this.#dialect.finishReasons);
    if (choice.finish_reason === "") this.#hollow.add(index);
    else if (finish !== undefined) this.#hollow.delete(index);
    if (finish === "broken") this.#broken = true;
    if (this.#dialect.thinkTags) tellThoughts(delta, this.#tagsOf(index), finish !== undefined);
    if (Array.isArray(delta.tool_calls)) {
      delta.tool_calls = delta.tool_calls.filter(isObject).map((piece) =>
        this.#toToolCall(piece as JsonObject, index)
      );
    } else {
      delete delta.tool_calls;
    }
    const { message: _, ...others } = choice;
    return {
      ...others,
      index,
      delta,
      finish_reason: finish === undefined || finish === "broken" ? null : finish,
    };
  }

  #tagsOf(choice: number): ThinkTags {
    const tags = this.#tags.get(choice) ?? new ThinkTags();
    this.#tags.set(choice, tags);
    return tags;
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
