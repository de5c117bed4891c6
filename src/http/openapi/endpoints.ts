/** The endpoints in the description: those for caller formats, and the gateway's own. */

import { GEMINI_METHODS } from "../../gateway/execute/gemini/gemini_endpoints.ts";
import { OPERATIONS } from "../../gateway/execute/list.ts";
import { OLLAMA_ENDPOINTS } from "../../gateway/execute/ollama/ollama_endpoints.ts";
import { REQUEST_PATHS } from "../../governance/ledger/request_paths.ts";
import { REQUEST_SORTS } from "../../governance/ledger/request_sorts.ts";
import { USAGE_GROUPS } from "../../governance/ledger/usage_store.ts";
import {
  anyOf,
  anything,
  type Endpoint,
  type EndpointDescription,
  EVENTS,
  json,
  JSON_TYPE,
  jsonOrEvents,
  listOf,
  object,
  ref,
  text,
} from "../../apis/openapi.ts";

/** The endpoints that call models, by method and path. */
export function modelEndpoints(): ReadonlyMap<string, EndpointDescription> {
  return new Map([
    ...OPERATIONS.flatMap(({ endpoints }) => endpoints).map((endpoint) =>
      [`POST ${endpoint.path}`, endpoint.describe()] as const
    ),
    ...GEMINI_METHODS.map((method) =>
      [`POST /v1beta/models/{model_id}:${method.name}`, method.describe()] as const
    ),
    ...OLLAMA_ENDPOINTS.map((endpoint) => [`POST ${endpoint.path}`, endpoint.describe()] as const),
  ]);
}

/**
 * All endpoints, by method and path.
 *
 * @param described the endpoints that call models
 */
export function allEndpoints(
  described: ReadonlyMap<string, EndpointDescription>,
): ReadonlyMap<string, Endpoint> {
  return new Map([
    ...[...described].map(([name, endpoint]): [string, Endpoint] => {
      const { request: [schema] = [] } = endpoint;
      const body = schema === undefined ? {} : { body: [JSON_TYPE, ref(schema)] as const };
      return [name, { ...body, ...endpoint, callsModel: true }];
    }),
    ...Object.entries({ ...objectEndpoints, ...gatewayEndpoints }),
  ]);
}

const look = { tag: "Ollama", error: "OllamaError" } as const;

/** Models, stored responses, and the pass-through. */
const objectEndpoints: Readonly<Record<string, Endpoint>> = {
  "GET /v1/responses/{response_id}": {
    tag: "Chat",
    summary: "Retrieve a stored response",
    answers: jsonOrEvents("Response"),
    events: "ResponseEvent",
  },
  "DELETE /v1/responses/{response_id}": {
    tag: "Chat",
    summary: "Delete a stored response",
    answers: json("ResponseDeleted"),
  },
  "POST /v1/responses/{response_id}/cancel": {
    tag: "Chat",
    summary: "Cancel a background response",
    answers: json("Response"),
  },
  "GET /v1/responses/{response_id}/input_items": {
    tag: "Chat",
    summary: "List the input items of a stored response",
    answers: json("ResponseItems"),
  },
  "GET /v1beta/models": {
    tag: "Gemini",
    summary: "List models in Gemini's format",
    answers: { [JSON_TYPE]: ref("GeminiModelPage") },
    error: "GeminiError",
  },
  "GET /v1beta/models/{model_id}": {
    tag: "Gemini",
    summary: "Retrieve a model in Gemini's format",
    answers: { [JSON_TYPE]: ref("GeminiModel") },
    error: "GeminiError",
  },
  "GET /api/tags": { ...look, summary: "List models", answers: { [JSON_TYPE]: ref("OllamaTags") } },
  "POST /api/show": {
    ...look,
    summary: "Show a model",
    body: [JSON_TYPE, object({ model: text })],
    answers: { [JSON_TYPE]: ref("OllamaModel") },
  },
  "GET /api/ps": {
    ...look,
    summary: "List loaded models (always empty)",
    answers: { [JSON_TYPE]: object({ models: listOf(object({})) }) },
  },
  "GET /api/version": {
    ...look,
    summary: "The Ollama API version",
    answers: { [JSON_TYPE]: ref("OllamaVersion") },
  },
  "GET /v1/models": {
    tag: "Models",
    summary: "List models, in the format that the request's headers indicate",
    answers: {
      [JSON_TYPE]: anyOf(ref("ModelList"), ref("MessagesModelPage"), ref("GeminiModelPage")),
    },
  },
  "GET /v1/models/{model_id}": {
    tag: "Models",
    summary: "Retrieve a model, by any of its names",
    answers: { [JSON_TYPE]: anyOf(ref("Model"), object({ id: text }), ref("GeminiModel")) },
  },
  "GET /v1/providers": {
    tag: "Models",
    summary: "List what each kind of provider supports, and the state of each provider",
    answers: json("Providers"),
  },
  "ANY /v1/providers/{provider_id}/proxy/{path}": {
    tag: "Models",
    summary: "Send a request to the vendor's own API",
    body: ["*/*", anything],
    bodyOptional: true,
    answers: { "*/*": anything },
  },
};

