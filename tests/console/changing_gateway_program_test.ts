/**
 * The console while the gateway changes beneath it: it restarts, revokes the key of the page, or
 * answers slowly; and two tabs. No view needs a reload.
 */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import { type Running, startSluice } from "../support/process.ts";
import {
  ADMIN_KEY,
  browserSteps,
  hasRequests,
  openView,
  seesText,
  type Served,
  SERVICE_KEY,
  startGateway,
  textOf,
} from "./browser.ts";
import { pickModel, read, send } from "./playground_support.ts";
import { freePort } from "../support/free_port.ts";

const BODY = { model: "mock-echo", messages: [{ role: "user", content: "Hi" }] };

const directory = Deno.makeTempDirSync({ prefix: "sluice-" });
Deno.test.afterAll(() => Deno.removeSync(directory, { recursive: true }));

/** The gateway with the same port and store after a restart. */
interface Restarted {
  readonly gateway: Served;
  /** Ends the process, and starts it again when the function is called. */
  stop(): Promise<() => Promise<void>>;
}

async function startRestarted(owned: AsyncDisposableStack): Promise<Restarted> {
  const gateway = await startGateway({
    server: { port: freePort() },
    store: `sqlite:${directory}/changing.db`,
    providers: { mock: { kind: "mock", models: ["mock-echo", "mock-slow"] } },
  });
  let current: Running = gateway.process;
  owned.defer(() => current[Symbol.asyncDispose]());
  const stop = async () => {
    await current[Symbol.asyncDispose]();
    return async () => {
      current = startSluice([], { files: { "config.yaml": gateway.config } });
      await current.logged("Next steps");
    };
  };
  return { gateway, stop };
}

/** Creates a key. */
async function createKey(gateway: Served, name: string): Promise<{ id: string; key: string }> {
  return await (await gateway.call("/v1/admin/keys", { name })).json();
}

async function revoke(gateway: Served, id: string): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/admin/keys/${id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, connection: "close" },
  });
  await response.body?.cancel();
  assertEquals(response.status, 200);
}

/** What an element of this page has until the page is loaded again. */
function mark(page: Page): Promise<unknown> {
  return page.evaluate("globalThis.isSamePage = true");
}

async function isSamePage(page: Page): Promise<void> {
  assertEquals(await read(page, "globalThis.isSamePage === true"), true);
}

