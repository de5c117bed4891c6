/**
 * The beta features of the Messages API that clouds accept, and the body members that depend on
 * them. Clouds reject a request that names another beta, or that contains such a member without its
 * beta.
 */

import * as z from "zod";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { hasPath, isText, withoutPath } from "../../../core/json/values.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import type { RequestRewrite, TargetModel } from "../../../contract/vendor_request.ts";

/** The setting for providers that are such a cloud. */
export const ALLOWED_BETAS = z.array(z.string().regex(/^[\w.-]+$/)).optional().describe(
  "Further beta features that the provider accepts for Claude: values of " +
    "anthropic-beta that are unknown and not listed here are removed from requests",
);

/** A cloud that serves Claude. */
export interface ClaudeCloud {
  /** The betas that it accepts for every model, or for those that match. */
  readonly betas: ReadonlyMap<string, true | RegExp>;
  /** Whether its token counter rejects betas that it accepts elsewhere. */
  readonly countsWithoutBetas?: true;
}

/**
 * Models that accept instructions and tools within a conversation, which some betas extend. For
 * tool changes, Anthropic lists Fable 5, Mythos 5, Opus 4.8 and Opus 5
 * (https://platform.claude.com/docs/en/release-notes/overview, 2026-07-24), and later models also
 * support them. There is no evidence that clouds accept these betas for other models, and Bedrock
 * checks the betas of each model (https://github.com/anthropics/claude-code/issues/49648,
 * 2026-04-17).
 */
const WITHIN_CONVERSATIONS =
  /(?:opus-(?:4-8|[5-9])|(?:fable|mythos)-[5-9]|(?:sonnet|haiku)-(?:5-[5-9]|[6-9]))(?!\d)/;

/**
 * InvokeModel. AWS:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html
 * (2026-11-20); later ones as LiteLLM sends them:
 * https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json
 * (2026-11-28). `effort` is a beta only for Opus 4.5; later models support the member without it
 * and reject its name (https://github.com/anthropics/claude-code/issues/49370, 2026-04-16).
 */
export const BEDROCK_CLAUDE: ClaudeCloud = {
  betas: new Map<string, true | RegExp>([
    ["compact-2026-01-12", true],
    ["computer-use-2024-10-22", true],
    ["computer-use-2025-01-24", true],
    ["computer-use-2025-11-24", true],
    ["context-1m-2025-08-07", true],
    ["context-management-2025-06-27", true],
    ["dev-full-thinking-2025-05-14", true],
    ["effort-2025-11-24", /opus-4-5/],
    ["fine-grained-tool-streaming-2025-05-14", true],
    ["interleaved-thinking-2025-05-14", true],
    ["mid-conversation-output-config-2026-07-01", WITHIN_CONVERSATIONS],
    ["mid-conversation-tool-changes-2026-07-01", WITHIN_CONVERSATIONS],
    ["output-128k-2025-02-19", true],
    ["thinking-binding-controls-2026-08-01", true],
    ["thinking-display-updates-2026-08-18", true],
    ["token-efficient-tools-2025-02-19", true],
    ["tool-examples-2025-10-29", true],
    ["tool-search-tool-2025-10-19", true],
  ]),
};

/**
 * `rawPredict`: the same list of LiteLLM, and https://github.com/Wei-Shaw/sub2api/issues/3358
 * (2026-06-18). The counter rejects betas that the models accept
 * (https://github.com/BerriAI/litellm/pull/39597, 2026-07).
 */
export const VERTEX_CLAUDE: ClaudeCloud = {
  betas: new Map<string, true | RegExp>([
    ["compact-2026-01-12", true],
    ["compact-2026-09-04", true],
    ["computer-use-2025-01-24", true],
    ["computer-use-2025-11-24", true],
    ["context-1m-2025-08-07", true],
    ["context-management-2025-06-27", true],
    ["effort-2025-11-24", /opus-4-5/],
    ["fine-grained-tool-streaming-2025-05-14", true],
    ["interleaved-thinking-2025-05-14", true],
    ["per-turn-control-2026-07-01", true],
    ["thinking-binding-controls-2026-08-01", true],
    ["thinking-display-updates-2026-08-18", true],
    ["tool-search-tool-2025-10-19", true],
    ["web-search-2025-03-05", true],
  ]),
  countsWithoutBetas: true,
};

