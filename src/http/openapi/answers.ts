/** Schemas for errors and for other endpoints' responses. */

import { ERROR_KINDS } from "../../core/errors.ts";
import {
  anyOf,
  boolean,
  constant,
  integer,
  listOf,
  number,
  object,
  oneOf,
  orNull,
  ref,
  type Schemas,
  text,
} from "../../apis/openapi.ts";

const listObject = { object: constant("list") };
const page = { has_more: boolean, next: orNull(text) };

const model = object({
  id: text,
  object: constant("model"),
  created: integer,
  owned_by: text,
  permission: listOf(object({})),
  root: text,
  parent: orNull(text),
}, {
  context_window: integer,
  max_output_tokens: integer,
  capabilities: object({}),
  prices: object({}),
});

/** Models. */
const models: Schemas = { Model: model, ModelList: object({ ...listObject, data: listOf(model) }) };

const budget = object({ limit_usd: number, spent_usd: number, remaining_usd: number }, {
  is_used_up: boolean,
  period_start: text,
  renews_at: orNull(text),
});
const row = {
  object: constant("request"),
  id: text,
  path: listOf(text),
  time: text,
  key: orNull(text),
  model: orNull(text),
  provider: orNull(text),
  status: integer,
  error: orNull(text),
  attempt_count: integer,
  input_tokens: integer,
  output_tokens: integer,
  cost_usd: orNull(number),
  ms: number,
};
const breaker = object({ model: text, state: oneOf("closed", "half_open", "open") });
const serviceKey = {
  id: text,
  object: constant("service_key"),
  name: text,
  source: oneOf("config", "store"),
  status: text,
  models: orNull(listOf(text)),
  limits: orNull(object({})),
  budget: orNull(object({})),
  expires: orNull(text),
};
const liveTarget = { attempts: integer, failed_attempts: integer, p50_ms: orNull(number) };