browserSteps<Restarted>("the console while the gateway changes", {
  async "a gateway that restarts is found again by each view, without a reload"(visited) {
    const { page, gateway, stop } = visited;
    await (await gateway.call("/v1/chat/completions", BODY)).body?.cancel();
    await hasRequests(gateway, 1);
    // One page for each view, so that one restart is enough.
    const views: [string, string][] = [
      ["requests", "1 shown"],
      ["usage", "By bill"],
      ["savings", "Saved, net"],
      ["keys", "config.yaml"],
      ["models", "2 of 2 names"],
      ["status", "mock"],
    ];
    const pages = [page];
    while (pages.length < views.length) pages.push(await page.browserContext().newPage());
    for (const [index, [view, text]] of views.entries()) {
      const own = pages[index] as Page;
      // A page in the background paints nothing.
      await own.bringToFront();
      await openView({ ...visited, page: own }, view);
      await seesText(own, text, "main");
      await mark(own);
    }
    // The list of requests is live.
    await page.bringToFront();
    await page.locator("::-p-aria(Live)").click();
    await page.waitForSelector(".live-button.on");
    const start = await stop();
    await page.waitForSelector("main[data-away]");
    await seesText(page, "Not reachable since ", ".top-bar");
    await seesText(page, "next try in ", ".top-bar");
    const liveNote = `getComputedStyle(document.querySelector(".live-button"), "::after").content`;
    assertEquals(await read(page, liveNote), '"– not now"');
    for (const [index, [view, text]] of views.entries()) {
      const own = pages[index] as Page;
      await own.bringToFront();
      if (view !== "status") {
        // Each view has something that loads its data.
        await own.evaluate(
          view === "keys"
            ? `document.querySelector("main input[type=checkbox]").click()`
            : `[...document.querySelectorAll("main button")].find((button) =>
                button.innerText === "Refresh").click()`,
        );
        await seesText(own, "Cannot connect to the gateway", "main");
      }
      // What was there stays.
      if (view !== "keys") await seesText(own, text, "main");
    }
    await start();
    for (const [index, [, text]] of views.entries()) {
      const own = pages[index] as Page;
      await own.bringToFront();
      await own.waitForFunction(
        `!document.querySelector("main").innerText.includes("Cannot connect to the gateway")`,
      );
      await seesText(own, text, "main");
      await own.waitForSelector("main:not([data-away])");
      await isSamePage(own);
    }
    await Promise.all(pages.slice(1).map((own) => own.close()));
  },

  async "a key that is revoked is said in each view, and another one keeps the work"(visited) {
    const { page, gateway } = visited;
    const { id, key } = await createKey(gateway, "leaving");
    await openView(visited, "playground", { service: key });
    await pickModel(page, "mock-echo");
    await send(page, "Before");
    await seesText(page, "You said: Before", ".answer");
    await mark(page);
    await revoke(gateway, id);
    await send(page, "After");
    await seesText(page, "invalid_api_key", ".answer.selected, .answer:last-of-type, main");
    await seesText(page, "The gateway no longer accepts your key", ".alert-bar");
    await page.evaluate(`location.hash = "#/requests"`);
    await seesText(page, "invalid_api_key", "main .error-box");
    await seesText(page, "The gateway no longer accepts your key", ".alert-bar");
    await page.locator("::-p-aria(Sign in again)").click();
    await page.locator("dialog #sign-in-key").fill("sk-wrong-0123456789");
    await page.locator("dialog button[type=submit]").click();
    await seesText(page, "invalid_api_key", "dialog .error-box");
    await page.locator("dialog #sign-in-key").fill(SERVICE_KEY);
    await page.locator("dialog button[type=submit]").click();
    await page.waitForFunction(`document.querySelector("dialog, .alert-bar") === null`);
    // The view has loaded its data with the other key.
    await seesText(page, "1 shown", "main");
    await page.evaluate(`location.hash = "#/playground"`);
    await seesText(page, "You said: Before", ".answer");
    await isSamePage(page);
  },

  async "a new tab takes the key of another one, has its own conversation, and all sign out together"(
    visited,
  ) {
    const { page, gateway } = visited;
    await openView(visited, "playground", {});
    await pickModel(page, "mock-echo");
    await send(page, "In the first");
    await seesText(page, "You said: In the first", ".answer");
    const other = await page.browserContext().newPage();
    await other.goto(gateway.url);
    await other.waitForSelector(".example-list");
    assert(!(await textOf(other, "main")).includes("In the first"));
    assertEquals(await read(other, `localStorage.length + document.cookie`), "0");
    await other.locator("::-p-aria(Sign out)").click();
    await seesText(other, "Sign in");
    await seesText(page, "Sign in");
    assertEquals(await read(page, `sessionStorage.getItem("sluice.service_key")`), null);
    // A tab that is opened now has nobody to ask.
    const third = await page.browserContext().newPage();
    await third.goto(gateway.url);
    await seesText(third, "Sign in");
    await third.close();
    await other.close();
    await page.bringToFront();
  },

  async "on a slow network, something is shown before the code has arrived, and all of it works"(
    visited,
  ) {
    const { page, gateway } = visited;
    // A slow phone: 400 ms until the first byte, 50 kB in a second.
    await page.emulateNetworkConditions({ download: 50_000, upload: 20_000, latency: 400 });
    await page.evaluateOnNewDocument(
      `sessionStorage.setItem("sluice.service_key", ${JSON.stringify(SERVICE_KEY)});`,
    );
    const going = page.goto(`${gateway.url}/#/requests`);
    await page.waitForSelector(".top-bar .brand");
    const isEarly = await read(page, `document.querySelector("main") === null`);
    await going;
    await seesText(page, "shown", "main");
    assert(isEarly, "the page is empty until its code has arrived");
    await page.evaluate(`document.querySelector('nav a[href="#/usage"]').click()`);
    // While the code of a view arrives, it says so.
    await page.waitForSelector("main .loading");
    await seesText(page, "By bill", "main");
    assert(!(await textOf(page)).includes("cannot be loaded"));
  },
}, startRestarted);