/**
 * The clouds' name of a part of the beta `advanced-tool-use`, for requests that use it
 * (https://tangled.org/nonbinary.computer/claude-code/raw/main/constants/betas.ts, 2026-11-28).
 */
const ADVANCED_TOOLS = "advanced-tool-use-2025-11-20";
const TOOL_SEARCH = "tool-search-tool-2025-10-19";
const TOOL_EXAMPLES = "tool-examples-2025-10-29";

/** Other betas that clients of the Messages API add on their own; same sources (2026-11-28). */
const CLIENT_BETAS = [
  "advisor-tool-2026-03-01",
  ADVANCED_TOOLS,
  "afk-mode-2026-01-31",
  "cache-diagnosis-2026-04-07",
  "claude-code-20250219",
  "code-execution-2025-08-25",
  "dangerous-tool-use-2026-09-03",
  "extended-cache-ttl-2025-04-11",
  "fast-mode-2026-02-01",
  "files-api-2025-04-14",
  "mcp-client-2025-04-04",
  "mcp-client-2025-11-20",
  "mcp-servers-2025-12-04",
  "message-threads-2026-08-12",
  "mid-conversation-system-2026-04-07",
  "oauth-2025-04-20",
  "prompt-caching-2024-07-31",
  "prompt-caching-scope-2026-01-05",
  "redact-thinking-2026-02-12",
  "server-side-fallback-2026-06-01",
  "server-side-fallback-2026-07-01",
  "skills-2025-10-02",
  "structured-outputs-2025-11-13",
  "structured-outputs-2025-12-15",
  "task-budgets-2026-03-13",
  "thinking-token-count-2026-05-13",
  "token-efficient-tools-2026-03-28",
  "web-fetch-2025-09-10",
];

const KNOWN_BETAS: ReadonlySet<string> = new Set([
  ...BEDROCK_CLAUDE.betas.keys(),
  ...VERTEX_CLAUDE.betas.keys(),
  ...CLIENT_BETAS,
]);

/** A part of a body that depends on one of several betas. */
interface GatedPart {
  /** Its name in receipts. */
  readonly name: string;
  readonly betas: readonly string[];
  /** Its path, if that differs from its name. */
  readonly paths?: readonly string[];
  /** Tools whose type this matches, in place of members. */
  readonly tools?: RegExp;
}

/** The possible locations of a cache marker. */
const MARKED = ["", "system.", "tools.", "messages.content.", "messages.content.content."];

/**
 * According to Anthropic's documentation of each beta:
 * https://platform.claude.com/docs/en/api/beta-headers (2026-11-28).
 */
