/** The reference of errors: the cause and the remedy of each kind. */

import { ERROR_KINDS, type ErrorKind } from "../../src/core/errors.ts";

interface Explanation {
  readonly cause: string;
  readonly remedy: string;
}

/** What each kind means. A kind without an entry does not compile. */
export const EXPLANATIONS: Readonly<Record<ErrorKind, Explanation>> = {
  invalid_request: {
    cause: "The body is not JSON, or a field is missing or has the wrong type",
    remedy: "Correct the field that `param` names",
  },
  invalid_value: {
    cause: "A field or an option has a value that is not allowed",
    remedy: "The message lists the allowed values",
  },
  unsupported_parameter: {
    cause: "`x-sluice-strict: true` was sent, and the target would ignore a parameter",
    remedy: "Remove the parameter or the header, or choose another model",
  },
  unsupported_content: {
    cause: "No target accepts a part of the content, such as audio or a file",
    remedy: "Remove the part that `param` names, or choose a model that accepts it",
  },
  unsupported_operation: {
    cause: "The target does not support the operation, such as chat with an embedding model",
    remedy: "Choose a model that supports it: `GET /v1/models` lists capabilities",
  },
  context_length: {
    cause: "The prompt and the output are longer than the model's context window",
    remedy: "Shorten the prompt, or add a target with `when: [context_length]` to the alias",
  },
  content_filter: {
    cause: "The vendor blocked the prompt",
    remedy: "Change the prompt, or add a target with `when: [content_filter]` to the alias",
  },
  unauthenticated: {
    cause: "The service key is missing, unknown, expired or revoked",
    remedy: "Send a key of `server.keys`, or one that an administrator created",
  },
  admin_key_required: {
    cause: "A service key was sent to a route below `/v1/admin`",
    remedy: "Send a key of `server.admin_keys`",
  },
  model_not_found: {
    cause: "No enabled model has this name, or the key may not use it",
    remedy: "`GET /v1/models` lists the names; `sluice check` names disabled providers",
  },
  response_not_found: {
    cause: "The stored response or item does not exist, or belongs to another key",
    remedy: "Send the whole conversation, or use the key that created it",
  },
  route_not_found: {
    cause: "The path does not exist, or this listener does not serve it",
    remedy: "See [endpoints](endpoints.md) and `server.serves`",
  },
  method_not_allowed: {
    cause: "The path exists, but not with this method",
    remedy: "Use a method listed in the `allow` header",
  },
  conflict: {
    cause: "The change conflicts with stored or configured data, such as a name in use",
    remedy: "Read the current state, and send the change again",
  },
  misdirected_request: {
    cause: "The name in the `host` header is not one of the gateway's",
    remedy: "Add the name to `server.hosts`",
  },
  cross_site_request: {
    cause: "A web page of another site sent a request to an admin or live route",
    remedy: "Send it from the console or from a program",
  },
  request_timeout: {
    cause: "The body did not arrive within `server.body_timeout`",
    remedy: "Send it faster, or raise the setting",
  },
  unsupported_media_type: {
    cause: "The body has a `content-type` or `content-encoding` that the route does not support",
    remedy: "Send JSON, or the form that the endpoint requires",
  },
  too_large: {
    cause: "The body is larger than `server.max_body`, or the vendor rejected its size",
    remedy: "Send less, or raise `server.max_body`",
  },
  rate_limited: {
    cause: "The vendor's rate limit, after the retries of the gateway",
    remedy: "Wait for `retry-after`; add keys or targets",
  },
  quota: {
    cause: "The vendor account has no quota or balance left",
    remedy: "Raise it at the vendor; `x-should-retry: false` tells clients not to retry",
  },
  limit_exceeded: {
    cause: "A limit of the service key or of its end user",
    remedy: "Wait for `retry-after`, raise the limit, or let requests wait (`routing.queue`)",
  },
  model_limit_exceeded: {
    cause: "A limit of the model (`limits.models`)",
    remedy: "Wait for `retry-after`, or add a target with another model to the alias",
  },
  budget_exceeded: {
    cause: "The budget of the service key or of its end user is spent",
    remedy: "Wait for `x-sluice-budget-renews-at`, or raise the budget",
  },
  unseen_content: {
    cause: "A feature must see all content, but cannot read the pass-through or a binary answer",
    remedy: "Use an endpoint whose requests and answers are JSON",
  },
  price_unknown: {
    cause: "The key has a budget, and the price of the model is unknown",
    remedy: "Set `prices` of the model, or `unknown_prices: allow` of the budget",
  },
  over_max_price: {
    cause: "Each target is above `max_price` or `x-sluice-max-cost`",
    remedy: "Raise the cap, lower `max_tokens`, or add a cheaper target",
  },
  limits_unavailable: {
    cause: "`shared_store` does not answer, and `on_store_failure` is `deny`",
    remedy: "Repair the store; `sluice doctor` examines it",
  },
  too_many_tokens: {
    cause: "The request needs more tokens than the limit of the key can ever admit",
    remedy: "Shorten the request, lower `max_tokens`, or raise the limit",
  },
  internal: {
    cause: "A bug in the gateway",
    remedy: "Report it with the request ID; standard error contains the stack trace",
  },
  upstream_auth: {
    cause: "The vendor rejected the gateway's credentials",
    remedy: "Check the provider's key; `cause` in the log contains the vendor's message",
  },
  upstream_error: {
    cause: "The vendor failed, its answer is unreadable, or its stream was cut off",
    remedy: "Retry; add a target to the alias",
  },
  upstream_unavailable: {
    cause: "The vendor cannot be reached, or is overloaded",
    remedy: "Retry later; add a target to the alias",
  },
  upstream_timeout: {
    cause: "The vendor did not answer within `timeout` or `x-sluice-deadline-ms`",
    remedy: "Raise the limit, or add a target to the alias",
  },
  overloaded: {
    cause: "The gateway is draining, or has too many open requests (`server.max_in_flight`)",
    remedy: "Retry at another replica, or raise the limit",
  },
  client_gone: {
    cause: "The client disconnected before the answer ended; only logs and reports show it",
    remedy: "Nothing to do: the connection to the vendor was closed",
  },
};

/** An entry for each status and code. */
export function toErrorsMarkdown(): string {
  const entries = new Map<string, ErrorKind[]>();
  const kinds = Object.keys(ERROR_KINDS) as ErrorKind[];
  const sorted = kinds.toSorted((one, other) =>
    ERROR_KINDS[one].status - ERROR_KINDS[other].status
  );
  for (const kind of sorted) {
    const { status, code } = ERROR_KINDS[kind];
    const key = `${status} ${code}`;
    entries.set(key, [...entries.get(key) ?? [], kind]);
  }
  return [...entries.values()].map(toEntry).join("\n\n");
}

function toEntry(kinds: readonly ErrorKind[]): string {
  const [first] = kinds;
  if (first === undefined) return "";
  const { status, code } = ERROR_KINDS[first];
  const title = code === null ? `${status} without a code` : `${status} \`${code}\``;
  const rows = kinds.map((kind) => {
    const { cause, remedy } = EXPLANATIONS[kind];
    const { type, retryable } = ERROR_KINDS[kind];
    const repeats = retryable ? "yes" : "no";
    return `| ${cause} | ${remedy} | \`${type}\` | ${repeats} |`;
  });
  return [
    `<a id="${code ?? status}"></a>`,
    `### ${title}`,
    ["| cause | remedy | `type` | retried |", "| --- | --- | --- | --- |", ...rows].join("\n"),
  ].join("\n\n");
}
