/** The reference of HTTP endpoints and headers, from the description at `GET /openapi.json`. */

import { describeRoutes } from "../../src/http/openapi/document.ts";
import { modelEndpoints } from "../../src/http/openapi/endpoints.ts";
import { type Header, TAGS } from "../../src/apis/openapi.ts";
import { createRoutes, type RouteServices } from "../../src/http/routes/table.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
}

interface Content {
  readonly [type: string]: { readonly schema: { readonly $ref?: string } };
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** An endpoint of the description. */
export interface DescribedEndpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The models of examples, by the beginning of the path of their endpoints. */
const MODELS: readonly (readonly [path: string, model: string])[] = [
  ["messages", "claude-opus-5"],
  ["embeddings", "text-embedding-3-small"],
  ["rerank", "rerank-v4.0"],
  ["moderations", "omni-moderation-latest"],
  ["images/", "gpt-image-2"],
  ["audio/speech", "gpt-4o-mini-tts"],
  ["audio/tra", "whisper-1"],
  ["", "gpt-5.5"],
];

function modelOf(name: string): string {
  const path = name.slice("POST /v1/".length);
  return MODELS.find(([start]) => path.startsWith(start))?.[1] ?? "";
}

/** Bodies of requests, by method and path: JSON, or the fields of a form. */
export const BODIES: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    [...modelEndpoints()].map(([name, { example }]) => {
      const model = name.startsWith("POST /v1/") ? { model: modelOf(name) } : {};
      return [name, { ...model, ...example }];
    }),
  ),
  "POST /api/show": { model: "llama4" },
  "POST /v1/admin/providers/{provider_id}/test": { model: "gpt-5.5" },
  "POST /v1/admin/keys": { name: "search", budget: { usd: 50, per: "month" } },
  "PATCH /v1/admin/keys/{key_id}": { models: ["gpt-*"] },
  "POST /v1/admin/keys/{key_id}/rotate": { overlap: "24h" },
  "POST /v1/admin/config": {
    text: "providers: { mock: { kind: mock, models: [mock-echo] } }",
    hash: "HASH-OF-THE-TEXT-IN-USE",
  },
  "POST /v1/admin/config/check": { text: "providers: {}" },
  "POST /v1/admin/config/form": {
    text: "aliases: { fast: gpt-5.4 }",
    edits: [{ path: ["aliases", "fast"], value: "gpt-5.4-mini" }],
  },
};

/** What stands in paths of examples. */
const IN_PATHS: Readonly<Record<string, string>> = {
  model_id: "gpt-5.5",
  provider_id: "openai",
  path: "files",
  response_id: "resp_1",
  request_id: "req_1",
  key_id: "key_1",
  version_id: "1",
};

/** The description of everything that a gateway can serve. */
export function describeAll(): Readonly<Record<string, unknown>> {
  return describeRoutes(createRoutes({} as RouteServices));
}

/** The endpoints that have a description; others are paths of pages, or repeat one of these. */
export function listEndpoints(): readonly DescribedEndpoint[] {
  const { paths } = describeAll() as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      return { method, path, operation };
    })
  ).filter(({ method, path, operation }) =>
    !path.startsWith("/openai/") && operation.summary !== `${method} ${path}`
  );
}

export function toEndpointsMarkdown(): string {
  const endpoints = listEndpoints();
  return Object.entries(TAGS).map(([tag, description]) =>
    [
      `## ${tag}`,
      `${description}.`,
      ...endpoints.filter(({ operation }) => operation.tags.includes(tag)).map(toEntry),
    ].join("\n\n")
  ).join("\n\n");
}

function toEntry({ method, path, operation }: DescribedEndpoint): string {
  const { summary, parameters = [], requestBody, responses } = operation;
  const query = parameters.filter((parameter) => parameter.in === "query");
  const [answer] = Object.entries(responses);
  const facts = [
    ["Key", keyOf(operation)],
    ["Options", parameters.some(({ $ref }) => $ref) ? "[request headers](headers.md)" : ""],
    ["Body", requestBody === undefined ? "" : describeContent(requestBody.content)],
    ["Response", `${answer?.[0]}, ${describeContent(answer?.[1].content ?? {})}`],
  ].filter(([, value]) => value !== "");
  return [
    `### \`${method} ${path}\``,
    `${summary}.`,
    facts.map(([name, value]) => `- ${name}: ${value}`).join("\n"),
    ...(query.length === 0 ? [] : [
      [
        "| query | meaning |",
        "| --- | --- |",
        ...query.map(({ name, description = "" }) =>
          `| \`${name}\` | ${description.replaceAll("|", "\\|")} |`
        ),
      ].join("\n"),
    ]),
    "```text\n" + toCurl(method, path, operation) + "\n```",
  ].join("\n\n");
}

/** Media types with the names of their schemas. */
function describeContent(content: Content): string {
  const parts = Object.entries(content).map(([type, { schema }]) => {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? `\`${type}\`` : `\`${name}\` (\`${type}\`)`;
  });
  return parts.length === 0 ? "without a body" : parts.join(" or ");
}

function keyOf({ security }: Operation): string {
  const names = new Set((security ?? []).flatMap((scheme) => Object.keys(scheme)));
  if (names.has("adminKey")) return "admin key";
  return names.size === 0 ? "none" : "service key";
}

/** The command of an example. */
function toCurl(method: string, path: string, operation: Operation): string {
  const address = `http://127.0.0.1:8787${
    path.replaceAll(/\{(\w+)\}/g, (_, name) => IN_PATHS[name] ?? name)
  }`;
  const key = keyOf(operation);
  const variable = key === "admin key" ? "$SLUICE_ADMIN_KEY" : "$SLUICE_API_KEY";
  const body = BODIES[`${method} ${path}`];
  const isForm = Object.keys(operation.requestBody?.content ?? {})[0]?.startsWith("multipart");
  const options = [
    ...(method === "GET" || body !== undefined && method === "POST" ? [] : [`-X ${method}`]),
    ...(key === "none" ? [] : [`-H "authorization: Bearer ${variable}"`]),
    ...(body === undefined
      ? []
      : isForm
      ? Object.entries(body as object).map(([name, value]) => `-F ${name}='${value}'`)
      : [`-d '${JSON.stringify(body)}'`]),
  ];
  return [`curl ${address}`, ...options].join(" \\\n  ");
}

/** A table of headers. */
export function toHeadersMarkdown(headers: Readonly<Record<string, Header>>): string {
  return [
    "| header | meaning | example |",
    "| --- | --- | --- |",
    ...Object.entries(headers).map(([name, { meaning, example }]) =>
      `| <a id="${name}"></a>\`${name}\` | ${meaning} | \`${example}\` |`
    ),
  ].join("\n");
}
