/** The router finds routes by path and method pattern. */

import { assertEquals } from "@std/assert";
import { Router } from "../../src/http/router.ts";

const TABLE = [
  { method: "GET", path: "/" },
  { method: "GET", path: "/healthz" },
  { method: "GET", path: "/v1/models" },
  { method: "GET", path: "/v1/models/{id...}" },
  { method: "POST", path: "/v1/items/{id}/reset" },
  { method: "GET", path: "/v1/items/{id}" },
  { method: "DELETE", path: "/v1/items/{id}" },
] as const;

const router = new Router(TABLE);

/** What a path matches: the methods and the captured parameters. */
function matched(path: string) {
  const match = router.match(path);
  return match && {
    path: match.routes[0]?.path,
    methods: match.routes.map(({ method }) => method),
    params: Object.fromEntries(match.params),
  };
}

Deno.test("Router.match() finds a path without parameters, with or without a slash at the end", () => {
  assertEquals(matched("/"), { path: "/", methods: ["GET"], params: {} });
  assertEquals(matched("/healthz"), { path: "/healthz", methods: ["GET"], params: {} });
  assertEquals(matched("/healthz/"), { path: "/healthz", methods: ["GET"], params: {} });
});

Deno.test("Router.match() prefers the exact path to a pattern", () => {
  assertEquals(matched("/v1/models")?.path, "/v1/models");
  assertEquals(matched("/v1/models/"), { path: "/v1/models", methods: ["GET"], params: {} });
});

Deno.test("Router.match() captures one segment and returns all methods of the path", () => {
  assertEquals(matched("/v1/items/a%20b"), {
    path: "/v1/items/{id}",
    methods: ["GET", "DELETE"],
    params: { id: "a b" },
  });
  assertEquals(matched("/v1/items/x/reset"), {
    path: "/v1/items/{id}/reset",
    methods: ["POST"],
    params: { id: "x" },
  });
});

Deno.test("Router.match() captures the rest of a path, slashes included", () => {
  for (const path of ["/v1/models/a/b@c", "/v1/models/a%2Fb%40c"]) {
    assertEquals(matched(path)?.params, { id: "a/b@c" });
  }
  assertEquals(matched("/v1/models/100%")?.params, { id: "100%" });
});

Deno.test("Router.match() finds nothing for other paths", () => {
  for (
    const path of [
      "",
      "/healthz//",
      "/healthzz",
      "/v1",
      "/v1/items",
      "/v1/items//reset",
      "/v1/items/a/b",
      "/v1/items/a/reset/b",
      "//v1/models",
      "/v2/models",
    ]
  ) {
    assertEquals(matched(path), undefined, path);
  }
});
