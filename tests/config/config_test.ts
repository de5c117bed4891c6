import { createHash } from "node:crypto";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ConfigErrors, configSchema, loadConfig } from "../../src/config/config.ts";
import { loadConfigWithSnapshot, loadSnapshot } from "../../src/config/snapshot.ts";
import { toCheckWarnings, toWarnings } from "../../src/config/warnings.ts";
import { adapters } from "../../src/providers/registry.ts";
import { loadTestConfig } from "../support/gateway.ts";
import type { Adapter } from "../../src/contract/adapter.ts";
import { deriveKey } from "../../src/config/reasoning_state.ts";
import {
  type Around,
  errorsOf,
  failureOf,
  fakeAdapters,
  load,
  targetOf,
} from "../support/sample_config.ts";

const MOCK = "mock: { kind: mock, models: [echo] }";
const withProvider = (provider: string) => `providers: { x: ${provider} }`;
const withServer = (server: string) => `server: ${server}\nproviders: {}`;

/** Two keys from the environment. */
const PASTED = `server: { keys: [{ name: a, key: "\${A}" }] }
providers: { x: { kind: mock, api_key: "\${B}", models: [a] } }`;

/** What is wrong, the text, its expected errors, and its environment. */
type ErrorCase = readonly [string, string, readonly string[], Around?];
const INVALID: readonly ErrorCase[] = [
  // The document.
  ["an empty file", "", [
    ": The file is empty; 'sluice init' prints a complete config.yaml",
    "providers: is required",
  ]],
  ["a list", "- a", [
    ": The file must be a mapping with 'providers'; 'sluice init' prints an example",
  ]],
  ["broken YAML", "providers:\n  a: [1, 2\n  b: 3", [
    ": Invalid YAML: this bracket is not closed: [",
  ]],
  ["a quote that is not closed", 'providers:\n  a:\n    api_key: "sk\n    models: [m]\n', [
    ': Invalid YAML: this quote is not closed: "',
  ]],
  ["a quote within braces that is not closed", "providers: { a: { api_key: 'sk, models: [m] } }", [
    ": Invalid YAML: this quote is not closed: '",
  ]],
  ["a bracket that was not opened", "providers:\n  a:\n    models: [m]]\n", [
    ": Invalid YAML: a closing bracket without an opening one",
  ]],
  ["the configuration of another gateway", "model_list:\n  - model_name: a\nproviders: {}", [
    "model_list: belongs to a LiteLLM configuration: the guide docs/guides/moving.md describes " +
    "what to " +
    "write instead",
  ]],
  [
    "one model instead of a list, and names that no provider has",
    withProvider("{ kind: mock, models: mock-echo }") +
    "\naliases: { fine: mock-echo, fast: gtp }\npins: { mock-echo: y }",
    [
      "providers.x.models: must be 'auto' or a list, such as [mock-echo]",
      "pins.mock-echo: unknown provider 'y'; known: 'x'",
      "aliases.fast: unknown model 'gtp'",
    ],
  ],
  [
    "a provider without models, which may have any",
    withProvider("{ kind: mock }") + "\naliases: { fast: gtp }\npins: { m: y }",
    ["providers.x.models: is required", "pins.m: unknown provider 'y'; known: 'x'"],
  ],
  [
    "a model with a wrong member for its name",
    withProvider("{ kind: mock, models: [a, { display_name: b }] }") +
    "\naliases: { fine: b, fast: gtp }",
    [
      "providers.x.models[1].id: is required",
      "aliases.fast: unknown model 'gtp'; known: 'a', 'a@x'",
    ],
  ],
  ["an unknown anchor", "providers: *x", [
    ": Invalid YAML: an alias refers to an anchor that does not exist",
  ]],
  ["two documents", "a: 1\n---\nb: 2", [
    ": Invalid YAML: the file must be a single document",
  ]],
  [
    "a duplicate provider ID, and all other errors",
    `providers:\n  x: { kind: mock, models: [a] }\n  x: { kind: mock, models: [] }`,
    ["providers.x: duplicate key", "providers.x.models: must not be empty"],
  ],
  ["a duplicate key in one line", "server: { port: 1, port: 2 }\nproviders: {}", [
    "server.port: duplicate key",
  ]],
  ["a tab as indentation", "server:\n\tport: 1\nproviders: {}", [
    ": The line begins with a tab; indent with spaces",
    "port: is not a known key; known: 'server', 'providers', 'store', 'keep', 'limits', 'shared_store', 'limits_store', " +
    "'on_store_failure', 'share', 'upstream', 'log', " +
    "'telemetry', 'alerts', 'pins', 'routing', 'catalogue', 'aliases'",
  ]],
  ["a tab after spaces, and broken YAML", "providers:\n  x:\n \tkind: mock\n  - y", [
    ": The line begins with a tab; indent with spaces",
    ": Invalid YAML: a tab is used for indentation; indent with spaces",
  ]],
  ["an unquoted reference within braces", "providers:\n  a: { kind: openai, api_key: ${K} }", [
    ': Quote a reference within braces or brackets: "${K}"',
    ": Invalid YAML: unexpected text",
  ]],
  [
    "an unquoted reference within braces over several lines, without its default",
    "providers: {\n  # { no: ${COMMENT} }\n  a: {\n    b: '${QUOTED}', api_key: ${K:-sk-secret},\n" +
    "  }\n}\nserver:\n  host: ${BLOCK}\n",
    [
      ': Quote a reference within braces or brackets: "${K:-…}"',
      ": Invalid YAML: unexpected text",
    ],
  ],
  ["unquoted references within brackets", "providers:\n  a:\n    api_key: [${A}, ${B}]", [
    ': Quote a reference within braces or brackets: "${A}"',
    ': Quote a reference within braces or brackets: "${B}"',
    ": Invalid YAML: a comma, colon, quote, space or closing bracket is missing",
  ]],
  ["an unquoted model that begins with '@'", "providers: { a: { models: [@cf/x, a@b] } }", [
    ": Quote a value that begins with '@'",
    ": Invalid YAML: a value that begins with this character must be quoted",
  ]],
  ["an unquoted pattern", "providers: { a: { models: [*] } }", [
    ": Quote a value that begins with '*'",
    ": Invalid YAML: an anchor or an alias has no valid name",
  ]],
  ["a document that contains itself", "providers: &all { x: *all }", [
    "providers.x: must not contain itself",
  ]],
  ["the name __proto__", "providers: {}\npins: { __proto__: x }", [
    "pins.__proto__: cannot be used as a name",
  ]],

  // Unknown keys.
  ["an unknown section", "providers: {}\nalias: {}", [
    "alias: is not a known key; did you mean 'aliases'?",
  ]],
  ["unknown keys", withServer("{ prot: 1, zzz: 2 }"), [
    "server.prot: is not a known key; did you mean 'port'?",
    "server.zzz: is not a known key",
  ]],
  ["a misspelled member of a provider", withProvider("{ kind: mock, model: [a], models: [a] }"), [
    "providers.x.model: is not a known key; did you mean 'models'?",
  ]],
  ["a member of another kind", withProvider("{ kind: mock, region: a, models: [a] }"), [
    "providers.x.region: is not a known key; known: 'kind', 'api_key', 'base_url', 'headers', " +
    "'timeout', 'retries', 'max_wait', 'connections', 'resend', 'proxy', 'tls', 'passthrough', 'models', 'refresh', 'allow_unlisted', 'if_running'",
  ]],
  [
    "rules of connections that are none",
    withProvider(
      "{ kind: mock, connections: { reuse: sometimes, max_age: 0s, max_requests: 0, min: 1 }, " +
        "resend: twice, timeout: { connect: 0s }, models: [a] }",
    ),
    [
      "providers.x.timeout.connect: must be a duration from 1ms to 24h, such as '500ms', '10s', " +
      "'2m' or '1h'",
      "providers.x.connections.reuse: must be true or false",
      "providers.x.connections.max_age: must be a duration from 1ms to 24h, such as '500ms', " +
      "'10s', '2m' or '1h'",
      "providers.x.connections.max_requests: must be an integer from 1 to 1000000",
      "providers.x.connections.min: is not a known key; known: 'reuse', 'max_age', 'max_requests'",
      "providers.x.resend: must be 'once' or 'never'",
    ],
  ],
  [
    "a misspelled member of a model",
    withProvider("{ kind: mock, models: [a, { id: b, upsteam: c }] }"),
    ["providers.x.models[1].upsteam: is not a known key; did you mean 'upstream'?"],
  ],
  [
    "a misspelled timeout",
    withProvider("{ kind: mock, timeout: { frist_token: 1s }, models: [a] }"),
    ["providers.x.timeout.frist_token: is not a known key; did you mean 'first_token'?"],
  ],

  // The server.
  ["a port out of range", withServer("{ port: 70000 }"), [
    "server.port: must be an integer from 0 to 65535",
  ]],
  ["a port that is not a number", withServer("{ port: http }"), [
    "server.port: must be an integer from 0 to 65535",
  ]],
  [
    "image hosts with scheme, port or path",
    withServer(
      "{ images: { allow: ['https://a', 'a:80', a/b, u@a, '*.a', '[::1', ok, '', '10.0.0.0/8'] } }",
    ),
    [
      ...[0, 1, 2, 3, 4, 5, 7, 8].map((index) =>
        `server.images.allow[${index}]: must be a host name or IP address, without scheme, port or path`
      ),
    ],
  ],
  ["invalid image settings", withServer("{ images: { htpp: true, max_size: 0 } }"), [
    "server.images.max_size: must be a size of at least one byte, such as '32MiB', '10MB' or " +
    "1048576",
    "server.images.htpp: is not a known key; did you mean 'http'?",
  ]],
  [
    "invalid settings of reasoning state",
    withServer(
      "{ reasoning_state: { key: short, max_id_length: 63, memory: none, memory_ttl: 0s, ttl: 1h } }",
    ),
    [
      "server.reasoning_state.key: must have at least 32 characters, as printed by 'openssl rand " +
      "-hex 32'",
      "server.reasoning_state.max_id_length: must be an integer from 64 to 16384",
      "server.reasoning_state.memory: must be a size such as '32MiB', '10MB' or 1048576, or 0",
      "server.reasoning_state.memory_ttl: must be a duration from 1ms to 24h, such as '500ms', " +
      "'10s', '2m' or '1h'",
      "server.reasoning_state.ttl: is not a known key; known: 'enabled', 'key', 'max_id_length', " +
      "'memory', 'memory_ttl'",
    ],
  ],
  ["zero workers", withServer("{ workers: 0 }"), [
    "server.workers: must be 'auto' or an integer from 1 to 64",
  ]],
  ["too many workers", withServer("{ workers: 65 }"), [
    "server.workers: must be 'auto' or an integer from 1 to 64",
  ]],
  ["workers that are not a number", withServer("{ workers: many }"), [
    "server.workers: must be 'auto' or an integer from 1 to 64",
  ]],
  ["a host of the wrong type", withServer("{ host: 1 }"), ["server.host: must be a string"]],
  ["an invalid size", withServer("{ max_body: 32 mebibytes }"), [
    "server.max_body: must be a size of at least one byte, such as '32MiB', '10MB' or 1048576",
  ]],
  ["a duration without a unit", withServer("{ drain: 30 }"), [
    "server.drain: must be a duration from 0s to 24h, such as '500ms', '10s', '2m' or '1h'",
  ]],
  ["an origin with a path", withServer("{ cors: [https://a.example/] }"), [
    "server.cors[0]: must be '*' or an origin such as 'https://app.example.com'",
  ]],
  ["a key without a name", withServer("{ keys: [{ key: a }] }"), [
    "server.keys[0].name: is required",
  ]],
  [
    "a digest that is too short",
    withServer("{ keys: [{ name: a, key: 'sha256:9f86' }] }"),
    ["server.keys[0].key: must have 64 hexadecimal digits after 'sha256:'"],
  ],
  ["a key with invalid characters", withServer("{ keys: [{ name: a, key: 'a b' }] }"), [
    "server.keys[0].key: must be printable ASCII without spaces; check for typographic quotes " +
    "and invisible characters",
  ]],
  [
    "two keys with the same name",
    withServer("{ keys: [{ name: a, key: b }, { name: a, key: c }] }"),
    ["server.keys[1].name: another key is also named 'a'"],
  ],
  [
    "a duplicate key, once given as its digest",
    withServer(
      "{ keys: [{ name: a, key: test }, { name: b, key: 'sha256:" +
        "9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08' }] }",
    ),
    ["server.keys[1].key: another entry has the same key"],
  ],
  [
    "a service key that is also an admin key with the same name",
    withServer("{ keys: [{ name: a, key: b }], admin_keys: [{ name: a, key: b }] }"),
    [
      "server.admin_keys[0].name: another key is also named 'a'",
      "server.admin_keys[0].key: another entry has the same key",
    ],
  ],
  [
    "an admin key with models",
    withServer("{ admin_keys: [{ name: a, key: b, models: [m] }] }"),
    ["server.admin_keys[0].models: is not a known key; known: 'name', 'key', 'edit_config'"],
  ],

  // Providers.
  ["a provider that is not an object", "providers: { x: mock }", [
    "providers.x: must be an object",
  ]],
  ["an empty provider", "providers:\n  x:", ["providers.x: must be an object"]],
  ["a provider ID with an @", "providers: { 'a@b': { kind: mock, models: [a] } }", [
    "providers.a@b: must consist of letters, digits, '.', '_' and '-', and start with a letter or digit",
  ]],
  [
    "an unknown kind, and all other errors of the entry",
    withProvider("{ kind: opnai, retries: -1 }"),
    [
      "providers.x.kind: unknown kind 'opnai'; did you mean 'openai'?",
      "providers.x.retries: must be an integer from 0 to 10",
      "providers.x.models: is required",
    ],
  ],
  ["a missing kind", withProvider("{ models: [a] }"), [
    "providers.x.kind: is required; known: 'openai', 'anthropic', 'openai_compatible', " +
    "'regional', 'slow', 'mock'",
  ]],
  ...[["aws_anthropic", "anthropic"], ["OpenAI-chat", "openai"]].map(
    ([kind, meant]): ErrorCase => [
      `the kind ${kind}`,
      withProvider(`{ kind: ${kind}, models: [a] }`),
      [`providers.x.kind: unknown kind '${kind}'; did you mean '${meant}'?`],
    ],
  ),
  ["no models", withProvider("{ kind: mock, models: [] }"), [
    "providers.x.models: must not be empty",
  ]],
  ["models of the wrong type", withProvider("{ kind: mock, models: [1, '', { upstream: a }] }"), [
    "providers.x.models[0]: must be a string or an object",
    "providers.x.models[1]: must not be empty",
    "providers.x.models[2].id: is required",
  ]],
  [
    "patterns instead of model IDs",
    withProvider("{ kind: mock, models: ['*', a, { id: 'gpt-*' }] }"),
    [
      "providers.x.models: must name each model: 'mock' has no model list",
      "providers.x.models[2].id: must be the ID of one model: patterns with '*' are not supported",
    ],
  ],
  ["a duplicate model", withProvider("{ kind: mock, models: [a, b, { id: a, upstream: c }] }"), [
    "providers.x.models[2].id: this provider lists 'a' more than once",
  ]],
  [
    "a missing base_url of a kind without a default",
    withProvider("{ kind: openai_compatible, models: [a] }"),
    [
      "providers.x.base_url: is required",
    ],
  ],
  [
    "a base_url without a scheme",
    withProvider("{ kind: mock, base_url: 'localhost:11434/v1', models: [a] }"),
    ["providers.x.base_url: needs a scheme: it must begin with 'https://' or 'http://'"],
  ],
  [
    "a base_url with another protocol",
    withProvider("{ kind: mock, base_url: 'ftp://a', models: [a] }"),
    [
      "providers.x.base_url: must be an http or https URL without query, user name or password",
    ],
  ],
  [
    "a base_url with a query",
    withProvider("{ kind: mock, base_url: 'http://a/?b=c', models: [a] }"),
    ["providers.x.base_url: must be an http or https URL without query, user name or password"],
  ],
  [
    "a base_url with the resource path",
    withProvider("{ kind: mock, base_url: 'http://a/v1/chat/completions/', models: [a] }"),
    ["providers.x.base_url: must not include '/chat/completions': the gateway adds it"],
  ],
  [
    "a base_url with the resource path of another API",
    withProvider("{ kind: anthropic, api_key: k, base_url: 'http://a/v1/messages', models: [a] }"),
    ["providers.x.base_url: must not include '/messages': the gateway adds it"],
  ],
  [
    "a reference without braces",
    withProvider("{ kind: mock, api_key: $SOME_KEY, models: [a] }"),
    ["providers.x.api_key: must use ${NAME}, with braces, to refer to an environment variable"],
  ],
  [
    "a header that is not a string",
    withProvider(`{ kind: mock, models: [a], headers: { "a b": c, d: "e\\n", Host: f, g: 1 } }`),
    [
      "providers.x.headers.Host: is set by the gateway and cannot be configured",
      "providers.x.headers.a b: is not a valid header",
      "providers.x.headers.g: must be a string",
    ],
  ],
  [
    "headers with invalid names and values",
    withProvider(`{ kind: mock, models: [a], headers: { "a b": c, d: "e\\0", Host: f } }`),
    [
      "providers.x.headers.a b: is not a valid header",
      "providers.x.headers.d: is not a valid header",
      "providers.x.headers.Host: is set by the gateway and cannot be configured",
    ],
  ],
  ["a timeout of zero", withProvider("{ kind: mock, timeout: { idle: 0s }, models: [a] }"), [
    "providers.x.timeout.idle: must be a duration from 1ms to 24h, such as '500ms', '10s', '2m' " +
    "or '1h'",
  ]],
  ["a key with invalid characters", withProvider(`{ kind: mock, api_key: "é", models: [a] }`), [
    "providers.x.api_key: must be printable ASCII; check for typographic quotes and invisible " +
    "characters",
  ]],
  ["keys in quotes", PASTED, [
    "server.keys[0].key: must not be enclosed in quotes: remove them where the key is set",
    "providers.x.api_key: must not be enclosed in quotes: remove them where the key is set",
  ], { env: { A: '"sk-a"', B: "'sk-b'" } }],
  ["keys with 'Bearer'", PASTED, [
    "server.keys[0].key: must be the key without 'Bearer'",
    "providers.x.api_key: must be the key without 'Bearer'",
  ], { env: { A: "Bearer sk-a", B: "bearer sk-b" } }],
  ["an empty key pool", withProvider("{ kind: mock, api_key: [], models: [a] }"), [
    "providers.x.api_key: must not be empty",
  ]],
  ["a missing member that the kind requires", withProvider("{ kind: regional, models: [a] }"), [
    "providers.x.region: is required",
  ]],
  [
    "an error of the kind's cross-check",
    withProvider("{ kind: regional, region: eu, zone: us-1, models: [a] }"),
    ["providers.x.zone: must be in the region"],
  ],
  [
    "invalid model facts",
    withProvider(
      "{ kind: mock, models: [{ id: a, created: 2026-02-30, context_window: 0, " +
        "capabilities: { visoin: true, tools: 1 }, prices: { input: -1 }, retries: 11 }] }",
    ),
    [
      "providers.x.models[0].context_window: must be an integer of at least 1",
      "providers.x.models[0].capabilities.tools: must be true or false",
      "providers.x.models[0].capabilities.visoin: is not a known key; did you mean 'vision'?",
      "providers.x.models[0].created: must be a date such as '2026-03-05', or Unix seconds",
      "providers.x.models[0].prices.input: must be at least 0",
      "providers.x.models[0].prices.output: is required",
      "providers.x.models[0].retries: must be an integer from 0 to 10",
    ],
  ],
  ...["2026-13-01", "2026-02-30", "soon"].map((created): ErrorCase => [
    `the release date ${created}`,
    withProvider(`{ kind: mock, models: [{ id: a, created: '${created}' }] }`),
    ["providers.x.models[0].created: must be a date such as '2026-03-05', or Unix seconds"],
  ]),
  [
    "params that are invalid in a request",
    withProvider("{ kind: mock, models: [{ id: a, params: { temperature: 3, stream: true } }] }"),
    [
      "providers.x.models[0].params.temperature: Invalid value for 'temperature': must be at most 2",
      "providers.x.models[0].params.stream: cannot be a default: only the client can set it",
    ],
  ],

  // Pins and aliases.
  ["a pin for an unknown model", `providers: { ${MOCK} }\npins: { ehco: mock }`, [
    "pins.ehco: no provider lists this model; did you mean 'echo'?",
  ]],
  [
    "limits of unknown models",
    `providers: { ${MOCK} }\naliases: { fast: echo }\n` +
    "limits: { models: { ehco: { concurrent: 1 }, fast: {}, echo@mock: {}, echo: {} } }",
    [
      "limits.models.ehco: no provider lists this model; did you mean 'echo'?",
      "limits.models.fast: is an alias; limits apply to the models that it refers to",
      "limits.models.echo@mock: no provider lists this model; known: 'echo'",
    ],
  ],
  ["a pin to an unknown provider", `providers: { ${MOCK} }\npins: { echo: mcok }`, [
    "pins.echo: unknown provider 'mcok'; did you mean 'mock'?",
  ]],
  [
    "a pin to a provider that lacks the model",
    `providers: { ${MOCK}, other: { kind: mock, models: [a] } }\npins: { echo: other }`,
    ["pins.echo: provider 'other' does not list this model"],
  ],
  [
    "aliases of unknown models",
    `providers: { ${MOCK} }\naliases: { a: ehco, b: [echo, echo@mcok, zzz, { model: "" }, { model: zzz }] }`,
    [
      "aliases.a: unknown model 'ehco'; did you mean 'echo'?",
      "aliases.b[1]: unknown model 'echo@mcok'; did you mean 'echo@mock'?",
      "aliases.b[2]: unknown model 'zzz'; known: 'echo', 'echo@mock'",
      "aliases.b[3].model: must not be empty",
      "aliases.b[4].model: unknown model 'zzz'; known: 'echo', 'echo@mock'",
    ],
  ],
  ["an alias of an alias", `providers: { ${MOCK} }\naliases: { a: echo, b: a }`, [
    "aliases.b: 'a' is an alias; an alias cannot refer to another alias",
  ]],
  ["an empty alias", `providers: { ${MOCK} }\naliases: { a: [] }`, [
    "aliases.a: must not be empty",
  ]],

  [
    "errors within an alias that is an object",
    `providers: { ${MOCK} }\nrouting: { balanc: weighted }\naliases:\n` +
    "  a: { targets: [[ehco, { model: zzz, weight: -1 }], [[echo]], { modle: echo }], balance: fair }\n" +
    "  b: { balance: weighted }\n  c: { targets: [] }\n  d: { targets: [[]], balanc: 1 }\n  e: [[echo]]",
    [
      "routing.balanc: is not a known key; did you mean 'balance'?",
      "aliases.a.targets[0][0]: unknown model 'ehco'; did you mean 'echo'?",
      "aliases.a.targets[0][1].model: unknown model 'zzz'; known: 'echo', 'echo@mock'",
      "aliases.a.targets[0][1].weight: must be at least 0",
      "aliases.a.targets[1][0]: must be a string or an object",
      "aliases.a.targets[2].model: is required",
      "aliases.a.targets[2].modle: is not a known key; did you mean 'model'?",
      "aliases.a.balance: must be 'in_order', 'weighted', 'p2c', 'ttft', 'throughput' or 'price'",
      "aliases.b.targets: is required",
      "aliases.c.targets: must not be empty",
      "aliases.d.targets[0]: must not be empty",
      "aliases.d.balanc: is not a known key; did you mean 'balance'?",
      "aliases.e[0]: must be a string or an object",
    ],
  ],

  // References.
  ["an unset variable", withServer("{ host: '${HOST}' }"), ["server.host: HOST is not set"]],
  ["an unset variable in a model", withProvider("{ kind: mock, models: ['${MODEL}'] }"), [
    "providers.x.models[0]: MODEL is not set",
  ]],
  ["an unset kind", withProvider("{ kind: '${KIND}', models: [a] }"), [
    "providers.x.kind: KIND is not set",
  ]],
  ["an unset alias", `providers: { ${MOCK} }\naliases: { a: '\${A}', b: ['\${B}'] }`, [
    "aliases.a: A is not set",
    "aliases.b[0]: B is not set",
  ]],
  [
    "a variable that is empty",
    withServer("{ host: '${HOST}' }"),
    ["server.host: HOST is not set"],
    {
      env: { HOST: "" },
    },
  ],
  ["a file that cannot be read", withServer("{ host: '${file:/none}' }"), [
    "server.host: cannot read /none",
  ]],
  [
    "malformed references",
    withServer("{ host: '${A-B}', max_body: '${', port: '${other-sm:a}' }"),
    [
      "server.host: Malformed reference: write '${NAME}', '${NAME:-default}', " +
      "'${file:/run/secrets/name}', '${file:${FOLDER}/name}' or one to a secret manager",
      "server.max_body: Malformed reference: write '${NAME}', '${NAME:-default}', " +
      "'${file:/run/secrets/name}', '${file:${FOLDER}/name}' or one to a secret manager",
      "server.port: Malformed reference: write '${NAME}', '${NAME:-default}', " +
      "'${file:/run/secrets/name}', '${file:${FOLDER}/name}' or one to a secret manager",
    ],
  ],
  [
    "references in references",
    withServer("{ host: '${A:-${B}}', port: '${file:/a/${B:-c}}' }"),
    [
      "server.host: Malformed reference: write '${NAME}', '${NAME:-default}', " +
      "'${file:/run/secrets/name}', '${file:${FOLDER}/name}' or one to a secret manager",
      "server.port: Malformed reference: write '${NAME}', '${NAME:-default}', " +
      "'${file:/run/secrets/name}', '${file:${FOLDER}/name}' or one to a secret manager",
    ],
  ],
  [
    "a provider without models, and names that may be among them",
    `
providers:
  a: { kind: mock, modles: [m] }
  b: { kind: mock, models: [n] }
aliases: { fast: m, again: fast }
pins: { m: a }
limits: { models: { m: { requests_per_minute: 1 } } }
`,
    [
      "providers.a.models: is required",
      "providers.a.modles: is not a known key; did you mean 'models'?",
      "aliases.again: 'fast' is an alias; an alias cannot refer to another alias",
    ],
  ],
  [
    "a misspelled credential, even if its variable is unset",
    withProvider("{ kind: openai, api_kye: '${KEY}', models: [m] }"),
    ["providers.x.api_kye: is not a known key; did you mean 'api_key'?"],
  ],
  [
    "other errors of an entry with an unset credential",
    withProvider("{ kind: openai, api_key: '${KEY}', retries: many, models: [a, a] }"),
    [
      "providers.x.retries: must be an integer from 0 to 10",
      "providers.x.models[1]: this provider lists 'a' more than once",
    ],
  ],
];