/** The gateway itself. */
const gateway: Schemas = {
  Health: object({ status: constant("ok") }),
  Readiness: object({ status: oneOf("ready", "draining") }, {
    config: constant("stale"),
    reason: text,
  }),
  ClientList: object({
    ...listObject,
    data: listOf(object({
      id: text,
      title: text,
      source: text,
      checked: text,
      files: listOf(object({ path: text, text })),
      steps: listOf(text),
    })),
  }),
  Providers: object({
    ...listObject,
    data: listOf(object({ id: text, kind: text, state: oneOf("on", "off") }, {
      models: listOf(text),
      breakers: listOf(breaker),
      reason: text,
    })),
    kinds: listOf(object({ kind: text, operations: listOf(text), parameters: object({}) })),
  }),
  Usage: object({
    ...listObject,
    from: text,
    to: text,
    group_by: listOf(text),
    data: listOf(object({ requests: integer, input_tokens: integer, output_tokens: integer }, {
      errors: integer,
      cost_usd: orNull(number),
      saved_usd: orNull(number),
    })),
  }, { budget: orNull(budget), ...page }),
  RequestPage: object({ ...listObject, data: listOf(object(row)), ...page }),
  RequestCounts: object({
    ...{ ...listObject, from: text, to: text, step_seconds: integer },
    data: listOf(object({ start: text, requests: integer, errors: integer })),
    ...page,
  }),
  RequestRecord: object({ ...row, attempts: listOf(object({})) }),
  TargetHealth: object({
    ...{ object: constant("health"), at: text, since: text, reading: boolean, cell_ms: integer },
    changes: listOf(object({ time: text, kind: oneOf("config", "keys", "breakers"), text })),
    targets: listOf(object({
      ...{ provider: text, upstream: text, since: orNull(text), last_attempt: orNull(text) },
      state: oneOf("failing", "degraded", "slow", "silent", "ok", "unused"),
      ...{ recent: object({}), day: object({}), last: object({}), cells: listOf(listOf(integer)) },
    })),
  }),
  LiveState: object({
    at: text,
    workers: integer,
    in_flight: integer,
    providers: listOf(object({ id: text, enabled: boolean, ...liveTarget })),
    models: listOf(object({ id: text, provider: text, breaker: text, ...liveTarget })),
    config: object({ valid: boolean }),
  }),
  Routes: object({
    ...listObject,
    since: text,
    data: listOf(object({ id: text, form: oneOf("model", "pinned", "alias", "pattern") }, {
      steps: listOf(object({ balance: text, targets: listOf(object({})) })),
    })),
    targets: listOf(object({
      ...{ provider: text, kind: text, id: text, upstream: text },
      ...{ attempts: orNull(integer), failed_attempts: orNull(integer), uptime: orNull(number) },
      ...{ p50_ms: orNull(number), p95_ms: orNull(number) },
    })),
  }),
  AdminProviders: object({
    ...listObject,
    data: listOf(object({ id: text, kind: text, state: oneOf("on", "off") })),
    workers: integer,
  }),
  ProviderReset: object({
    object: constant("provider.reset"),
    id: text,
    cleared: object({ suspended_keys: integer, breakers: integer, learned_rejections: integer }),
  }),
  ProviderTestPlan: object({
    ...{ object: constant("provider.test_plan"), provider: text, prompt: text },
    ...{ max_input_tokens: integer, max_output_tokens: integer },
    models: listOf(object({ id: text, max_cost_usd: orNull(number) })),
  }),
  ProviderTest: object({
    ...{ object: constant("provider.test"), provider: text, model: text, ms: integer },
    ...{ answer: text, finish_reason: orNull(text), usage: anyOf(object({}), { type: "null" }) },
  }),
  Config: object({
    ...{ object: constant("config"), source: text, loaded_at: text, valid: boolean },
    ...{ reason: orNull(text), faults: listOf(text), text, file_text: orNull(text) },
    ...{ hash: orNull(text), editable: boolean, read_only_reason: orNull(text) },
    versions: listOf(object({ id: text, replaced_at: text, by: text, reason: orNull(text) })),
  }),
  ConfigVersion: object({ object: constant("config.version"), id: text, text }),
  ConfigCheck: object({
    ...{ object: constant("config.check"), valid: boolean },
    problems: listOf(object({ path: text, message: text }, { line: integer, column: integer })),
    more_problems: integer,
    changes: listOf(
      object({ section: text, name: text, change: oneOf("added", "removed", "changed") }, {
        before: text,
        after: text,
      }),
    ),
    more_changes: integer,
    unread: listOf(text),
  }),
  ConfigForm: object({
    ...{ object: constant("config.form"), text },
    objects: listOf(object({
      ...{ path: listOf(anyOf(text, integer)), name: text },
      ...{ first_line: integer, last_line: integer, kept: listOf(text) },
      fields: listOf(object({ path: listOf(text) }, {
        value: anyOf(text, number, boolean),
        items: listOf(object({ name: text, is_text: boolean })),
      })),
    })),
  }),
  ConfigSchema: object({ $schema: text, properties: object({}) }),
  ServiceKey: object(serviceKey, { prefix: text, created: integer, revoked: orNull(integer) }),
  NewServiceKey: object({ ...serviceKey, key: text }),
  ServiceKeyPage: object({ ...listObject, data: listOf(object(serviceKey)), has_more: boolean }),
  OpenApi: object({
    openapi: text,
    info: object({ title: text, version: text }),
    paths: object({}),
  }),
};

const codes = Object.values(ERROR_KINDS).flatMap(({ code }) => code ?? []);

/** Errors, in the caller formats. */
const errors: Schemas = {
  Error: object({
    error: object({
      message: text,
      type: text,
      param: orNull(text),
      code: anyOf(ref("ErrorCode"), orNull(text)),
    }),
  }, {}),
  MessagesError: object({
    type: constant("error"),
    error: object({ type: text, message: text }),
  }, { request_id: orNull(text) }),
  GeminiError: object({ error: object({ code: integer, message: text, status: text }) }),
  OllamaError: object({ error: text }),
  ErrorCode: {
    type: "string",
    description: "The gateway's codes; a vendor's own code may be there instead",
    enum: [...new Set(codes)],
  },
};

/** The response schemas, including those of operations. */
export function answerSchemas(operations: Schemas): Schemas {
  return { ...models, ...operations, ...gateway, ...errors };
}