const period = [
  ["from", "A date, or a time such as 2026-11-01T08:00Z"],
  ["to", "The same"],
  ["group_by", `A list of ${USAGE_GROUPS.join(", ")}`],
  ["team", "Only this team"],
  ["owner", "Only this owner"],
  ["model", "Only this model"],
  ["provider", "Only this provider"],
  ["tag", "Only this tag"],
  ["session", "Only this session"],
  ["end_user", "Only this end user"],
  ["time_zone", "The time zone of days by its IANA name, such as Europe/Paris; default: UTC"],
  ["utc_offset", "The same as a fixed offset such as +05:30"],
  ["limit", "The maximum number of groups, 1 to 5000; default: 1000"],
  ["after", "The previous page's next"],
  ["format", "json or csv"],
] as const;
const counted = [
  ["before", "The previous page's next"],
  ["from", "Requests that ended at or after this: a date, or a time such as 2026-11-01T08:00Z"],
  ["to", "Requests that ended before this"],
  ["id", "The beginning of the ID"],
  ["model", "This model; * matches any characters"],
  ["provider", "This provider; * matches any characters"],
  ["tag", "This tag; * matches any characters"],
  ["end_user", "This end user; * matches any characters"],
  ["session", "Exactly this session"],
  ["status", "A status, ok or error"],
  ["min_ms", "The minimum duration in milliseconds"],
  ["min_cost_usd", "The least cost"],
  ["path", `One of ${REQUEST_PATHS.join(", ")}`],
] as const;
const requests = [
  ["limit", "1 to 200; up to 1000 for csv"],
  ["format", "json or csv"],
  ["sort", `One of ${Object.keys(REQUEST_SORTS).join(", ")}`],
  ["order", "desc or asc"],
  ...counted,
] as const;