for (const [what, text, expected, around] of INVALID) {
  Deno.test(`loadConfig() reports ${what}`, async () => {
    const { errors } = await failureOf(text, around)?.located() ?? { errors: [] };
    const lines = errors.map(({ path, message }) => `${path}: ${message}`);
    assertEquals(lines.toSorted(), [...expected].toSorted());
    assertEquals(errors.filter(({ position }) => position === undefined), []);
  });
}

Deno.test("loadConfig() reports errors of all sections at once", () => {
  const text = `
server: { port: -1, keys: [{ name: a, key: b }, { name: a, key: b }] }
providers:
  one: { kind: none, models: [m] }
  two: { kind: mock, models: [m, m], headers: { host: a } }
pins: { m: three }
aliases: { x: y }
extra: 1
`;
  assertEquals(errorsOf(text).map((line) => line.split(": ")[0]).toSorted(), [
    "aliases.x",
    "extra",
    "pins.m",
    "providers.one.kind",
    "providers.two.headers.host",
    "providers.two.models[1]",
    "server.keys[1].key",
    "server.keys[1].name",
    "server.port",
  ]);
});

Deno.test("ConfigErrors lists each error with its path in its message", () => {
  const error = assertThrows(() => load("server: { port: x }"), ConfigErrors) as ConfigErrors;
  assertEquals(
    error.message,
    "Cannot load test.yaml:\n  server.port: must be an integer from 0 to 65535\n" +
      "  providers: is required",
  );
});

