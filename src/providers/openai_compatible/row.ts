/**
 * One row per vendor of OpenAI's dialect: what it takes, and how it says the
 * rest. Every vendor but OpenAI itself shares what is here.
 */

import type { ChatRequest, JsonObject } from "../../chat/chat.ts";
import type { Call, TargetModel } from "../contract/adapter.ts";
import { type MessageRules, withPlainMessages } from "./messages.ts";
import {
  type Efforts,
  inOrder,
  type Range,
  type Rewrite,
  type ToolChoiceTable,
  withEfforts,
  withFewStops,
  withinRange,
  withPlainTools,
  withSchemaAsText,
  withTier,
  withToolChoice,
} from "./rewrites.ts";
import type { Dialect } from "./dialect.ts";
import {
  converted,
  ignored,
  native,
  nativeAs,
  type Parameter,
  PARAMETERS,
  renamed,
  type Support,
} from "../contract/support.ts";

/** What sets one vendor apart from the others. */
export interface DialectRow
  extends Omit<Dialect, "defaults" | "request" | "supportFor" | "imageSources">, MessageRules {
  readonly baseUrl: string;
  /** A server of one's own, which needs no key. */
  readonly local?: boolean;
  /** The one name of the answer's limit; both are taken when absent. */
  readonly tokenLimit?: "max_tokens" | "max_completion_tokens";
  /** Numbers that the vendor bounds more narrowly than OpenAI. */
  readonly ranges?: Readonly<Partial<Record<Parameter, Range>>>;
  /** The most stop sequences. */
  readonly stops?: number;
  /**
   * Efforts by model, of which the first that fits holds; a model that fits
   * none ignores them. All pass as they are when absent.
   */
  readonly efforts?: readonly (readonly [models: RegExp, efforts: Efforts])[];
  /** What becomes of choices that the vendor does not have. */
  readonly toolChoice?: ToolChoiceTable;
  /** Whether a JSON schema can be enforced; it becomes an instruction where not. */
  readonly schemas?: (call: Call) => boolean;
  /** Whether functions may be `strict`. True unless said otherwise. */
  readonly strictTools?: boolean;
  /** Whether the vendor serves models of others, of which some take parts that OpenAI lacks. */
  readonly anyParts?: boolean;
  /** Whether images come as data only. */
  readonly imageDataOnly?: boolean;
  /** What OpenAI's service tiers are called; others are left out. */
  readonly tiers?: Readonly<Record<string, string>>;
  /** Fields of OpenAI's own that this vendor takes too. */
  readonly alsoTakes?: readonly string[];
  /** Further changes of the body, after those that the row's data come to. */
  readonly rewrites?: readonly Rewrite[];
  supportFor?(request: ChatRequest, model: TargetModel): Readonly<Record<string, Support>>;
}

/** A row as {@linkcode openAiCompatible} takes it. */
export function dialectOf(row: DialectRow): Dialect {
  return {
    ...row,
    defaults: { baseUrl: row.baseUrl, credentials: row.local ? "optional" : "required" },
    parameters: toParameters(row),
    content: {
      ...(row.developer ? {} : { developer_message: converted("sent as a system message") }),
      ...(row.names === false ? { message_name: converted("left out, and reported") } : {}),
      ...(row.imageDataOnly
        ? { image_url: converted("fetched by the gateway and sent as data") }
        : {}),
      ...(row.anyParts ? { video_url: native, other_part: native } : {}),
      ...(row.anyParts && !row.content?.file ? { file_url: native } : {}),
      ...row.content,
    },
    ...(row.imageDataOnly ? { imageSources: { https: false, http: false } } : {}),
    supportFor: (request, model) => supportFor(row, request, model),
    ...(row.efforts && { takesEffort: (word, model) => isEffortOf(row, word, model) }),
    request: toRewrite(row),
  };
}

/** Verdicts on parameters that a vendor does without, and why. */
export function lacks(
  why: string,
  ...names: readonly Parameter[]
): Partial<Record<Parameter, Support>> {
  return Object.fromEntries(names.map((name) => [name, ignored(why)]));
}

const OPENAI_ONLY: readonly Parameter[] = [
  "verbosity",
  "metadata",
  "store",
  "service_tier",
  "prediction",
  "modalities",
  "audio",
];

