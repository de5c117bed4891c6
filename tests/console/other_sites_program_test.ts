/**
 * Attacks on the console in a real browser: pages of other sites (a name that is rebound to the
 * gateway, another port, a frame), and names that are code or members of every object.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  ADMIN_KEY,
  browserSteps,
  browserTests,
  hasRequests,
  isLoaded,
  launchBrowser,
  openView,
  seesText,
  SERVICE_KEY,
  startGateway,
} from "./browser.ts";

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

  "a page of another port cannot show the console in a frame": async ({ gateway }) => {
    const frame = `<title>other</title><iframe src="${gateway.url}/"></iframe>`;
    await using other = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(frame, { headers: { "content-type": "text/html" } }),
    );
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${other.addr.port}/`);
      const shown = page.frames().filter((one) => one.url().startsWith(gateway.url));
      assertEquals(shown, []);
    } finally {
      await browser.close();
    }
  },
}, async (owned) => ({
  gateway: owned.use(
    await startGateway({ providers: { mock: { kind: "mock", models: ["mock-echo"] } } }),
  ),
}));

const CODE = '<img src=x onerror="alert(1)">';
/** Names that are members of each object, and one that is code. */
const NAMES = ["__proto__", "constructor", "toString", CODE];
const YAML_NAMES = NAMES.map((name) => JSON.stringify(name));

const HOSTILE_CONFIG = `store: "sqlite:./hostile.db"
server:
  port: 0
  admin_keys: [{ name: valueOf, key: ${ADMIN_KEY}, edit_config: true }]
  keys:
    - { name: console, key: ${SERVICE_KEY} }
${
  NAMES.map((_, index) =>
    `    - { name: ${YAML_NAMES[index]}, key: sk-hostile-0123456789-${index}, ` +
    `team: ${YAML_NAMES[index]}, owner: ${YAML_NAMES[index]}, note: ${YAML_NAMES[index]}, ` +
    `budget: { usd: 5, per: month } }`
  ).join("\n")
}
providers:
  constructor: { kind: mock, models: [${
  YAML_NAMES.map((name) => `{ id: ${name}, upstream: mock-echo, prices: { input: 1, output: 2 } }`)
}] }
  toString: { kind: mock, models: [mock-500], retries: 0 }
aliases: { valueOf: constructor, hasOwnProperty: [mock-500, toString] }
`;

/** The views with every grouping, and a text that each of them shows. */
const HOSTILE_VIEWS: readonly (readonly [view: string, text: string])[] = [
  ["overview", "What is expensive"],
  ["requests", "hasOwnProperty"],
  ["requests?key=__proto__", "__proto__"],
  ["requests?tag=constructor", "constructor"],
  ["sessions", "toString"],
  ["status", "constructor"],
  ["status/constructor", "constructor"],
  ...["key", "team", "owner", "model", "tag"].map((by) => [`usage?by=${by}`, CODE] as const),
  ["usage?by=team&then=key&show=requests", "__proto__"],
  ["usage?by=provider&tab=bill", "constructor"],
  ["savings?by=key", "constructor"],
  ["keys", "toString"],
  ["keys/__proto__", "__proto__"],
  ["playground?model=__proto__", "__proto__"],
  ["models", "hasOwnProperty"],
  ["clients", "Claude Code"],
  ["config", "hasOwnProperty"],
];

browserTests("names that are code or members of every object", {
  config: HOSTILE_CONFIG,
  async prepare(gateway) {
    for (const [index, name] of NAMES.entries()) {
      for (const model of [name, "mock-500", "hasOwnProperty"]) {
        const response = await gateway.call(
          "/v1/chat/completions",
          { model, messages: [{ role: "user", content: "Hi" }] },
          {
            authorization: `Bearer sk-hostile-0123456789-${index}`,
            "x-sluice-tags": name,
            "x-session-id": name,
          },
        );
        await response.body?.cancel();
      }
    }
    await hasRequests(gateway, 3 * NAMES.length);
  },
  tests: {
    "each view shows them as text": async (visit) => {
      const { page } = visit;
      await openView(visit, "overview");
      for (const [view, text] of HOSTILE_VIEWS) {
        await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
        await isLoaded(page, view);
        const shown = `[document.querySelector("main").innerText,
          ...[...document.querySelectorAll("main :is(input, textarea)")].map(({ value }) => value)]`;
        await page.waitForFunction(`${shown}.join().includes(${JSON.stringify(text)})`)
          .catch(() => seesText(page, text, `main > [data-view="${view}"]`));
        assertEquals(await page.$$('img[src="x"], [onerror]'), [], view);
      }
      // No object has got a member, and none has lost its own.
      assertEquals(
        await page.evaluate(
          `[Object.keys(Object.prototype), typeof ({}).toString, {}.constructor ===
          Object].join()`,
        ),
        ",function,true",
      );
    },
  },
});