Deno.test("loadConfig() never prints the value of a reference", () => {
  const secret = "sk-secret-1234567890";
  const text = `
server:
  host: ["\${S}"]
  port: "\${S}"
  max_body: "\${S}"
  drain: "\${S}"
  cors: "\${S}"
  keys: [{ name: "\${S}", key: "\${S}" }, { name: "\${S}", key: "\${S}" }, { name: c, key: "sha256:\${S}" }]
providers:
  a: { kind: "\${S}", models: [] }
  b: { kind: mock, models: ["\${S}", "\${S}"], headers: { host: "\${S}", x: "\${S}\\n\${S}" } }
  c: { kind: openai_compatible, base_url: "\${S}", models: [m], timeout: { idle: "\${S}" } }
  d: { kind: mock, models: [{ id: n, created: "\${S}", api: ["\${S}"], params: { temperature: "\${S}" } }] }
pins: { m: "\${S}", n: "\${S}" }
aliases: { x: "x\${S}", y: ["y\${S}"] }
`;
  const errors = errorsOf(text, { env: { S: secret } });
  assert(errors.length > 15, errors.join("\n"));
  assertEquals(errors.filter((line) => line.includes("secret")), []);
});

Deno.test("loadConfig() never quotes lines of a file that is not valid YAML", async () => {
  for (
    const text of [
      "a: sk-secret\n b: [sk-secret",
      "a: *sk-secret",
      "a: !sk-secret b",
      "a: |sk-secret",
      'a: "\\sk-secret"',
      "a: {sk-secret: sk-secret",
      "%sk-secret",
    ]
  ) {
    const failure = await failureOf(text)?.located();
    assertEquals(failure?.message.includes("secret"), false, failure?.message);
  }
});