/** Fields of OpenAI's that are no parameters here, and that other vendors would refuse. */
const OPENAI_EXTENSIONS = [
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
  "prompt_cache_options",
  "web_search_options",
  "moderation",
];

function toParameters(row: DialectRow): Partial<Record<Parameter, Support>> {
  const { tokenLimit, ranges = {}, stops, toolChoice, streamUsage, alsoTakes = [] } = row;
  const own = OPENAI_ONLY.filter((name) => !alsoTakes.includes(name));
  const bounded = PARAMETERS.flatMap((name) => {
    const range = ranges[name];
    return range === undefined ? [] : [[name, nativeAs(`${range[0]} to ${range[1]}`)] as const];
  });
  const choices = Object.entries(toolChoice ?? {}).map(([from, to]) => `${from}: ${to}`);
  return {
    ...lacks("OpenAI's own", ...own),
    functions: converted("tools"),
    function_call: converted("tool_choice"),
    ...Object.fromEntries(bounded),
    ...(tokenLimit === "max_tokens" && { max_completion_tokens: renamed("max_tokens") }),
    ...(tokenLimit === "max_completion_tokens" && { max_tokens: renamed("max_completion_tokens") }),
    ...(stops !== undefined && { stop: nativeAs(`at most ${stops}`) }),
    ...(choices.length > 0 && { tool_choice: nativeAs(choices.join(", ")) }),
    ...(row.schemas && { response_format: nativeAs("schemas as an instruction where need be") }),
    ...(row.efforts && { reasoning_effort: nativeAs("the nearest that the model takes") }),
    ...(row.tiers && { service_tier: nativeAs(Object.values(row.tiers).join(", ")) }),
    ...(streamUsage === false && {
      stream_options: converted("usage always comes; the gateway passes it on or not"),
    }),
    ...row.parameters,
  };
}

/** Parameters that a model with sampling of its own refuses. */
const SAMPLING = ["temperature", "top_p", "presence_penalty", "frequency_penalty"] as const;

function supportFor(
  row: DialectRow,
  request: ChatRequest,
  model: TargetModel,
): Readonly<Record<string, Support>> {
  const { rejects_sampling_params: unsampled, capabilities } = model.facts;
  const dull = capabilities?.reasoning === false ||
    row.efforts?.every(([models]) => !models.test(model.base)) === true;
  const twice = request.max_tokens !== undefined && request.max_completion_tokens !== undefined;
  return {
    ...Object.fromEntries(
      OPENAI_EXTENSIONS.filter((name) => !row.alsoTakes?.includes(name)).map((name) => [
        name,
        ignored("OpenAI's own"),
      ]),
    ),
    ...(twice && { max_tokens: ignored("max_completion_tokens is there") }),
    ...(unsampled && Object.fromEntries(
      SAMPLING.map((name) => [name, ignored("the model takes no sampling parameters")]),
    )),
    ...(dull && { reasoning_effort: ignored("the model takes no effort") }),
    ...row.supportFor?.(request, model),
  };
}

/** Whether a word is one of those that efforts become at a model. */
function isEffortOf({ efforts = [] }: DialectRow, word: string, { base }: TargetModel): boolean {
  const table = efforts.find(([models]) => models.test(base))?.[1] ?? {};
  return Object.values(table).includes(word);
}

/** Everything that happens to a body before it is sent. */
function toRewrite(row: DialectRow): (body: JsonObject, call: Call) => JsonObject {
  const takesTools = row.parameters?.tools?.verdict !== "ignored";
  return inOrder(
    withPlainMessages(row),
    ...(takesTools ? [withPlainTools(row.strictTools ?? true)] : []),
    ...(row.toolChoice ? [withToolChoice(row.toolChoice)] : []),
    ...Object.entries(row.ranges ?? {}).map(([name, range]) => withinRange(name, range)),
    ...(row.stops === undefined ? [] : [withFewStops(row.stops)]),
    ...(row.efforts ? [withEfforts(row.efforts)] : []),
    ...(row.tiers ? [withTier(row.tiers)] : []),
    ...(row.schemas ? [withSchemaAsText(row.schemas)] : []),
    ...(row.rewrites ?? []),
  );
}
