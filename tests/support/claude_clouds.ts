/**
 * Rejects what Claude's clouds reject, just as strictly: betas that they do not know, and body
 * members without their beta. Sources are those of `src/providers/shared/claude/betas.ts`; the
 * lists are the shortest that were reported, such as those of older models.
 */

import { isObject, type JsonObject } from "../../src/core/json/object.ts";
import type { Sent } from "./scripted_vendor.ts";

export type Cloud = "bedrock" | "vertex";

const KNOWN: Readonly<Record<Cloud, readonly string[]>> = {
  bedrock: [
    "computer-use-2025-01-24",
    "context-1m-2025-08-07",
    "context-management-2025-06-27",
    "dev-full-thinking-2025-05-14",
    "fine-grained-tool-streaming-2025-05-14",
    "interleaved-thinking-2025-05-14",
    "output-128k-2025-02-19",
    "token-efficient-tools-2025-02-19",
    "tool-examples-2025-10-29",
    "tool-search-tool-2025-10-19",
  ],
  vertex: [
    "computer-use-2025-01-24",
    "context-1m-2025-08-07",
    "context-management-2025-06-27",
    "fine-grained-tool-streaming-2025-05-14",
    "interleaved-thinking-2025-05-14",
    "tool-search-tool-2025-10-19",
  ],
};

/** Members that need a beta. */
const GATED: readonly (readonly [path: string, beta: string])[] = [
  ["context_management", "context-management-2025-06-27"],
  ["container", "skills-2025-10-02"],
  ["diagnostics", "cache-diagnosis-2026-04-07"],
  ["fallbacks", "server-side-fallback-2026-07-01"],
  ["mcp_servers", "mcp-client-2025-11-20"],
  ["speed", "fast-mode-2026-02-01"],
  ["output_format", "structured-outputs-2025-11-13"],
];
const TOOL_MEMBERS: readonly (readonly [member: string, beta: string])[] = [
  ["defer_loading", "tool-search-tool-2025-10-19"],
  ["input_examples", "tool-examples-2025-10-29"],
  ["eager_input_streaming", "fine-grained-tool-streaming-2025-05-14"],
  ["allowed_callers", "advanced-tool-use-2025-11-20"],
];

/** The error for a request; undefined if the cloud accepts it. */
export function refusalOf(cloud: Cloud, { url, headers, body: sent }: Sent): Response | undefined {
  const isCount = url.includes("count-tokens");
  const body = cloud === "bedrock" && isCount ? countedBody(sent) : sent;
  const betas = cloud === "bedrock"
    ? Array.isArray(body.anthropic_beta) ? body.anthropic_beta.map(String) : []
    : (headers.get("anthropic-beta") ?? "").split(",").filter((beta) => beta !== "");
  const known = cloud === "vertex" && isCount ? [] : KNOWN[cloud];
  const odd = betas.filter((beta) => !known.includes(beta));
  if (odd.length > 0) {
    const named = odd.map((beta) => `\`${beta}\``).join(", ");
    const words =
      `Unexpected value(s) ${named} for the \`anthropic-beta\` header. Please consult ` +
      "our documentation at platform.claude.com/docs or try again without the header.";
    return refuse(cloud, cloud === "bedrock" ? "invalid beta flag" : words);
  }
  const extra = [
    ...GATED.filter(([name, beta]) => name in body && !betas.includes(beta)).map(([name]) => name),
    ...toolsOf(body).flatMap((tool, at) =>
      TOOL_MEMBERS.filter(([name, beta]) => name in tool && !betas.includes(beta))
        .map(([name]) => `tools.${at}.custom.${name}`)
    ),
    ...scopesIn(body, ""),
  ];
  if (extra.length > 0) return refuse(cloud, `${extra[0]}: Extra inputs are not permitted`);
  const odd_tool = toolsOf(body).find(({ type }) => /^(?:advisor_|mcp_toolset)/.test(String(type)));
  return odd_tool && refuse(cloud, `tools.0: Input tag '${odd_tool.type}' found`);
}

/** The body in a request to Bedrock's counter. */
export function countedBody(sent: JsonObject): JsonObject {
  const input = isObject(sent.input) && isObject(sent.input.invokeModel)
    ? sent.input.invokeModel
    : {};
  return JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(String(input.body))));
}

function toolsOf({ tools }: JsonObject): JsonObject[] {
  return Array.isArray(tools) ? tools.filter(isObject) : [];
}

/** The paths of every scope of a cache marker. */
function scopesIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((entry, at) => scopesIn(entry, `${path}${at}.`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "cache_control" && isObject(inner) && "scope" in inner
      ? [`${path}cache_control.ephemeral.scope`]
      : scopesIn(inner, `${path}${name}.`)
  );
}

function refuse(cloud: Cloud, message: string): Response {
  if (cloud === "bedrock") {
    const headers = { "x-amzn-errortype": "ValidationException" };
    return Response.json({ message }, { status: 400, headers });
  }
  const error = { type: "invalid_request_error", message };
  return Response.json({ type: "error", error }, { status: 400 });
}