Deno.test("loadConfig() applies defaults", () => {
  const config = load("providers: { openai: { kind: openai, api_key: k, models: [m] } }");
  assertEquals(config.source, "test.yaml");
  assertEquals(config.server, {
    host: "127.0.0.1",
    hosts: new Set(),
    port: 8787,
    serves: new Set(["api", "admin", "metrics", "console"]),
    listeners: [],
    workers: "auto",
    max_body: 32 * 1024 * 1024,
    max_elements: 100_000,
    bodies: {
      maxBytes: 32 * 1024 * 1024,
      maxPauseMs: 30_000,
      json: { elements: 100_000, members: 10_000, depth: 256 },
      incoming: { bodies: 8000, bytes: 256 * 1024 * 1024 },
    },
    key_pepper: undefined,
    cors: [],
    drain: 30_000,
    keep_alive: 15_000,
    max_in_flight: 2000,
    max_connections: 8192,
    max_connections_per_address: 4096,
    head_timeout: 20_000,
    idle_timeout: 120_000,
    body_timeout: 30_000,
    write_timeout: 60_000,
    images: { http: false, allow: new Set(), maxSize: 20_000_000, timeout: 10_000 },
    reasoning_state: {
      enabled: true,
      key: undefined,
      maxIdLength: 2048,
      memory: { bytes: 64 * 1024 * 1024, ttlMs: 3_600_000 },
    },
    end_users: { ids: "pseudonym", secret: config.server.end_users.secret },
    response_cache: { size: 64 * 1024 * 1024 },
    responses_memory: { bytes: 64 * 1024 * 1024, ttlMs: 3_600_000 },
    websockets: "off",
    max_sockets: 256,
    max_sockets_per_key: 8,
    metrics: "private",
    console_vendor_errors: "on",
  });
  const target = targetOf(config, "m");
  assertEquals(target.timeouts, { firstToken: 300_000, idle: 300_000, total: 1_800_000 });
  assertEquals(target.retries, 2);
  assertEquals(target.params, undefined);
  assertEquals(target.model, { id: "m", upstream: "m", base: "m", facts: {} });
  assertEquals(target.provider.settings, {
    id: "openai",
    baseUrl: "https://api.openai.com/v1",
    options: {},
  });
  assertEquals(target.provider.keys, ["k"]);
  assertEquals(target.provider.headers, {});
  assertEquals(target.provider.adapter, fakeAdapters.get("openai"));
});