const GATED: readonly GatedPart[] = [
  {
    name: "cache_control.scope",
    betas: ["prompt-caching-scope-2026-01-05"],
    paths: MARKED.map((place) => `${place}cache_control.scope`),
  },
  {
    name: "context_management",
    betas: ["context-management-2025-06-27", "compact-2026-01-12", "compact-2026-09-04"],
  },
  { name: "container", betas: ["skills-2025-10-02", "code-execution-2025-08-25"] },
  { name: "diagnostics", betas: ["cache-diagnosis-2026-04-07"] },
  {
    name: "fallbacks",
    betas: ["server-side-fallback-2026-06-01", "server-side-fallback-2026-07-01"],
  },
  { name: "mcp_servers", betas: ["mcp-client-2025-04-04", "mcp-client-2025-11-20"] },
  { name: "speed", betas: ["fast-mode-2026-02-01"] },
  { name: "output_config.task_budget", betas: ["task-budgets-2026-03-13"] },
  { name: "thinking.block_binding", betas: ["thinking-binding-controls-2026-08-01"] },
  { name: "tools.allowed_callers", betas: [ADVANCED_TOOLS] },
  { name: "tools.defer_loading", betas: [TOOL_SEARCH, ADVANCED_TOOLS] },
  {
    name: "tools.eager_input_streaming",
    betas: ["fine-grained-tool-streaming-2025-05-14"],
  },
  { name: "tools.input_examples", betas: [TOOL_EXAMPLES, ADVANCED_TOOLS] },
  { name: "tools.advisor", betas: ["advisor-tool-2026-03-01"], tools: /^advisor_/ },
  {
    name: "tools.code_execution",
    betas: ["code-execution-2025-08-25"],
    tools: /^code_execution_/,
  },
  { name: "tools.mcp_toolset", betas: ["mcp-client-2025-11-20"], tools: /^mcp_toolset/ },
  { name: "tools.memory", betas: ["context-management-2025-06-27"], tools: /^memory_/ },
  { name: "tools.tool_search", betas: [TOOL_SEARCH, ADVANCED_TOOLS], tools: /^tool_search_tool_/ },
  { name: "tools.web_fetch", betas: ["web-fetch-2025-09-10"], tools: /^web_fetch_/ },
];

/** Members of tools that clients add on their own. */
const TOOL_MEMBERS: ReadonlySet<string> = new Set([
  ...["allowed_callers", "cache_control", "defer_loading", "eager_input_streaming"],
  ...["input_examples", "strict", "type"],
]);

/** A body and the betas with which it is sent. */
export interface BetaRequest {
  readonly body: JsonObject;
  readonly betas: readonly string[];
}

/**
 * Removes the betas that a cloud does not accept, and the parts of the body that depend on them.
 */
export function fitToCloud(
  { body, betas: requested }: BetaRequest,
  cloud: ClaudeCloud,
  { model, allowed }: { readonly model: TargetModel; readonly allowed: readonly string[] },
  changes: RequestChanges,
): BetaRequest {
  const betas = new Set<string>();
  const takes = (beta: string) => {
    const models = cloud.betas.get(beta);
    const isTaken = models === true || models?.test(`${model.base} ${model.upstream}`) === true;
    return isTaken || allowed.includes(beta);
  };
  for (const beta of requested) {
    const sent = takes(beta)
      ? [beta]
      : beta === ADVANCED_TOOLS
      ? toolBetas(body).filter(takes)
      : [];
    for (const name of sent) betas.add(name);
    if (sent.length === 0) changes.ignore(`anthropic-beta.${beta}`);
    else if (sent[0] !== beta) changes.rename(`anthropic-beta.${beta}`, sent.join("+"));
  }
  return {
    body: withoutGated(body, (names) => names.some((name) => betas.has(name)), changes),
    betas: [...betas],
  };
}

/** The parts of `advanced-tool-use` that a body uses. */
function toolBetas({ tools }: JsonObject): string[] {
  const listed = Array.isArray(tools) ? tools.filter(isObject) : [];
  const searches = listed.some(({ type, defer_loading }) =>
    defer_loading !== undefined || isText(type) && type.startsWith("tool_search_tool_")
  );
  const shows = listed.some(({ input_examples }) => input_examples !== undefined);
  return [...searches ? [TOOL_SEARCH] : [], ...shows ? [TOOL_EXAMPLES] : []];
}

/** The body without the parts for which no beta remains. */
function withoutGated(
  body: JsonObject,
  hasOne: (betas: readonly string[]) => boolean,
  changes: RequestChanges,
): JsonObject {
  let kept = body;
  for (const part of GATED) if (!hasOne(part.betas)) kept = withoutPart(kept, part, changes);
  return kept;
}

