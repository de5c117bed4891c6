/** A file with a fault of every kind of check, of which none hides another. */

import { assertEquals } from "@std/assert";
import { adapters } from "../../src/providers/registry.ts";
import { errorsOf } from "../support/sample_config.ts";

const FILE = `
server:
  port: -1
  cors: [nowhere]
  keys:
    - { name: a, key: b }
    - { name: a, key: b }
    - { name: c, key: "Bearer cccccccccc", limits: { requests_per_minute: 0 } }
  listeners:
    - { port: x, path: /s, host: h, compatible: true, tls: { cert: 1 } }
    - { mode: "9", hosts: ["a b"] }
shared_store: nowhere
limits_store: "redis://h"
store: nowhere
providers:
  "bad id": { kind: mock, models: [], retries: x }
  unknown: { kind: none, models: [m], headers: { host: a, y: 1 } }
  listed:
    { kind: perplexity, models: [a, a, "b*"], retries: -1, timeout: { idle: x }, extra: 1 }
  fixed:
    kind: mock
    models: [c]
    if_running: true
    headers: { host: a, x: 1 }
    proxy: nowhere
    tls: { cert: a, ca: 1 }
  priced:
    kind: mock
    models:
      - { id: d, created: x, prices: { input: x, cached_input: -1 }, params: { temperature: 9 } }
  aws: { kind: bedrock, region: "a b", access_key_id: a, profile: p, models: [e] }
  rest: { kind: bedrock, region: r, session_token: t, retries: -1, models: [f] }
  cloud: { kind: vertex, project: 1, api_key: k, credentials: "{", models: [g] }
  entra: { kind: azure, base_url: "a.example", client_secret: s, models: [h] }
  apis: { kind: openai, retries: -1, models: [{ id: i, api: nothing }] }
pins: { m: three, n: 1 }
aliases: { x: y }
extra: 1
`;

Deno.test("no fault of config.yaml hides another, whatever checks them", () => {
  const paths = errorsOf(FILE, { adapters }).map((line) => line.split(": ")[0]);
  assertEquals(paths.toSorted(), [
    "aliases.x",
    "extra",
    "limits_store",
    "pins.m",
    "pins.n",
    "pins.n",
    "providers.apis.models[0].api",
    "providers.apis.retries",
    "providers.aws.profile",
    "providers.aws.region",
    "providers.aws.secret_access_key",
    "providers.bad id",
    "providers.bad id.models",
    "providers.bad id.retries",
    "providers.cloud.credentials",
    "providers.cloud.credentials",
    "providers.cloud.project",
    "providers.entra.base_url",
    "providers.entra.client_secret",
    "providers.fixed.headers.host",
    "providers.fixed.headers.x",
    "providers.fixed.if_running",
    "providers.fixed.proxy",
    "providers.fixed.tls",
    "providers.fixed.tls.ca",
    "providers.fixed.tls.cert",
    "providers.listed.extra",
    "providers.listed.models",
    "providers.listed.models[1]",
    "providers.listed.retries",
    "providers.listed.timeout.idle",
    "providers.priced.models[0].created",
    "providers.priced.models[0].params.temperature",
    "providers.priced.models[0].prices.cached_input",
    "providers.priced.models[0].prices.input",
    "providers.priced.models[0].prices.output",
    "providers.rest.access_key_id",
    "providers.rest.retries",
    "providers.unknown.headers.host",
    "providers.unknown.headers.y",
    "providers.unknown.kind",
    "server.cors[0]",
    "server.keys[1].key",
    "server.keys[1].name",
    "server.keys[2].key",
    "server.keys[2].limits.requests_per_minute",
    "server.listeners[0].compatible",
    "server.listeners[0].host",
    "server.listeners[0].port",
    "server.listeners[0].port",
    "server.listeners[0].tls",
    "server.listeners[0].tls.cert",
    "server.listeners[0].tls.key",
    "server.listeners[1]",
    "server.listeners[1].hosts[0]",
    "server.listeners[1].mode",
    "server.port",
    "shared_store",
    "store",
  ]);
});