Deno.test("loadConfig() uses an adapter's timeouts as defaults", () => {
  const config = load(`
providers:
  slow: { kind: slow, models: [a] }
  mixed: { kind: slow, timeout: { idle: 1s }, models: [b, { id: c, timeout: { total: 2s } }] }
`);
  assertEquals(targetOf(config, "a").timeouts, {
    firstToken: 1_200_000,
    idle: 300_000,
    total: 7_200_000,
  });
  assertEquals(targetOf(config, "b").timeouts, {
    firstToken: 1_200_000,
    idle: 1000,
    total: 7_200_000,
  });
  assertEquals(targetOf(config, "c").timeouts, { firstToken: 1_200_000, idle: 1000, total: 2000 });
});

Deno.test("loadConfig() reads every member of a provider", () => {
  const config = load(`
server:
  { host: "::1", port: "0", workers: "3", max_body: 10MB, max_elements: 5000, cors: "*",
    key_pepper: pepper-0123456789abcdef0123456789, drain: 0s, keep_alive: 0s,
    early_keep_alive: 5s, max_in_flight: 1, max_connections: 20, max_connections_per_address: 10,
    head_timeout: 3s, idle_timeout: 4s, body_timeout: 1s, write_timeout: 2s, metrics: public, console: off,
    images: { http: true, allow: [Intranet.example.com., 10.0.0.7, "::1", "[FD00::2]"],
      max_size: 1KiB, timeout: 500ms },
    reasoning_state: { enabled: false, key: 0123456789abcdef0123456789abcdef, max_id_length: 64,
      memory: 0, memory_ttl: 5m },
    responses_memory: { size: 1KiB, ttl: 2m } }
providers:
  x:
    kind: regional
    region: eu
    zone: eu-1
    api_key: [a, " b "]
    base_url: http://127.0.0.1:8000/v1//
    headers: { X-Team: search, authorization: Basic abc }
    timeout: { first_token: 500ms, total: 1h }
    retries: 0
    max_wait: 3s
    models:
      - id: m
        upstream: vendor-m
        api: responses
        params: { reasoning_effort: high, stop: null, own: { a: [1] } }
        timeout: { idle: 2m }
        retries: 5
`);
  assertEquals(config.server, {
    host: "::1",
    hosts: new Set(),
    port: 0,
    serves: new Set(["api", "admin", "metrics", "console"]),
    listeners: [],
    workers: 3,
    max_body: 10_000_000,
    max_elements: 5000,
    bodies: {
      maxBytes: 10_000_000,
      maxPauseMs: 1000,
      json: { elements: 5000, members: 10_000, depth: 256 },
      incoming: { bodies: 1000, bytes: 256 * 1024 * 1024 },
    },
    key_pepper: "pepper-0123456789abcdef0123456789",
    cors: ["*"],
    drain: 0,
    keep_alive: 0,
    early_keep_alive: 5000,
    max_in_flight: 1,
    max_connections: 20,
    max_connections_per_address: 10,
    head_timeout: 3000,
    idle_timeout: 4000,
    body_timeout: 1000,
    write_timeout: 2000,
    images: {
      http: true,
      allow: new Set(["intranet.example.com", "10.0.0.7", "::1", "fd00::2"]),
      maxSize: 1024,
      timeout: 500,
    },
    reasoning_state: {
      enabled: false,
      key: deriveKey("0123456789abcdef0123456789abcdef"),
      maxIdLength: 64,
      memory: { bytes: 0, ttlMs: 300_000 },
    },
    end_users: { ids: "pseudonym", secret: config.server.end_users.secret },
    response_cache: { size: 64 * 1024 * 1024 },
    responses_memory: { bytes: 1024, ttlMs: 120_000 },
    websockets: "off",
    max_sockets: 256,
    max_sockets_per_key: 8,
    metrics: "public",
    console: "off",
    console_vendor_errors: "on",
  });
  const target = targetOf(config, "m");
  const { provider } = target;
  assertEquals(provider.settings, {
    id: "x",
    baseUrl: "http://127.0.0.1:8000/v1",
    options: { region: "eu", zone: "eu-1" },
  });
  assertEquals(provider.keys, ["a", "b"]);
  assertEquals(provider.headers, { "x-team": "search", authorization: "Basic abc" });
  assertEquals(provider.timeouts, { firstToken: 500, idle: 300_000, total: 3_600_000 });
  assertEquals([provider.retries, provider.maxWait], [0, 3000]);
  assertEquals(provider.models, [target.model]);
  assertEquals(target.model.upstream, "vendor-m");
  assertEquals(target.model.api, "responses");
  assertEquals(target.params, { reasoning_effort: "high", own: { a: [1] } });
  assertEquals(target.timeouts, { firstToken: 500, idle: 120_000, total: 3_600_000 });
  assertEquals(target.retries, 5);
});