function withoutPart(body: JsonObject, part: GatedPart, changes: RequestChanges): JsonObject {
  const kept = part.tools === undefined
    ? withoutPaths(body, part.paths ?? [part.name])
    : withoutTools(body, part.tools);
  if (kept !== body) changes.ignore(part.name);
  return kept;
}

/** A body without these members; the same body if it has none of them. */
function withoutPaths(body: JsonObject, paths: readonly string[]): JsonObject {
  let kept = body;
  for (const path of paths) {
    const steps = path.split(".");
    if (hasPath(kept, steps)) kept = withoutPath(kept, steps);
  }
  return kept;
}

/** A body without tools of certain types, and without a choice of one of them. */
function withoutTools(body: JsonObject, types: RegExp): JsonObject {
  const { tools, tool_choice: choice, ...rest } = body;
  if (!Array.isArray(tools)) return body;
  const isOne = (tool: unknown) => isObject(tool) && isText(tool.type) && types.test(tool.type);
  const left = tools.filter((tool) => !isOne(tool));
  if (left.length === tools.length) return body;
  const names = new Set(tools.filter(isOne).map(({ name }) => name));
  const isLost = left.length === 0 || isObject(choice) && names.has(choice.name);
  return {
    ...rest,
    ...(left.length > 0 && { tools: left }),
    ...(choice !== undefined && !isLost && { tool_choice: choice }),
  };
}

/** The rewrite that removes a part that a vendor rejects; undefined for other parts. */
export function gatedRewrite(name: string): RequestRewrite | undefined {
  const part = GATED.find((part) => part.name === name);
  return part && {
    name,
    isKept: true,
    apply(request, changes) {
      const body = withoutPart(request.body, part, changes);
      return body === request.body ? request : { ...request, body };
    },
  };
}

/** The rewrite that removes a member of every tool. */
export function toolMemberRewrite(member: string): RequestRewrite {
  return gatedRewrite(`tools.${member}`) ?? {
    name: `tools.${member}`,
    isKept: TOOL_MEMBERS.has(member),
    apply(request, changes) {
      const body = withoutPaths(request.body, [`tools.${member}`]);
      if (body === request.body) return request;
      changes.ignore(`tools.${member}`);
      return { ...request, body };
    },
  };
}

/** The rewrite that removes some or all betas, and the fields that depend on them. */
export function betaRewrite(refused: readonly string[] | "all"): RequestRewrite {
  const isRefused = (beta: string) => refused === "all" || refused.includes(beta);
  return {
    name: refused === "all" ? HEADER : `${HEADER}.${[...refused].sort().join("+")}`,
    isKept: refused === "all" || refused.every((beta) => KNOWN_BETAS.has(beta)),
    apply(request, changes) {
      const { [HEADER]: header, ...headers } = request.headers;
      const { anthropic_beta: listed, ...body } = request.body;
      const sent = [...toBetas(header), ...toBetas(listed)];
      const betas = sent.filter((beta) => !isRefused(beta));
      if (betas.length === sent.length) return request;
      for (const beta of sent) if (isRefused(beta)) changes.ignore(`${HEADER}.${beta}`);
      const isLost = (names: readonly string[]) =>
        names.some(isRefused) && names.some((name) => sent.includes(name)) &&
        !names.some((name) => betas.includes(name));
      return {
        ...request,
        headers: { ...headers, ...(header !== undefined && toHeader(betas)) },
        body: {
          ...(listed !== undefined && betas.length > 0 && { anthropic_beta: betas }),
          ...withoutGated(body, (names) => !isLost(names), changes),
        },
      };
    },
  };
}

const HEADER = "anthropic-beta";

/** The betas of a header or of a list, without duplicates. */
export function toBetas(value: unknown): string[] {
  const names = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return [...new Set(names.map((name) => String(name).trim()).filter((name) => name !== ""))];
}

/** The header with the betas; absent if there are none. */
export function toHeader(betas: readonly string[]): Record<string, string> {
  return betas.length > 0 ? { [HEADER]: betas.join(",") } : {};
}