const gatewayEndpoints: Readonly<Record<string, Endpoint>> = {
  "GET /v1/usage": {
    tag: "Usage",
    summary: "Report requests, tokens and cost",
    answers: { ...json("Usage"), "text/csv": text },
    query: period,
  },
  "GET /v1/live": {
    tag: "Usage",
    summary: "Watch the state of providers and models",
    answers: { [EVENTS]: text },
    events: "LiveState",
  },
  "GET /v1/requests": {
    tag: "Usage",
    summary: "List requests",
    answers: { ...json("RequestPage"), "text/csv": text },
    query: requests,
  },
  "GET /v1/request_counts": {
    tag: "Usage",
    summary: "Count requests by time",
    answers: json("RequestCounts"),
    query: counted,
  },
  "GET /v1/requests/{request_id}": {
    tag: "Usage",
    summary: "Show a request and its attempts",
    answers: json("RequestRecord"),
    query: [["time", "The time of the request, to find an old one"]],
  },
  "GET /v1/routes": {
    tag: "Usage",
    summary: "List the targets of each model name",
    answers: json("Routes"),
  },
  "GET /v1/clients": {
    tag: "Usage",
    summary: "List the client settings for this gateway",
    answers: json("ClientList"),
    query: [
      ["origin", "The address that clients reach"],
      ["os", "linux, darwin or windows"],
      ["model", "The model for the client"],
      ["small_model", "Its small model"],
    ],
  },
  "GET /v1/admin/routes": {
    tag: "Administration",
    summary: "List the targets of every model name",
    answers: json("Routes"),
  },
  "GET /v1/admin/usage": {
    tag: "Administration",
    summary: "Report all keys' requests, tokens and cost",
    answers: { ...json("Usage"), "text/csv": text },
    query: [["key", "The name of one key"], ...period],
  },
  "GET /v1/admin/health": {
    tag: "Administration",
    summary: "Show the state of every target, since when, and its last day",
    answers: json("TargetHealth"),
  },
  "GET /v1/admin/live": {
    tag: "Administration",
    summary: "Watch the state of all providers and models",
    answers: { [EVENTS]: text },
    events: "LiveState",
  },
  "GET /v1/admin/requests": {
    tag: "Administration",
    summary: "List all keys' requests",
    answers: { ...json("RequestPage"), "text/csv": text },
    query: [["key", "The name of one key; * matches any characters"], ...requests],
  },
  "GET /v1/admin/request_counts": {
    tag: "Administration",
    summary: "Count all keys' requests by time",
    answers: json("RequestCounts"),
    query: [["key", "The name of one key; * matches any characters"], ...counted],
  },
  "GET /v1/admin/requests/{request_id}": {
    tag: "Administration",
    summary: "Show a request of any key",
    answers: json("RequestRecord"),
    query: [["time", "The time of the request, to find an old one"]],
  },
  "GET /v1/admin/providers": {
    tag: "Administration",
    summary: "List breakers and suspended keys",
    answers: json("AdminProviders"),
  },
  "POST /v1/admin/providers/{provider_id}/reset": {
    tag: "Administration",
    summary: "Close breakers and use suspended keys again",
    answers: json("ProviderReset"),
  },
  "GET /v1/admin/providers/{provider_id}/test": {
    tag: "Administration",
    summary: "Show the maximum cost of testing a provider",
    answers: json("ProviderTestPlan"),
  },
  "POST /v1/admin/providers/{provider_id}/test": {
    tag: "Administration",
    summary: "Send a one-token request to a provider",
    body: [JSON_TYPE, ref("ProviderTestRequest")],
    bodyOptional: true,
    answers: json("ProviderTest"),
  },
  "GET /v1/admin/config": {
    tag: "Administration",
    summary: "Show the current configuration, without secrets",
    answers: json("Config"),
  },
  "POST /v1/admin/config": {
    tag: "Administration",
    summary: "Save the configuration and load it; the key needs edit_config",
    body: [JSON_TYPE, ref("ConfigRequest")],
    answers: json("Config"),
  },
  "POST /v1/admin/config/check": {
    tag: "Administration",
    summary: "Check a configuration for problems, and list what it changes",
    body: [JSON_TYPE, ref("ConfigCheckRequest")],
    answers: json("ConfigCheck"),
  },
  "POST /v1/admin/config/form": {
    tag: "Administration",
    summary:
      "List the objects of a configuration for forms, and change individual values in its text",
    body: [JSON_TYPE, ref("ConfigFormRequest")],
    answers: json("ConfigForm"),
  },
  "GET /v1/admin/config/schema": {
    tag: "Administration",
    summary: "The JSON Schema of config.yaml",
    answers: json("ConfigSchema"),
  },
  "GET /v1/admin/config/versions/{version_id}": {
    tag: "Administration",
    summary: "Show a previous configuration, without secrets",
    answers: json("ConfigVersion"),
  },
  "GET /v1/admin/keys": {
    tag: "Administration",
    summary: "List service keys",
    answers: json("ServiceKeyPage"),
    query: [
      ["name", "The name of one key"],
      ["search", "Part of a name, or of a key's first characters; case is ignored"],
      ["limit", "The maximum number of keys"],
      ["after", "The ID of the last key on the previous page"],
      ["revoked", "true: include revoked keys"],
      ["usage", "true: include usage"],
    ],
  },
  "POST /v1/admin/keys": {
    tag: "Administration",
    summary: "Create a service key",
    body: [JSON_TYPE, ref("NewServiceKeyRequest")],
    answers: json("NewServiceKey"),
    status: 201,
  },
  "GET /v1/admin/keys/{key_id}": {
    tag: "Administration",
    summary: "Show a service key and its usage",
    answers: json("ServiceKey"),
  },
  "PATCH /v1/admin/keys/{key_id}": {
    tag: "Administration",
    summary: "Change a service key",
    body: [JSON_TYPE, ref("ServiceKeyChanges")],
    answers: json("ServiceKey"),
  },
  "DELETE /v1/admin/keys/{key_id}": {
    tag: "Administration",
    summary: "Revoke a service key",
    answers: json("ServiceKey"),
  },
  "POST /v1/admin/keys/{key_id}/rotate": {
    tag: "Administration",
    summary: "Rotate a service key",
    body: [JSON_TYPE, ref("ServiceKeyRotation")],
    bodyOptional: true,
    answers: json("NewServiceKey"),
  },
  "GET /healthz": {
    tag: "Process",
    summary: "Check whether the process is running",
    answers: json("Health"),
  },
  "GET /readyz": {
    tag: "Process",
    summary: "Check whether the process accepts requests; 503 while it drains",
    answers: json("Readiness"),
  },
  "GET /metrics": {
    tag: "Process",
    summary: "Metrics for Prometheus",
    answers: { "text/plain": text },
  },
  "GET /openapi.json": {
    tag: "Process",
    summary: "This description",
    answers: json("OpenApi"),
  },
};