Deno.test("loadConfig() resolves YAML anchors and aliases", () => {
  const config = load(
    "providers:\n  x: { kind: mock, models: &own [a, b] }\n  y: { kind: mock, models: *own }\n",
  );
  assertEquals([config.resolve("b@x")?.length, config.resolve("b@y")?.length], [1, 1]);
});

Deno.test("loadConfig() treats an empty section as absent", () => {
  const config = load(
    `server:\nproviders:\n  x:\n    kind: mock\n    headers:\n    models: [m]\npins:\n`,
  );
  assertEquals(config.models.map(({ id }) => id), ["m"]);
});

for (
  const [written, bytes] of [
    ["1", 1],
    ["'2048'", 2048],
    ["7B", 7],
    ["2kB", 2000],
    ["2KiB", 2048],
    ["1GiB", 1024 ** 3],
  ] as const
) {
  Deno.test(`loadConfig() reads the size ${written}`, () => {
    assertEquals(load(withServer(`{ max_body: ${written} }`)).server.max_body, bytes);
  });
}

Deno.test("loadConfig() resolves references anywhere in a string", () => {
  const config = load(
    `
server: { host: "\${HOST:-0.0.0.0}", port: "\${PORT}" }
providers:
  x:
    kind: mock
    base_url: "http://\${NAME}:\${PORT}/\${PATH_:-}"
    api_key: "\${file:/run/secrets/key}"
    headers: { a: "$$\${NAME}$" }
    models: [{ id: "\${NAME}-1", params: { user: "\${EMPTY:-none}" } }]
`,
    { env: { PORT: "9000", NAME: "n", EMPTY: "" }, files: { "/run/secrets/key": "s3cret\n" } },
  );
  assertEquals([config.server.host, config.server.port], ["0.0.0.0", 9000]);
  const provider = config.providers.get("x");
  assertEquals(provider?.settings.baseUrl, "http://n:9000");
  assertEquals(provider?.keys, ["s3cret"]);
  assertEquals(provider?.headers, { a: "$$n$" });
  assertEquals(targetOf(config, "n-1").params, { user: "none" });
});

Deno.test("loadConfig() does not resolve references within resolved values", () => {
  const config = load(withProvider("{ kind: mock, models: ['${A}'] }"), {
    env: { A: "${B}", B: "no" },
  });
  assertEquals(config.models.map(({ id }) => id), ["${B}"]);
});

/** Providers, and the reason why they are disabled; undefined if they are enabled. */
const CREDENTIALS: readonly (readonly [string, string, string | undefined, Around?])[] = [
  ["its key is unset", "{ kind: openai, api_key: '${K}', models: [m] }", "K is not set"],
  ["its key is empty", "{ kind: openai, api_key: '${K}', models: [m] }", "K is not set", {
    env: { K: "" },
  }],
  [
    "its key's file is missing",
    "{ kind: mock, api_key: '${file:/k}', models: [m] }",
    "cannot read /k",
  ],
  ["its key's file is empty", "{ kind: mock, api_key: '${file:/k}', models: [m] }", "/k is empty", {
    files: { "/k": "\n" },
  }],
  ["it has no key", "{ kind: openai, models: [m] }", "no api_key"],
  ["its key is an empty string", "{ kind: openai, api_key: '', models: [m] }", "no api_key"],
  [
    "no key of its pool is set",
    "{ kind: openai, api_key: ['${A}', '${B}'], models: [m] }",
    "A is not set, B is not set",
  ],
  [
    "its required base_url is unset",
    "{ kind: openai_compatible, base_url: '${U}', models: [m] }",
    "U is not set",
  ],
  [
    "a part of its base_url is unset",
    "{ kind: openai_compatible, base_url: 'http://${U}', models: [m] }",
    "U is not set",
  ],
  ["a header is unset", "{ kind: mock, headers: { a: '${H}' }, models: [m] }", "H is not set"],
  [
    "an option of its kind is unset",
    "{ kind: regional, region: '${R}', models: [m] }",
    "R is not set",
  ],
  [
    "an option is unset, but not its pool of keys",
    "{ kind: regional, region: '${R}', api_key: [a, '${A}'], models: [m] }",
    "R is not set, A is not set",
  ],
  ["it needs no key", "{ kind: mock, models: [m] }", undefined],
  ["its key is optional", "{ kind: regional, region: eu, models: [m] }", undefined],
  ["its key has a default", "{ kind: openai, api_key: '${K:-d}', models: [m] }", undefined],
];

for (const [condition, provider, reason, around] of CREDENTIALS) {
  Deno.test(`loadConfig() ${reason === undefined ? "enables" : "disables"} a provider if ${condition}`, () => {
    const config = load(withProvider(provider), around);
    assertEquals(
      config.disabled.map(({ id, reason }) => [id, reason]),
      reason ? [["x", reason]] : [],
    );
    assertEquals([...config.providers.keys()], reason ? [] : ["x"]);
    assertEquals(config.resolve("m") === undefined, reason !== undefined);
  });
}

Deno.test("loadConfig() removes the unset keys of a pool", () => {
  const text = withProvider("{ kind: openai, api_key: ['${A}', '${B}', '${C}'], models: [m] }");
  const config = load(text, { env: { B: "b", C: "c" } });
  assertEquals(config.providers.get("x")?.keys, ["b", "c"]);
});

Deno.test("loadConfig() lists disabled providers with their kinds, in the file's order", () => {
  const config = load(`providers:
  b: { kind: openai, models: [m] }
  a: { kind: regional, region: "\${R}", models: [m] }
  c: { kind: anthropic, models: [m] }`);
  assertEquals(config.disabled, [
    { id: "b", kind: "openai", reason: "no api_key", publicReason: "no api_key" },
    { id: "a", kind: "regional", reason: "R is not set", publicReason: "R is not set" },
    { id: "c", kind: "anthropic", reason: "no api_key", publicReason: "no api_key" },
  ]);
});

Deno.test("authenticate() accepts plain keys and digests, and nothing else", () => {
  const config = load(withServer(`{ keys: [
    { name: plain, key: sk-one },
    { name: digest, key: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
    { name: unset, key: "\${UNSET}" },
  ] }`));
  assertEquals(config.serviceKeys.map(({ name }) => name), ["plain", "digest"]);
  assertEquals(config.generatedKey, undefined);
  assertEquals(config.authenticate("sk-one")?.name, "plain");
  assertEquals(config.authenticate("test")?.name, "digest");
  for (
    const token of [
      "",
      "sk-on",
      "SK-ONE",
      "sk-one ",
      "${UNSET}",
      "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      "é".repeat(10_000),
    ]
  ) {
    assertEquals(config.authenticate(token), undefined, token.slice(0, 80));
  }
});

