/** What passes: paths, headers, queries and the patterns of config.yaml. */

import { assertEquals, assertThrows } from "@std/assert";
import { ConfigErrors } from "../../src/config/config.ts";
import { PassthroughRules } from "../../src/config/passthrough.ts";
import { GatewayError } from "../../src/core/errors.ts";
import {
  checkPassedPath,
  toPassedHeaders,
  toPassedQuery,
  toReturnedHeaders,
} from "../../src/upstream/passed_requests.ts";
import { loadTestConfig, VENDOR_KEY } from "../support/gateway.ts";

for (
  const path of [
    "images/generations",
    "files/file-1/content",
    "v1.5/.well-known/x",
    "models/gemini:embedContent",
    "model/arn%3Aaws%3Abedrock%2Fx/invoke",
    "a..b/c..",
    "files/caf%C3%A9",
  ]
) {
  Deno.test(`the pass-through takes the path ${path}`, () => void checkPassedPath(path));
}

for (
  const path of [
    "",
    "..",
    "../x",
    "a/../../b",
    "a/./b",
    "a/..",
    "%2e%2e/x",
    "a/%2E%2e/b",
    "a/.%2e/b",
    "a%2f..%2f..%2fb",
    "a%2F%2e%2E%2fb",
    "%252e%252e/x",
    "a/..;x=1/b",
    "a\\..\\b",
    "a%5c..%5cb",
    "a/%00/b",
    "a/%0d%0ahost:evil/b",
    "/evil.example/x",
    "%2fevil.example",
    "https://evil.example/x",
    "HTTP:/evil.example/x",
    "file:///etc/passwd",
    "a/%zz",
    "a/%25252525252e",
    "files/secret#/content",
    "files/secret%23/content",
    "files/secret%253f/content",
    "files//content",
    "files/%2fcontent",
  ]
) {
  Deno.test(`the pass-through refuses the path '${path}'`, () => {
    assertThrows(() => checkPassedPath(path), GatewayError, "The path of the pass-through");
  });
}

Deno.test("end-to-end headers pass, and neither credentials nor those of a connection", () => {
  const passed = toPassedHeaders([
    ["accept", "image/png"],
    ["content-type", "multipart/form-data; boundary=x"],
    ["openai-beta", "assistants=v2"],
    ["idempotency-key", "abc"],
    ["range", "bytes=0-9"],
    ["connection", "keep-alive, X-Hop"],
    ["x-hop", "1"],
    ["keep-alive", "timeout=5"],
    ["te", "trailers"],
    ["transfer-encoding", "chunked"],
    ["upgrade", "websocket"],
    ["host", "gateway"],
    ["content-length", "3"],
    ["expect", "100-continue"],
    ["authorization", "Bearer sk-service"],
    ["proxy-authorization", "Basic x"],
    ["x-api-key", "sk-service"],
    ["api-key", "sk-service"],
    ["x-goog-api-key", "sk-service"],
    ["ocp-apim-subscription-key", "sk-service"],
    ["x-amz-security-token", "x"],
    ["cookie", "session=1"],
    ["x-custom", "has sk-service inside"],
    ["x-forwarded-for", "10.0.0.1"],
    ["x-sluice-strict", "true"],
    ["x-http-method-override", "DELETE"],
    ["x_http_method_override", "DELETE"],
    ["x-http-method", "DELETE"],
    ["x-method-override", "DELETE"],
    ["x-original-url", "/admin"],
    ["x-rewrite-url", "/admin"],
    ["x-forwarded-host", "evil.example"],
    ["x-host", "evil.example"],
    ["sec-fetch-mode", "cors"],
  ], ["sk-service"]);
  assertEquals(Object.keys(passed).sort(), [
    "accept",
    "content-type",
    "idempotency-key",
    "openai-beta",
    "range",
  ]);
});

Deno.test("headers of the vendor's response come back without cookies and those of its connection", () => {
  const returned = toReturnedHeaders([
    ["content-type", "image/png"],
    ["content-length", "3"],
    ["content-encoding", "gzip"],
    ["location", "https://cdn.example/x"],
    ["openai-processing-ms", "5"],
    ["connection", "close, x-own"],
    ["x-own", "1"],
    ["set-cookie", "a=b"],
    ["strict-transport-security", "max-age=1"],
    ["access-control-allow-origin", "*"],
    ["x-sluice-provider", "fake"],
    ["x-request-id", "req_vendor"],
  ]);
  assertEquals(Object.keys(returned).sort(), [
    "content-encoding",
    "content-length",
    "content-type",
    "location",
    "openai-processing-ms",
  ]);
});

Deno.test("a query passes unchanged, without keys", () => {
  const pass = (query: string) => toPassedQuery(query, ["sk-service"]);
  assertEquals(pass("limit=5&after=file%2F1&x"), "?limit=5&after=file%2F1&x");
  assertEquals(pass("key=abc"), "");
  assertEquals(pass("a=1&KEY=abc&api_key=b&%61pi-key=c&access_token=d&X-Amz-Signature=e"), "?a=1");
  assertEquals(pass("pageToken=abc&q=sk-service&max_tokens=3"), "?pageToken=abc&max_tokens=3");
  assertEquals(pass("_method=DELETE&x-http-method-override=DELETE&$httpMethod=PUT&a=1"), "?a=1");
  assertEquals(pass(""), "");
});

Deno.test("patterns allow a method and a path, in which '*' matches anything", () => {
  const rules = new PassthroughRules(["POST images/*", "GET files/*", "* batches"]);
  assertEquals(rules.allows("POST", "images/generations"), true);
  assertEquals(rules.allows("POST", "images/a/b"), true);
  assertEquals(rules.allows("GET", "images/generations"), false);
  assertEquals(rules.allows("POST", "image"), false);
  assertEquals(rules.allows("GET", "files/x/content"), true);
  assertEquals(rules.allows("DELETE", "batches"), true);
  assertEquals(rules.allows("DELETE", "batches/1"), false);
});

Deno.test("patterns also see the path as a vendor decodes it", () => {
  const rules = new PassthroughRules(["GET files/*/content", "POST model/arn%3Ax/*"]);
  const allows = (method: string, path: string) =>
    rules.allows(method, path, checkPassedPath(path));
  assertEquals(allows("GET", "files/caf%C3%A9/content"), true);
  assertEquals(allows("GET", "files%2Fx/content"), false);
  assertEquals(allows("POST", "model/arn%3Ax/invoke"), true);
  assertEquals(new PassthroughRules(["GET f*s"]).allows("GET", "f%73", "fs"), false);
});

for (
  const setting of ["yes", [], ["post images/*"], ["images/*"], ["POST /images"], ["TRACE x"], [7]]
) {
  Deno.test(`config.yaml is refused with passthrough: ${JSON.stringify(setting)}`, () => {
    const openai = { kind: "openai", api_key: VENDOR_KEY, models: ["m"], passthrough: setting };
    assertThrows(() => loadTestConfig({ providers: { openai } }), ConfigErrors, "passthrough");
  });
}
