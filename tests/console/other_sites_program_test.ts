/** Pages of other sites in a real browser: a name that is rebound to the gateway, and another port. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ADMIN_KEY, browserSteps, launchBrowser, SERVICE_KEY, startGateway } from "./browser.ts";

/** What a page gets for requests with keys that it knows, or why it gets nothing. */
const ASK = (base: string) =>
  `(async () => {
    const found = {};
    const keys = ${JSON.stringify({ "/v1/admin/keys": ADMIN_KEY })};
    for (const path of ["/v1/models", "/v1/usage", "/v1/requests", "/v1/admin/keys"]) {
      for (const way of ["key", "bare"]) {
        const key = keys[path] ?? ${JSON.stringify(SERVICE_KEY)};
        const headers = way === "key" ? { authorization: "Bearer " + key } : {};
        found[path + " " + way] = await fetch(${JSON.stringify(base)} + path, { headers })
          .then(({ status }) => status, ({ name }) => name);
      }
    }
    return found;
  })()`;

const PATHS = ["/v1/models", "/v1/usage", "/v1/requests", "/v1/admin/keys"];
const each = (value: unknown) =>
  Object.fromEntries(PATHS.flatMap((path) => [[`${path} key`, value], [`${path} bare`, value]]));

browserSteps("pages of other sites", {
  "a page whose name is rebound to the gateway gets 421 for everything": async ({ gateway }) => {
    const { port } = new URL(gateway.url);
    const browser = await launchBrowser(["--host-resolver-rules=MAP evil.example 127.0.0.1"]);
    try {
      const page = await browser.newPage();
      const response = await page.goto(`http://evil.example:${port}/`);
      assertEquals(response?.status(), 421);
      assertStringIncludes(await response?.text() ?? "", "server.hosts");
      assertEquals(await page.evaluate(ASK("")), each(421));
    } finally {
      await browser.close();
    }
  },

  "a page of another port can read nothing, with or without a key": async ({ gateway }) => {
    await using other = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response("<title>other</title>", { headers: { "content-type": "text/html" } }),
    );
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${other.addr.port}/`);
      assertEquals(await page.evaluate(ASK(gateway.url)), each("TypeError"));
    } finally {
      await browser.close();
    }
  },
}, async (owned) => ({
  gateway: owned.use(
    await startGateway({ providers: { mock: { kind: "mock", models: ["mock-echo"] } } }),
  ),
}));