Deno.test("authenticateAdmin() accepts admin keys only", () => {
  const config = load(withServer(`{ keys: [{ name: own, key: sk-one }], admin_keys: [
    { name: plain, key: sk-two },
    { name: digest, key: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
    { name: unset, key: "\${UNSET}" },
  ] }`));
  assertEquals(config.hasAdmin, true);
  assertEquals(config.authenticateAdmin("sk-two"), { name: "plain" });
  assertEquals(config.authenticateAdmin("test"), { name: "digest" });
  assertEquals(config.authenticateAdmin("sk-one"), undefined);
  assertEquals(config.authenticate("sk-two"), undefined);
  assertEquals(config.authenticate("sk-one")?.name, "own");
  const none = load(withServer("{ admin_keys: [{ name: a, key: '${A}' }] }"));
  assertEquals([none.hasAdmin, none.authenticateAdmin("")], [false, undefined]);
});

Deno.test("loadConfig() trims white space around keys", () => {
  const config = load(PASTED, { env: { A: "sk-a\n", B: " sk-b\r\n" } });
  assertEquals(config.authenticate("sk-a")?.name, "a");
  assertEquals(config.providers.get("x")?.keys, ["sk-b"]);
});

Deno.test("loadConfig() generates a service key when none is set", () => {
  const config = load(withServer("{ keys: [{ name: a, key: '${A}' }, { name: b, key: '${B}' }] }"));
  assertEquals(config.generatedKey, "sk-sluice-made");
  assertEquals(config.authenticate("sk-sluice-made")?.name, "generated");
  assertEquals(config.serviceKeys.length, 1);
  assertEquals(config.unset.keys.map(({ list, name, reason }) => [list, name, reason]), [
    ["keys", "a", "A is not set"],
    ["keys", "b", "B is not set"],
  ]);
  assertEquals(load(withServer("{}")).unset.keys, []);
});

Deno.test("loadConfig() makes no service key if admins create keys in a store", () => {
  const admins = "admin_keys: [{ name: ops, key: sk-ops }]";
  const managed = load(`store: "sqlite:x.db"\n${withServer(`{ ${admins} }`)}`);
  assertEquals([managed.generatedKey, managed.serviceKeys], [undefined, []]);
  assertEquals(managed.authenticate("sk-sluice-made"), undefined);
  assertEquals(load(withServer(`{ ${admins} }`)).generatedKey, "sk-sluice-made");
});

Deno.test("loadConfig() resolves a variable in the path of a file", () => {
  const text = withServer("{ keys: [{ name: a, key: '${file:${DIR}/a}' }, { name: b, key: b }] }");
  const files = { "/run/credentials/a": "sk-a\n" };
  const set = load(text, { env: { DIR: "/run/credentials" }, files });
  assertEquals(set.authenticate("sk-a")?.name, "a");
  const reasons = (env: Record<string, string>) =>
    load(text, { env, files }).unset.keys.map(({ reason }) => reason);
  assertEquals(reasons({}), ["DIR is not set"]);
  assertEquals(reasons({ DIR: "/none" }), ["cannot read /none/a"]);
});

Deno.test("configSchema() contains the members of all kinds", () => {
  const schema = configSchema(fakeAdapters);
  assertEquals(schema.$schema, "http://json-schema.org/draft-07/schema#");
  assertEquals(schema.required, ["providers"]);
  const text = JSON.stringify(schema);
  for (const member of ["region", "first_token", "base_model", "cached_input", "regional"]) {
    assert(text.includes(`"${member}"`), member);
  }
});

const SHIPPED = Deno.readTextFileSync(new URL("../../config.yaml", import.meta.url));

function loadShipped(env: Readonly<Record<string, string>>) {
  return loadConfig(SHIPPED, {
    env: (name) => new Map(Object.entries(env)).get(name),
    readFile: Deno.readTextFileSync,
    now: () => 0,
    newKey: () => "sk-sluice-made",
    source: "config.yaml",
    adapters,
  });
}

Deno.test("without lists of keys, those of the environment count; an empty list means none", () => {
  const env = { SLUICE_API_KEY: "sk-of-env", SLUICE_ADMIN_KEY: "sk-admin-of-env" };
  for (const server of ["", "server:", "server: {}", "server: { port: 1 }", "server: { keys: }"]) {
    const config = load(`${server}\nproviders: { mock: { kind: mock, models: [m] } }`, { env });
    assertEquals(config.authenticate("sk-of-env")?.name, "default", server);
    assertEquals(config.authenticateAdmin("sk-admin-of-env")?.name, "admin", server);
    assertEquals([config.generatedKey, config.unusedKeys], [undefined, []], server);
  }
  const none = load(withServer("{ keys: [], admin_keys: [] }"), { env });
  assertEquals(none.generatedKey, "sk-sluice-made");
  assertEquals([none.authenticate("sk-of-env"), none.hasAdmin], [undefined, false]);
  const own = load(withServer("{ keys: [{ name: a, key: sk-own }] }"), { env });
  assertEquals(own.authenticate("sk-of-env"), undefined);
  const unused = "SLUICE_API_KEY is set, but is not among the keys in server.keys";
  assertEquals(own.unusedKeys, [unused]);
  assertEquals(toCheckWarnings(own).filter((text) => text === unused).length, 1);
  for (
    const key of [
      "${SLUICE_API_KEY}",
      "sk-of-env",
      `sha256:${createHash("sha256").update("sk-of-env").digest("hex")}`,
    ]
  ) {
    const used = load(withServer(`{ keys: [{ name: a, key: "${key}" }] }`), { env });
    assertEquals(used.unusedKeys, [], key);
  }
  assertEquals(load(withServer("{}")).unusedKeys, []);
  const { snapshot } = loadConfigWithSnapshot(withServer("{}"), {
    env: (name) => new Map(Object.entries(env)).get(name),
    readFile: Deno.readTextFileSync,
    now: () => 0,
    newKey: () => "sk-sluice-made",
    source: "config.yaml",
    adapters,
  });
  assertEquals(loadSnapshot(snapshot, adapters).authenticate("sk-of-env")?.name, "default");
});

Deno.test("config.yaml refers to its schema, which equals configSchema()", () => {
  const [first = ""] = SHIPPED.split("\n");
  assertEquals(first, "# yaml-language-server: $schema=docs/schemas/config.schema.json");
  const written = Deno.readTextFileSync(
    new URL("../../docs/schemas/config.schema.json", import.meta.url),
  );
  assertEquals(written, JSON.stringify(configSchema(adapters), null, 2) + "\n");
  // Editors of files that were made by version 0.2 look there.
  const former = new URL("../../.sluice/config.schema.json", import.meta.url);
  assertEquals(Deno.readTextFileSync(former), written);
});

