/**
 * The description of an OpenAI-compatible vendor as data: what it accepts, and how other values are
 * converted. All such vendors except OpenAI use it.
 */

import {
  type ChatRequest,
  type JsonObject,
  type Parameter,
  PARAMETERS,
} from "../../contract/chat.ts";
import { dialectModels } from "./model_list.ts";
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
  renamed,
  type Support,
} from "../../contract/support.ts";
import type { Call, TargetModel } from "../../contract/vendor_request.ts";

/** The properties of a vendor. */
export interface DialectRow
  extends Omit<Dialect, "defaults" | "request" | "supportFor" | "imageSources">, MessageRules {
  readonly baseUrl: string;
  /** Whether it is a self-hosted server, which needs no key. */
  readonly local?: boolean;
  /** The only name of the output limit; if absent, both are accepted. */
  readonly tokenLimit?: "max_tokens" | "max_completion_tokens";
  /** Ranges that are smaller than OpenAI's. */
  readonly ranges?: Readonly<Partial<Record<Parameter, Range>>>;
  /** The maximum number of stop sequences. */
  readonly stops?: number;
  /**
   * Efforts by model. The first match applies; a model without a match ignores efforts. If absent,
   * efforts are passed unchanged.
   */
  readonly efforts?: readonly (readonly [models: RegExp, efforts: Efforts])[];
  /** The replacement for tool choices that the vendor does not support. */
  readonly toolChoice?: ToolChoiceTable;
  /** Whether a JSON schema can be enforced; if not, it becomes an instruction. */
  readonly schemas?: (call: Call) => boolean;
  /** Whether functions may be `strict`. Default: true. */
  readonly strictTools?: boolean;
  /**
   * Whether the vendor serves other vendors' models, some of which accept parts that OpenAI lacks.
   */
  readonly anyParts?: boolean;
  /** Whether images must be data URLs. */
  readonly imageDataOnly?: boolean;
  /** The vendor's names of OpenAI's service tiers; others are omitted. */
  readonly tiers?: Readonly<Record<string, string>>;
  /** OpenAI's extensions that this vendor also accepts. */
  readonly alsoTakes?: readonly string[];
  /** Further changes of the body, after those of the other members. */
  readonly rewrites?: readonly Rewrite[];
  supportFor?(request: ChatRequest, model: TargetModel): Readonly<Record<string, Support>>;
}

/** Converts a row for {@linkcode openAiCompatible}. */
export function dialectOf(row: DialectRow): Dialect {
  return {
    ...row,
    defaults: { baseUrl: row.baseUrl, credentials: row.local ? "optional" : "required" },
    models: row.models ?? dialectModels({ hasDates: !row.local }),
    parameters: toParameters(row),
    content: {
      developer_message: converted(
        row.rendersTemplates
          ? "sent as a system message; later ones become parts of the user's"
          : "sent as a system message",
      ),
      ...(row.names === false ? { message_name: converted("omitted, and reported") } : {}),
      ...(row.imageDataOnly
        ? { image_url: converted("fetched by the gateway and sent as data") }
        : {}),
      ...(row.anyParts ? { video_url: native, other_part: native } : {}),
      ...(row.anyParts && !row.content?.file ? { file_url: native } : {}),
      ...row.content,
    },
    ...(row.imageDataOnly ? { imageSources: { https: false, http: false } } : {}),
    reasoningState: [
      ...(row.replays ? ["reasoning_content" as const] : []),
      ...(row.replaysDetails ? ["reasoning_details" as const] : []),
    ],
    supportFor: (request, model) => supportFor(row, request, model),
    ...(row.efforts && { takesEffort: (effort, model) => isEffortOf(row, effort, model) }),
    request: toRewrite(row),
  };
}

/** Support levels of parameters that a vendor ignores, and why. */
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

/** OpenAI's extensions that other vendors reject. */
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
  const extensions = OPENAI_ONLY.filter((name) => !alsoTakes.includes(name));
  const bounded = PARAMETERS.flatMap((name) => {
    const range = ranges[name];
    return range === undefined ? [] : [[name, nativeAs(`${range[0]} to ${range[1]}`)] as const];
  });
  const choices = Object.entries(toolChoice ?? {}).map(([from, to]) => `${from}: ${to}`);
  return {
    ...lacks("only OpenAI has it", ...extensions),
    functions: converted("tools"),
    function_call: converted("tool_choice"),
    ...Object.fromEntries(bounded),
    ...(tokenLimit === "max_tokens" && { max_completion_tokens: renamed("max_tokens") }),
    ...(tokenLimit === "max_completion_tokens" && { max_tokens: renamed("max_completion_tokens") }),
    ...(stops !== undefined && { stop: nativeAs(`at most ${stops}`) }),
    ...(choices.length > 0 && { tool_choice: nativeAs(choices.join(", ")) }),
    ...(row.schemas && { response_format: nativeAs("schemas become an instruction if necessary") }),
    ...(row.efforts && { reasoning_effort: nativeAs("the nearest value that the model accepts") }),
    ...(row.tiers && { service_tier: nativeAs(Object.values(row.tiers).join(", ")) }),
    ...(streamUsage === false && {
      stream_options: converted("usage is always reported; the caller gets it only on request"),
    }),
    ...row.parameters,
  };
}

/** Parameters that a model with fixed sampling rejects. */
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
        ignored("only OpenAI has it"),
      ]),
    ),
    ...(twice && { max_tokens: ignored("max_completion_tokens is there") }),
    ...(unsampled && Object.fromEntries(
      SAMPLING.map((name) => [name, ignored("the model accepts no sampling parameters")]),
    )),
    ...(dull && { reasoning_effort: ignored("the model accepts no effort") }),
    ...row.supportFor?.(request, model),
  };
}

/** Whether a value is an effort of the model. */
function isEffortOf({ efforts = [] }: DialectRow, effort: string, { base }: TargetModel): boolean {
  const table = efforts.find(([models]) => models.test(base))?.[1] ?? {};
  return Object.values(table).includes(effort);
}

/** All changes of a body before it is sent. */
function toRewrite(row: DialectRow): (body: JsonObject, call: Call) => JsonObject {
  const takesTools = row.parameters?.tools?.level !== "ignored";
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
