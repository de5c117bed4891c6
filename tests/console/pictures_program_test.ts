/**
 * Every view as people see it: normal, empty, loading, with errors, without permission, and for an
 * admin who may only look; at the widths of a phone, a tablet and a screen, in both themes. Nothing
 * is cut, covered or outside the screen. With `SLUICE_TEST_PICTURES=folder`, the pictures are kept.
 */

import { assert, assertEquals } from "@std/assert";
import type { HTTPRequest, Page } from "puppeteer-core";
import { isAccessible } from "./accessible.ts";
import {
  browserSteps,
  browserTests,
  type Keys,
  openView,
  seesText,
  type Visit,
} from "./browser.ts";
import { startBusyGateway, VIEWER_KEY } from "./busy_gateway.ts";

const WIDTHS = [[1440, 900], [1024, 768], [390, 844]] as const;
const FOLDER = Deno.env.get("SLUICE_TEST_PICTURES");

/** The views, and a text of each when it has its data. */
const NORMAL: Readonly<Record<string, string>> = {
  overview: "Last month by team",
  requests: "50 shown",
  "requests/req_slow": "Waited 11.3 s",
  "requests/req_hedged": "the hedge at",
  "requests/req_cached": "Answered by the cache",
  sessions: "1 session",
  "sessions/session-7f3a-deep-research-of-suppliers": "9 requests",
  status: "Disabled providers",
  usage: "1 model has no price",
  savings: "Prompt caching",
  keys: "over 90 %",
  "keys/new": "For a person",
  playground: "Try a model",
  models: "7 models, 2 aliases",
  "models/smart": "Where its requests go",
  clients: "ANTHROPIC_BASE_URL",
  config: "No problems",
};

const EMPTY: Readonly<Record<string, string>> = {
  overview: "Nothing has been spent",
  requests: "No request",
  sessions: "No session",
  status: "Unused",
  usage: "No request",
  savings: "No request",
  keys: "Create key",
  models: "names",
};

/** Views that load data when they are opened. */
const LOADED = ["overview", "requests", "sessions", "status", "usage", "savings", "keys", "models"];

/** What is wrong with the layout of the page as it is now: an expression. */
const FAULTS = `(() => {
  const faults = [];
  const nameOf = (element) => element.tagName.toLowerCase() + " " +
    (element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 60);
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push("the page is " + scrollWidth + " px wide");
  const clips = new Map();
  // The box that an element is visible in, and whether it stays in place while others scroll.
  const clipOf = (element) => {
    if (element === null) {
      return { left: 0, right: innerWidth, top: -1e6, bottom: 1e6, fixed: false, scrolls: false };
    }
    if (clips.has(element)) return clips.get(element);
    const { overflowX, overflowY, position } = getComputedStyle(element);
    let clip = clipOf(element.parentElement);
    if (overflowX !== "visible" || overflowY !== "visible") {
      const box = element.getBoundingClientRect();
      clip = {
        left: Math.max(clip.left, box.left), right: Math.min(clip.right, box.right),
        top: Math.max(clip.top, box.top), bottom: Math.min(clip.bottom, box.bottom),
        fixed: clip.fixed,
        scrolls: clip.scrolls || /auto|scroll/.test(overflowX),
      };
    }
    if (position === "sticky" || position === "fixed") clip = { ...clip, fixed: true };
    clips.set(element, clip);
    return clip;
  };
  const isShown = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.closest(".only-read, .skip-link, dialog:not([open])") === null &&
    // The head of a table on phones is for screen readers only.
    !(innerWidth < 720 && element.closest("thead") !== null);
  for (const element of document.querySelectorAll("a[href], button, input, select, textarea")) {
    if (!isShown(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0) continue;
    const isAlways = element.closest(".act, .k") !== null;
    const isOut = box.left < -1 || box.right > innerWidth + 1;
    if (isOut && (isAlways || !clipOf(element).scrolls)) {
      faults.push(nameOf(element) + " is outside: " + Math.round(box.right));
    }
    if (element.matches("button, select") && Math.min(box.width, box.height) < 23.5) {
      faults.push(nameOf(element) + " is too small: " + box.width + " x " + box.height);
    }
  }
  for (const cell of document.querySelectorAll(".num, .number, .figure-value, .figure-big")) {
    if (isShown(cell) && cell.scrollWidth > cell.clientWidth + 1) {
      faults.push("the number " + cell.textContent.trim() + " is cut");
    }
  }
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    const element = node.parentElement;
    if (node.data.trim() === "" || element.closest("select, script, style, textarea")) continue;
    if (!isShown(element)) continue;
    const clip = clipOf(element);
    if (clip.fixed) continue;
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const left = Math.max(box.left, clip.left), right = Math.min(box.right, clip.right);
      const top = Math.max(box.top, clip.top), bottom = Math.min(box.bottom, clip.bottom);
      if (right - left > 2 && bottom - top > 4) texts.push({ left, right, top, bottom, node });
    }
  }
  texts.sort((one, other) => one.top - other.top);
  texts.forEach((one, index) => {
    for (let at = index + 1; at < texts.length && texts[at].top < one.bottom - 4; at++) {
      const other = texts[at];
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      if (one.node !== other.node && width > 2) {
        faults.push("“" + one.node.data.trim().slice(0, 40) + "” and “" +
          other.node.data.trim().slice(0, 40) + "” overlap");
      }
    }
  });
  return faults.slice(0, 8);
})()`;

