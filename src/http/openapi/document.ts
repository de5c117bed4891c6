/** The OpenAPI description of what a listener serves: `GET /openapi.json`. */

import { VERSION } from "../../core/version.ts";
import type { Route } from "../routes/route.ts";
import { answerSchemas } from "./answers.ts";
import { CHAT_ANSWERS } from "./chat_answers.ts";
import {
  type Endpoint,
  type EndpointDescription,
  ref,
  type Schema,
  type Schemas,
  TAGS,
  text,
  toSchema,
} from "../../apis/openapi.ts";
import { configBody, configCheckBody, configFormBody } from "../routes/admin_config.ts";
import { keyChangesBody, newKeyBody, rotationBody } from "../routes/admin_keys.ts";
import { providerTestBody } from "../routes/provider_test.ts";
import { allEndpoints, modelEndpoints } from "./endpoints.ts";
import { REQUEST_HEADERS } from "./headers.ts";
import { ANSWER_HEADERS } from "../response.ts";

const REQUEST_ID = "x-request-id";
/** The response headers in the description. */
const DESCRIBED_ANSWERS = {
  [REQUEST_ID]: { description: "The request ID: the caller's if it sent one", schema: text },
  ...Object.fromEntries(
    Object.entries(ANSWER_HEADERS).flatMap(([name, { meaning: description, schema }]) =>
      schema === undefined ? [] : [[name, { description, schema }]]
    ),
  ),
};

/** The description for a pass-through method. */
const ANY_METHODS = ["get", "post", "put", "patch", "delete"];

/** Model methods that share one route path. */
const MODEL_METHODS = "POST /v1beta/models/{model_id}";

/**
 * Describes routes.
 *
 * @param routes the routes in the table that a listener serves
 */
export function describeRoutes(routes: readonly Route[]): Schema {
  const described = modelEndpoints();
  const endpoints = allEndpoints(described);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const label = `${route.method} ${route.path.replace("...}", "}")}`;
    for (const [name, endpoint] of endpointsOf(label, route.describedAs, endpoints)) {
      const [method = "", path = ""] = name.split(" ");
      const methods = method === "ANY" ? ANY_METHODS : [method.toLowerCase()];
      for (const verb of methods) {
        (paths[path] ??= {})[verb] = toOperation(verb, path, endpoint, route);
      }
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Sluice",
      version: VERSION,
      description: "A model gateway: the formats of several vendors' APIs in front of all vendors.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { ...COMPONENTS, schemas: schemasOf([...described.values()]) },
  };
}

/** All named schemas. */
function schemasOf(described: readonly EndpointDescription[]): Schemas {
  const requests = described.flatMap(({ request }) => request === undefined ? [] : [request]);
  const answers = described.map(({ schemas }) => schemas);
  return {
    ...Object.fromEntries(requests),
    NewServiceKeyRequest: toSchema(newKeyBody),
    ServiceKeyChanges: toSchema(keyChangesBody),
    ProviderTestRequest: toSchema(providerTestBody),
    ConfigCheckRequest: toSchema(configCheckBody),
    ConfigFormRequest: toSchema(configFormBody),
    ConfigRequest: toSchema(configBody),
    ServiceKeyRotation: toSchema(rotationBody),
    ...CHAT_ANSWERS,
    ...answerSchemas(Object.assign({}, ...answers)),
  };
}

/** A route's descriptions, or one without schemas if there are none. */
function endpointsOf(
  label: string,
  describedAs: string | undefined,
  endpoints: ReadonlyMap<string, Endpoint>,
): readonly (readonly [string, Endpoint])[] {
  const own = endpoints.get(describedAs ?? label);
  if (own !== undefined) return [[label, own]];
  const methods = label === MODEL_METHODS
    ? [...endpoints].filter(([name]) => name.startsWith(`${MODEL_METHODS}:`))
    : [];
  return methods.length > 0 ? methods : [[label, { tag: "Process", summary: label, answers: {} }]];
}

function toOperation(verb: string, path: string, endpoint: Endpoint, { auth }: Route): Schema {
  const { tag, summary, body, otherBody, bodyOptional, query = [], callsModel, error = "Error" } =
    endpoint;
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      ...{ name, in: "path", required: true, schema: text },
      ...(name === "path" && { description: "It may contain slashes" }),
    })),
    ...query.map(([name, description]) => ({ name, in: "query", description, schema: text })),
    ...(callsModel ? Object.keys(REQUEST_HEADERS).map(toParameterRef) : []),
  ];
  return {
    tags: [tag],
    summary,
    operationId: toOperationId(verb, path),
    ...SECURITY.get(typeof auth === "object" ? "admin" : auth),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: bodyOptional !== true,
        content: Object.fromEntries(
          [body, ...(otherBody ? [otherBody] : [])].map(([type, schema]) => [type, { schema }]),
        ),
      },
    }),
    responses: {
      [endpoint.status ?? 200]: toAnswer(endpoint),
      "4XX": { $ref: `#/components/responses/${error}` },
      "5XX": { $ref: `#/components/responses/${error}` },
    },
  };
}

function toAnswer({ answers, events, callsModel }: Endpoint): Schema {
  const content = Object.entries(answers).map(([type, schema]) => [type, {
    schema,
    ...(events !== undefined && /event-stream|ndjson/.test(type) && {
      "x-event-schema": ref(events),
    }),
  }]);
  return {
    description: "Success",
    headers: Object.fromEntries(
      (callsModel ? Object.keys(DESCRIBED_ANSWERS) : [REQUEST_ID])
        .map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  };
}

function toParameterRef(name: string): Schema {
  return { $ref: `#/components/parameters/${name}` };
}

/** An ID such as `post_v1_chat_completions`. */
function toOperationId(verb: string, path: string): string {
  return `${verb}${path}`.replaceAll(/[^A-Za-z0-9]+/g, "_").replace(/_$/, "");
}

const SERVICE = [{ serviceKey: [] }, { serviceKeyHeader: [] }];
const SECURITY: ReadonlyMap<string, Schema> = new Map([
  ["none", { security: [] }],
  ["service_key", { security: SERVICE }],
  ["query_key", { security: [...SERVICE, { serviceKeyQuery: [] }] }],
  ["metrics", { security: [...SERVICE, {}] }],
  ["admin", { security: [{ adminKey: [] }] }],
]);

function toErrorSchema(name: string): Schema {
  return {
    description: "An error in the caller's format",
    content: { "application/json": { schema: ref(name) } },
  };
}

const COMPONENTS: Schema = {
  securitySchemes: {
    serviceKey: { type: "http", scheme: "bearer", description: "A service key" },
    serviceKeyHeader: {
      ...{ type: "apiKey", in: "header", name: "x-api-key" },
      description: "A service key; api-key and x-goog-api-key are the same",
    },
    serviceKeyQuery: { type: "apiKey", in: "query", name: "key", description: "A service key" },
    adminKey: { type: "http", scheme: "bearer", description: "An admin key" },
  },
  parameters: Object.fromEntries(
    Object.entries(REQUEST_HEADERS).map(([name, { meaning: description, schema }]) => [
      name,
      { name, in: "header", description, schema },
    ]),
  ),
  headers: DESCRIBED_ANSWERS,
  responses: Object.fromEntries(
    ["Error", "MessagesError", "GeminiError", "OllamaError"].map((
      name,
    ) => [name, toErrorSchema(name)]),
  ),
};
