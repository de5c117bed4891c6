/**
 * The embeddings API: reads `POST /v1/embeddings`, and writes its answer.
 *
 * https://platform.openai.com/docs/api-reference/embeddings (2026-11).
 */

import { Buffer } from "node:buffer";
import * as z from "zod";
import {
  EMBEDDINGS_PARAMETERS,
  type EmbeddingsBody,
  type EmbeddingsCall,
  type EmbeddingsInput,
  type EmbeddingsRequest,
  INPUT_KINDS,
  kindOfInput,
} from "../../contract/embeddings.ts";
import type { BatchLimits, OperationApi } from "../../contract/operation_api.ts";
import type { TargetModel } from "../../contract/vendor_request.ts";
import { TimeSlice } from "../../core/clock.ts";
import { GatewayError, invalidValue, unreadable } from "../../core/errors.ts";
import { isObject } from "../../core/json/object.ts";
import { isText } from "../../core/json/values.ts";
import { TokenCounter, type TokenFamily } from "../../core/tokens/token_counter.ts";
import { addInput, countInput } from "../chat/token_estimate.ts";
import * as openApi from "../openapi.ts";
import {
  type Batch,
  type InputRange,
  inputUsage,
  type ReadUnary,
  type UnaryApi,
  type UnaryKind,
  type WriteContext,
} from "../operation.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";
import { tokenFamilyOf } from "../token_families.ts";
import { type EmbeddingsAnswer, writeEmbeddings, type WriteVectors } from "./vectors.ts";

/** The maximum number of inputs of one request. */
const MAX_INPUTS = 2048;

/** The members of a request that a schema checks. */
const embeddingsRequest = z.looseObject({
  ...modelMembers,
  dimensions: z.int().min(1).nullish(),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  user: z.string().nullish(),
  input_type: z.string().min(1).nullish(),
  task_type: z.string().min(1).nullish(),
  title: z.string().nullish(),
  truncate: z.union([z.boolean(), z.string()]).nullish(),
});

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readRequest(body: unknown): ReadUnary<EmbeddingsRequest, EmbeddingsBody> {
  const { input, ...others } = readObject(body);
  const { models, task_type, ...members } = readFields(others, embeddingsRequest);
  const request = withoutNulls(members);
  // Google's name for it.
  const inputType = members.input_type ?? task_type;
  if (inputType != null) request.input_type = inputType;
  return {
    request: { ...request, input: readInput(input) } as unknown as EmbeddingsRequest,
    models: models ?? undefined,
  };
}

/** The inputs as a list. A single text or list of tokens is one input. */
function readInput(input: unknown): readonly EmbeddingsInput[] {
  if (input === undefined || input === null) throw invalidValue("input", "is required");
  if (typeof input === "string") return [readOne(input, "input")];
  if (!Array.isArray(input)) {
    throw invalidValue("input", "must be a string, an array of strings, or arrays of tokens");
  }
  if (input.length === 0) throw invalidValue("input", "must not be empty");
  if (typeof input[0] === "number") return [readOne(input, "input")];
  if (input.length > MAX_INPUTS) {
    throw invalidValue("input", `must have at most ${MAX_INPUTS} entries`);
  }
  return input.map((entry, index) => readOne(entry, `input[${index}]`));
}

function readOne(value: unknown, path: string): EmbeddingsInput {
  if (typeof value === "string") {
    if (value === "") throw invalidValue(path, "must not be empty");
    return value;
  }
  if (isObject(value)) return value;
  if (!Array.isArray(value)) throw invalidValue(path, "must be a string or an array of tokens");
  if (value.length === 0) throw invalidValue(path, "must not be empty");
  const isParts = isObject(value[0]);
  const isFaulty = (entry: unknown) => isParts ? !isObject(entry) : !isToken(entry);
  const at = value.findIndex(isFaulty);
  if (at === -1) return value;
  throw invalidValue(
    `${path}[${at}]`,
    isParts ? "must be an object" : "must be a token: an integer",
  );
}