/** Goes to a view without a new load. */
async function go({ page }: Visit, view: string, text: string): Promise<void> {
  await page.setViewport({ width: 1440, height: 900 });
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
  await seesText(page, text, "main");
}

const folder = FOLDER ?? Deno.makeTempDirSync({ prefix: "sluice-" });
Deno.mkdirSync(folder, { recursive: true });
Deno.test.afterAll(() => {
  if (FOLDER === undefined) Deno.removeSync(folder, { recursive: true });
});

/** Takes the pictures of what the page shows now, and checks its layout at each width. */
async function look(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [width, height] of WIDTHS) {
    await page.setViewport({ width, height });
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    const found = await page.evaluate(FAULTS) as string[];
    faults.push(...found.map((fault) => `${name} at ${width} px: ${fault}`));
    for (const theme of ["light", "dark"]) {
      await page.emulateMediaFeatures([
        { name: "prefers-color-scheme", value: theme },
        { name: "prefers-reduced-motion", value: "reduce" },
      ]);
      const path = `${folder}/${name.replaceAll("/", "_")}-${width}-${theme}.png` as const;
      await page.screenshot({ path, optimizeForSpeed: true });
    }
  }
  return faults;
}

/** Looks at some views, one after the other. */
async function lookAt(
  visited: Visit,
  state: string,
  views: Readonly<Record<string, string>>,
  keys?: Keys,
): Promise<void> {
  const { page } = visited;
  await page.setViewport({ width: 1440, height: 900 });
  await openView(visited, Object.keys(views)[0]?.split("/")[0] ?? "", keys);
  const faults: string[] = [];
  for (const [view, text] of Object.entries(views)) {
    await go(visited, view, text);
    faults.push(...await look(page, `${state}-${view}`));
    await isAccessible(page);
  }
  assertEquals(faults, []);
}

/** Answers the requests for data with an error, or never. */
async function intercept(page: Page, answer: (request: HTTPRequest) => unknown): Promise<void> {
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    void (pathname.startsWith("/v1/") ? answer(request) : request.continue());
  });
}

const BROKEN = {
  status: 503,
  contentType: "application/json",
  body: JSON.stringify({
    error: {
      message: "The ledger does not answer: timeout after 5 s",
      ...{ type: "api_error", param: null, code: "store_unavailable" },
    },
  }),
};

browserSteps("the views of the console in pictures", {
  "with data": (visited) => lookAt(visited, "normal", NORMAL),

  "to a service key": (visited) =>
    lookAt(visited, "service", {
      requests: "shown",
      status: "bedrock-frankfurt",
      usage: "Your key's usage",
      savings: "Requests from your key",
      models: "names",
      overview: "needs an admin key",
      keys: "needs an admin key",
      config: "admin key",
    }, {}),

  "to an admin who may only look": (visited) =>
    lookAt(visited, "viewer", { config: "edit_config", keys: "over 90 %", overview: "failing" }, {
      ...{ service: "", admin: VIEWER_KEY },
    }),

  async "while nothing is loaded yet"(visited) {
    const { page } = visited;
    const held: HTTPRequest[] = [];
    await intercept(page, (request) => held.push(request));
    await page.setViewport({ width: 1440, height: 900 });
    await openLoading(visited);
    const faults: string[] = [];
    for (const view of LOADED) {
      await page.evaluate(`location.hash = "#/${view}"`);
      await page.waitForSelector(`[data-view=${view}] [role=status]`);
      faults.push(...await look(page, `loading-${view}`));
    }
    assertEquals(faults, []);
    await Promise.all(held.map((request) => request.abort().catch(() => {})));
  },

  async "with errors"(visited) {
    const { page } = visited;
    await intercept(page, (request) => request.respond(BROKEN));
    await page.setViewport({ width: 1440, height: 900 });
    await openLoading(visited);
    const faults: string[] = [];
    for (const view of LOADED) {
      await page.evaluate(`location.hash = "#/${view}"`);
      await seesText(page, "The ledger does not answer", `[data-view=${view}]`);
      faults.push(...await look(page, `error-${view}`));
      await isAccessible(page);
    }
    assertEquals(faults, []);
  },
}, async (owned) => ({ gateway: await startBusyGateway(owned) }));

browserTests("the views of a new gateway in pictures", {
  config: {
    store: `sqlite:${folder}/empty.db`,
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  },
  tests: { "without any request": (visited) => lookAt(visited, "empty", EMPTY) },
});

/** Signs in while no request is answered. */
async function openLoading({ page, gateway }: Visit): Promise<void> {
  await page.evaluateOnNewDocument(
    `sessionStorage.setItem("sluice.service_key", "sk-any");
    sessionStorage.setItem("sluice.admin_key", "sk-any");`,
  );
  await page.goto(`${gateway.url}/#/clients`);
  assert(await page.waitForSelector("nav.rail"));
}