/** The variables that the file refers to, except in comments. */
const VARIABLES = [...SHIPPED.replaceAll(/#.*/g, "").matchAll(/\$\{(\w+)\}/g)]
  .map(([, name = ""]) => name);

Deno.test("config.yaml works without any key: the mock and its aliases are enabled", () => {
  const config = loadShipped({});
  assertEquals(config.models.map(({ id }) => id), [
    ...["mock-echo", "mock-think", "mock-flaky", "mock-cut", "mock-picky", "fast", "smart"],
  ]);
  const reasons = new Map(config.disabled.map(({ id, reason }) => [id, reason]));
  assertEquals(reasons.get("openai"), "OPENAI_API_KEY is not set");
  assertEquals(
    reasons.get("bedrock"),
    "AWS_BEARER_TOKEN_BEDROCK is not set, AWS_ACCESS_KEY_ID is not set, " +
      "AWS_SECRET_ACCESS_KEY is not set",
  );
  assert(config.disabled.every(({ reason }) => /^[A-Z_]+ is not set/.test(reason)));
  assertEquals(config.generatedKey, "sk-sluice-made");
});

/** Kinds whose models are not in the catalogue. */
const UNCATALOGUED = new Set(["mock", "ollama", "sambanova"]);

Deno.test("config.yaml enables all providers if all keys are set, and its models are in the catalogue", () => {
  const config = loadShipped(Object.fromEntries(VARIABLES.map((name) => [
    name,
    name.endsWith("_ENDPOINT") ? "https://a.example" : `key-of-${name}`,
  ])));
  assertEquals(config.disabled, []);
  assertEquals(config.generatedKey, undefined);
  assertEquals(config.authenticate("key-of-SLUICE_API_KEY")?.name, "default");
  assertEquals(config.resolve("fast")?.map(({ target }) => target.model.id), [
    "gpt-5.4-mini",
    "claude-haiku-4-5",
  ]);
  for (const { settings, adapter, models } of config.providers.values()) {
    for (const { id, facts } of models) {
      const known = facts.capabilities !== undefined;
      assertEquals(known, !UNCATALOGUED.has(adapter.kind), `${settings.id} ${id}`);
    }
  }
});

Deno.test(".env.example names every variable of config.yaml", () => {
  const example = Deno.readTextFileSync(new URL("../../.env.example", import.meta.url));
  assertEquals(VARIABLES.filter((name) => !new RegExp(`^(?:# )?${name}=`, "m").test(example)), []);
});

/** Variables whose values must have a form, by the last word of their names. */
const VALUES = new Map([["ENDPOINT", "https://a.example"], ["URL", "redis://a.example"]]);

Deno.test("all commented-out examples of config.yaml are valid", () => {
  // A comment of the form `# name: value`, `# - item` or, deeper, `#   name: value`.
  const uncommented = SHIPPED.replaceAll(
    /^( *)# (?!yaml)((?:- | {2})?[a-z0-9_.-]+:.*|- \{.*)$/gm,
    "$1$2",
  );
  const config = loadConfig(uncommented, {
    env: (name) => VALUES.get(name.split("_").at(-1) ?? "") ?? `the-value-of-${name}`,
    readFile: Deno.readTextFileSync,
    now: () => 0,
    newKey: () => "",
    source: "config.yaml, uncommented",
    adapters,
  });
  assertEquals(config.disabled, []);
  assert(config.find("gpt-deep") && config.find("cheap") && config.find("llama-4"));
  assertEquals(config.server.cors, ["https://app.example.com"]);
  assert(uncommented.includes("\npins:\n  gpt-5.4: openai\n"));
  assertEquals(config.sharedStore?.host, "a.example");
});

Deno.test("replicas share limits by default, and breakers if the configuration says so", () => {
  const providers = { mock: { kind: "mock", models: ["echo"] } };
  const shared = (
    share: unknown,
  ) => [...loadTestConfig({ providers, shared_store: "redis://a.example", share }).shared];
  assertEquals(shared(undefined), ["limits"]);
  assertEquals(shared(["breakers", "limits", "breakers"]), ["breakers", "limits"]);
  for (const wrong of [[], ["breaker"], "breakers"]) {
    assertThrows(() => shared(wrong), ConfigErrors, "share");
  }
});

Deno.test("limits_store, the former name of shared_store, is accepted with a warning", () => {
  const providers = { mock: { kind: "mock", models: ["echo"] } };
  const url = "redis://a.example";
  const former = loadTestConfig({ providers, limits_store: url });
  assertEquals(former.sharedStore?.host, "a.example");
  const [warning = ""] = toWarnings(former).filter((text) => text.includes("limits_store"));
  assertStringIncludes(warning, "'shared_store'");
  const current = loadTestConfig({ providers, shared_store: url });
  assertEquals(current.sharedStore, former.sharedStore);
  assertEquals(toWarnings(current).filter((text) => text.includes("limits_store")), []);
  assertThrows(
    () => loadTestConfig({ providers, limits_store: url, shared_store: url }),
    ConfigErrors,
    "limits_store: is the former name of 'shared_store'",
  );
});

Deno.test("shared_store is the URL of a Valkey or Redis server, and is never quoted", () => {
  const providers = { mock: { kind: "mock", models: ["echo"] } };
  const load = (url: string) => loadTestConfig({ providers, shared_store: url }).sharedStore;
  const plain = { username: undefined, password: undefined, database: 0, onFailure: "local" };
  assertEquals(load("redis://a.example"), { host: "a.example", port: 6379, tls: false, ...plain });
  assertEquals(load("rediss://u:p%40s%2F@[::1]:6380/2"), {
    host: "::1",
    port: 6380,
    tls: true,
    username: "u",
    password: "p@s/",
    database: 2,
    onFailure: "local",
  });
  assertEquals(load("valkeys://:p@a.example")?.tls, true);
  const nodes = [{ host: "a", port: 7000 }, { host: "::1", port: 6379 }];
  assertEquals(load("redis+cluster://a:7000,[::1]"), {
    ...{ host: "a", port: 7000, tls: false, ...plain },
    cluster: nodes,
  });
  assertEquals(load("valkeys+sentinel://u:p%40@a,b:7/my%20limits/3?sentinel_password=s%2Ft"), {
    ...{ host: "a", port: 26379, tls: true, username: "u", password: "p@", database: 3 },
    onFailure: "local",
    sentinel: {
      nodes: [{ host: "a", port: 26379 }, { host: "b", port: 7 }],
      ...{ name: "my limits", username: undefined, password: "s/t" },
    },
  });
  for (
    const url of [
      "http://u:secret@a.example",
      "redis:a:secret",
      "redis://:secret@a.example/x",
      "redis://:secret%@a.example",
      "redis://:secret@a.example?tls=1",
      "redis+cluster://:secret@a,b/1",
      "redis+cluster://:secret@a,b,",
      "redis+cluster://:secret@a?x=1",
      "redis+sentinel://:secret@a,b",
      "redis+sentinel://:secret@a,b/name/x",
      "redis+sentinel://:secret@a/name?secret=1",
      "redis+other://:secret@a",
      "http+cluster://:secret@a",
    ]
  ) {
    const error = assertThrows(() => load(url), ConfigErrors, "must be the URL of a Valkey");
    assertEquals(error.message.includes("secret"), false);
  }
});

Deno.test("loadConfig() builds the schema of an adapter list once", () => {
  let built = 0;
  class CountedAdapters extends Map<string, Adapter> {
    override keys() {
      built++;
      return super.keys();
    }
  }
  const counted = new CountedAdapters(adapters);
  for (const text of [withProvider(`{ kind: mock, models: [a] }`), withServer("{ port: 0 }")]) {
    loadConfig(text, {
      ...{ source: "test", adapters: counted, env: () => undefined, readFile: () => "" },
      ...{ now: () => 0, newKey: () => "sk-made" },
    });
  }
  assertEquals(built, 1);
});