function isToken(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The description of the endpoint. */
function describe(): openApi.EndpointDescription {
  const { anyOf, boolean, constant, integer, listOf, number, object, text } = openApi;
  const input = anyOf(text, listOf(anyOf(text, integer, listOf(integer), object({}))));
  const vector = anyOf(listOf(number), text);
  return {
    tag: "Retrieval",
    summary: "Create embeddings",
    request: ["EmbeddingsRequest", openApi.toSchema(embeddingsRequest, { input })],
    answers: openApi.json("Embeddings"),
    schemas: {
      Embeddings: object({
        object: constant("list"),
        data: listOf(object({ object: constant("embedding"), index: integer, embedding: vector })),
        model: text,
        usage: object({ prompt_tokens: integer, total_tokens: integer }, { estimated: boolean }),
        id: text,
      }),
    },
    example: { input: ["Hello"] },
  };
}

/** Instructions for clients that send tokens by default. */
const SEND_TEXT = "; send text, in LangChain with check_embedding_ctx_length=False";

/** @throws {GatewayError} `unsupported_content` for inputs that the vendor does not take. */
function checkInputs(
  { input: inputs }: EmbeddingsRequest,
  { contents }: Pick<OperationApi<EmbeddingsRequest, EmbeddingsBody>, "contents">,
): void {
  for (const [index, input] of inputs.entries()) {
    const kind = kindOfInput(input);
    const support = kind && contents?.[kind];
    if (support?.level !== "refused") continue;
    const what = kind === "tokens" ? "tokens" : "parts of content";
    const advice = kind === "tokens" ? SEND_TEXT : "";
    throw new GatewayError(
      "unsupported_content",
      `The provider cannot take ${what} as input: ${support.note}${advice}`,
      { param: inputs.length === 1 ? "input" : `input[${index}]` },
    );
  }
}

/** The share of a vendor's limit that batches use, since their tokens are estimated. */
const MARGIN = 0.8;

/** Splits inputs into parts that are within a vendor's limits. Exported for tests. */
export function splitInputs(
  inputs: readonly EmbeddingsInput[],
  { inputs: most, tokens: mostTokens = Infinity }: BatchLimits,
  family: TokenFamily,
): InputRange[] {
  if (inputs.length <= most && areSurelyWithin(inputs, mostTokens)) {
    return [{ start: 0, end: inputs.length }];
  }
  const counter = new InputCounter(family);
  const ranges: InputRange[] = [];
  let start = 0;
  let tokens = 0;
  for (const [index, input] of inputs.entries()) {
    const more = mostTokens === Infinity ? 0 : counter.add(input);
    const isFull = index - start === most || tokens + more > mostTokens * MARGIN;
    if (isFull && index > start) {
      ranges.push({ start, end: index });
      start = index;
      tokens = 0;
    }
    tokens += more;
  }
  ranges.push({ start, end: inputs.length });
  return ranges;
}

/** Tokens that frame an input. */
const PER_INPUT = 4;

/** Whether inputs are certainly within a token limit, since a token has at least one byte. */
function areSurelyWithin(inputs: readonly EmbeddingsInput[], tokens: number): boolean {
  if (tokens === Infinity) return true;
  let most = PER_INPUT * inputs.length;
  for (const input of inputs) {
    if (typeof input === "string") most += Buffer.byteLength(input);
    else if (kindOfInput(input) === "tokens") most += (input as readonly number[]).length;
    else return false;
    if (most > tokens) return false;
  }
  return true;
}

/** Estimates the tokens of inputs one by one, in bounded time for all of them. */
class InputCounter {
  readonly #counter = new TokenCounter();
  readonly #family: TokenFamily;

  constructor(family: TokenFamily) {
    this.#family = family;
  }

  /** Adds an input. Returns its tokens. */
  add(input: EmbeddingsInput): number {
    if (kindOfInput(input) === "tokens") return (input as readonly number[]).length;
    const before = this.#counter.tokens(this.#family);
    addInput(input, this.#counter);
    return this.#counter.tokens(this.#family) - before;
  }
}

/** Estimates the tokens of a request. */
function tokensIn({ input }: EmbeddingsRequest, { base }: TargetModel): number {
  return countInput(input).tokens(tokenFamilyOf(base));
}

/** Batches of inputs. */
const batch: Batch<EmbeddingsRequest, EmbeddingsBody> = {
  noun: "vectors",
  split({ request: { input }, model }, { limitsFor }) {
    if (limitsFor === undefined) return [{ start: 0, end: input.length }];
    return splitInputs(input, limitsFor(model), tokenFamilyOf(model.base));
  },
  part: (request, { start, end }) => ({ ...request, input: request.input.slice(start, end) }),
  resultsOf: ({ vectors }) => vectors.length,
  tokensOf: ({ tokens }) => tokens,
  join(parts) {
    const counts = parts.map(({ body: { tokens }, call: { model, request } }) =>
      tokens ?? tokensIn(request, model)
    );
    const isKnown = parts.every(({ body: { tokens } }) => tokens !== undefined);
    const tokens = counts.reduce((sum, count) => sum + count, 0);
    return {
      vectors: parts.flatMap(({ body: { vectors } }) => vectors),
      model: parts[0]?.body.model,
      ...(isKnown
        ? { tokens }
        : { usage: { prompt_tokens: tokens, total_tokens: tokens, estimated: true } }),
    };
  },
};

/** The answer to a request, or to all parts of a batch. Its usage is an estimate if there is none. */
function toAnswer(
  { vectors, tokens, usage, extra = {}, ...body }: EmbeddingsBody,
  { model, request }: EmbeddingsCall,
  context: WriteContext,
): EmbeddingsAnswer {
  const count = tokens ?? tokensIn(request, model);
  return {
    id: isText(extra.id) ? extra.id : context.id,
    vectors,
    model: body.model ?? model.upstream,
    usage: {
      prompt_tokens: count,
      total_tokens: count,
      ...(tokens === undefined && { estimated: true }),
      ...usage,
    },
    extra,
    get elapsedMs() {
      return context.elapsedMs;
    },
  };
}

const STRUCTURAL: ReadonlySet<string> = new Set(["input"]);

/** Embeddings in any format of callers. */
export function embeddingsKind(
  writeVectors: WriteVectors,
): UnaryKind<EmbeddingsRequest, EmbeddingsBody> {
  return {
    name: "embeddings",
    structural: STRUCTURAL,
    apiOf: ({ apis }) => apis.embeddings,
    check: checkInputs,
    // The gateway encodes the vectors as requested.
    isDefault: (name, value, { facts }) =>
      name === "encoding_format" || name === "dimensions" && value === facts.dimensions,
    estimate: ({ input }, family) => ({ input: countInput(input).tokens(family), maxOutput: 0 }),
    async write(body, call, context) {
      const answer = toAnswer(body, call, context);
      const encoding = call.request.encoding_format ?? "float";
      const text = await writeVectors(answer, encoding, new TimeSlice());
      if (text === undefined) throw unreadable("The provider's vectors are not numbers");
      // The usage is that of the parts, some of which may belong to an earlier attempt.
      return { text, usage: undefined, id: answer.id, model: answer.model };
    },
    batch,
  };
}

/** Notes that are not specific to a kind. */
const USUAL_NOTES: ReadonlySet<string> = new Set([
  "models that have several lengths",
  "no such field",
  "text only",
  "the gateway encodes the numbers",
]);

/** Embeddings. Embedding models support no other operation. */
export const embeddings: UnaryApi<EmbeddingsRequest, EmbeddingsBody> = {
  ...embeddingsKind(writeEmbeddings),
  noun: "embeddings",
  title: "Embeddings",
  endpoints: [{
    path: "/v1/embeddings",
    mirror: "deployments",
    explainedAs: "embeddings",
    schema: embeddingsRequest,
    describe,
    read: readRequest,
  }],
  parameters: EMBEDDINGS_PARAMETERS,
  contents: { member: "inputs", kinds: INPUT_KINDS },
  usualNotes: USUAL_NOTES,
  batch: {
    ...batch,
    passes: {
      list: "data",
      long: "embedding",
      minEntries: 4,
      readAtEnd: ["usage", "error", "id"],
      openingOf: ({ encoding_format: encoding }) => encoding === "base64" ? '"' : "[",
      members(body, call, context) {
        const { id, model, usage, extra } = toAnswer(body, call, context);
        const members = { object: "list", model, usage, ...extra, id };
        const { tokens } = body;
        return { members, usage: tokens === undefined ? undefined : inputUsage(tokens), id, model };
      },
    },
  },
};
