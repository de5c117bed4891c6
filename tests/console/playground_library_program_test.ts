/** Conversations and settings that are saved in the browser, in a file and in a link. */

import { assert, assertEquals } from "@std/assert";
import type { Page } from "puppeteer-core";
import { ADMIN_KEY, seesText, SERVICE_KEY } from "./browser.ts";
import {
  click,
  openPlayground,
  pickModel,
  playgroundTests,
  type PlaygroundVisit,
  read,
  send,
  setParameter,
  write,
} from "./playground_support.ts";

const TURNS = `[...document.querySelectorAll(".turn .plain-text")].map((e) => e.innerText)`;
const COPY =
  `navigator.clipboard.writeText = (text) => { globalThis.copied = text; return Promise.resolve(); };`;

/** A conversation of one turn, with a setting. */
async function converse(visit: PlaygroundVisit, text: string): Promise<void> {
  const { page } = visit;
  await openPlayground(visit);
  await pickModel(page, "plain");
  await page.type("#system", "Be kind");
  await send(page, text);
  await seesText(page, "Seen.", ".answer");
}

async function saveAs(page: Page, name: string, what: string): Promise<void> {
  await click(page, "Save and open");
  await page.waitForSelector("#library-name");
  await page.type("#library-name", name);
  await click(page, `Save the ${what}`);
  await seesText(page, `'${name}' is saved`, "dialog");
  await close(page);
}

async function close(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { hidden: true });
}

/** The address of the link, as it is copied. */
async function copyLink(page: Page): Promise<string> {
  await page.evaluate(COPY);
  await click(page, "Save and open");
  await click(page, "Copy a link");
  await seesText(page, "The link is copied", "dialog");
  await close(page);
  return await read<string>(page, "globalThis.copied");
}

/** The text of the exported file. */
async function exportFile(
  page: Page,
  button = "Export a file",
  name = "conversation.json",
): Promise<string> {
  await page.evaluate(`const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => (globalThis.exported = blob.text(), make.call(URL, blob));
    HTMLAnchorElement.prototype.click = function () { globalThis.fileName = this.download; };`);
  await click(page, "Save and open");
  await click(page, button);
  await page.waitForFunction("globalThis.exported !== undefined");
  await close(page);
  assertEquals(await read(page, "globalThis.fileName"), name);
  return await read<string>(page, "globalThis.exported");
}

/** @param isEnd whether the dialog closes, or shows what is wrong */
async function importFile(page: Page, text: string, isEnd = true): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(path, text);
    await click(page, "Save and open");
    const input = await page.waitForSelector("input[aria-label='File to import']");
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    await page.waitForFunction(
      isEnd
        ? `!document.querySelector("dialog") || document.querySelector("dialog .fault")`
        : `document.querySelector("dialog [role=status]").innerText !== ""`,
    );
  } finally {
    await Deno.remove(path);
  }
}

playgroundTests("what the playground saves and opens in Chromium", {
  async "a saved conversation is there after signing out, and goes on"(visit) {
    const { page, vendor } = visit;
    await converse(visit, "The first");
    await saveAs(page, "Weather", "conversation");
    await page.locator("::-p-aria(Sign out)").click();
    await seesText(page, "Sign in");
    await page.type("#service-key", SERVICE_KEY);
    await page.click("button[type=submit]");
    await page.waitForSelector(".example-list");
    const sent = vendor.bodies.length;
    await click(page, "Save and open");
    await click(page, "Weather");
    await seesText(page, "Seen.", ".answer");
    assertEquals(await read(page, TURNS), ["The first"]);
    assertEquals(await read(page, `document.querySelector("#system").value`), "Be kind");
    assertEquals(vendor.bodies.length, sent);
    await send(page, "The second");
    await page.waitForFunction("document.querySelectorAll('.answer').length === 2");
    await seesText(page, "Seen.", ".turn:nth-of-type(2) .answer");
    assertEquals(
      vendor.bodies.at(-1).messages.map(({ content }: { content: string }) => content),
      ["Be kind", "The first", "Seen.", "The second"],
    );
    await click(page, "Save and open");
    await click(page, "Remove 'Weather'");
    await page.waitForSelector(".library", { hidden: true });
    assertEquals(await read(page, `localStorage.getItem("sluice.playground.saved")`), "[]");
  },

  async "nothing is saved beyond the tab without being asked"(visit) {
    const { page } = visit;
    await converse(visit, "Not kept");
    await click(page, "Save and open");
    await page.waitForSelector("#library-name");
    assertEquals(await read(page, "localStorage.length"), 0);
  },

  async "saved settings leave the conversation as it is"(visit) {
    const { page } = visit;
    await converse(visit, "Stays");
    await setParameter(page, "top_p", "0.5");
    await saveAs(page, "Careful", "settings");
    await write(page, "Message", "Added");
    await click(page, "Send");
    await page.waitForFunction("document.querySelectorAll('.answer .figures').length === 2");
    await page.evaluate(`document.querySelector("#system").value = "";
      document.querySelector("#system").dispatchEvent(new Event("input", { bubbles: true }));`);
    await pickModel(page, "mock-echo");
    await click(page, "Save and open");
    await click(page, "Careful");
    await page.waitForFunction(`document.querySelector("#system").value === "Be kind"`);
    assertEquals(await read(page, `document.querySelector("[role=combobox]").value`), "plain");
    assertEquals(await read(page, TURNS), ["Stays", "Added"]);
  },

  async "a file holds conversation, settings and draft, and sends nothing"(visit) {
    const { page, vendor } = visit;
    await converse(visit, "In a file");
    await write(page, "Message", "A draft");
    const text = await exportFile(page);
    assert(!text.includes(SERVICE_KEY) && !text.includes(ADMIN_KEY));
    await click(page, "Clear the conversation");
    await page.waitForSelector(".example-list");
    const sent = vendor.bodies.length;
    await importFile(page, text);
    await seesText(page, "Seen.", ".answer");
    assertEquals(await read(page, TURNS), ["In a file"]);
    assertEquals(
      await read(page, `document.querySelector("[aria-label=Message]").value`),
      "A draft",
    );
    await importFile(page, text.replace(`"role":"assistant"`, `"role":"system"`));
    await seesText(page, "must be answers of a model", "dialog .fault");
    assertEquals(await read(page, TURNS), ["In a file"]);
    assertEquals(vendor.bodies.length, sent);
  },

  async "all that is saved is exported as one file, which is added to what is there"(visit) {
    const { page, vendor } = visit;
    await converse(visit, "The first");
    await saveAs(page, "One", "conversation");
    await saveAs(page, "Kind", "settings");
    const text = await exportFile(page, "Export all that is saved", "playground.json");
    assert(!text.includes(SERVICE_KEY));
    const names = `[...document.querySelectorAll(".library .grow")].map((e) => e.innerText.trim())`;
    await click(page, "Save and open");
    await click(page, "Remove 'Kind'");
    await page.waitForFunction(`${names}.length === 1`);
    await close(page);
    const sent = vendor.bodies.length;
    // One entry is there, one is missing, and one has the name of another text.
    const file = JSON.parse(text);
    file.entries.push({ ...file.entries[0], name: "One" });
    await importFile(page, JSON.stringify(file), false);
    await seesText(page, "2 added", "dialog");
    assertEquals((await read<string[]>(page, names)).toSorted(), ["Kind", "One", "One (2)"]);
    await close(page);
    await importFile(page, JSON.stringify(file), false);
    await seesText(page, "All of them were there", "dialog");
    await close(page);
    file.entries[0].saved.turns = "none";
    await importFile(page, JSON.stringify(file));
    await seesText(page, "entries[0]: 'turns' must be a list", "dialog .fault");
    assertEquals((await read<string[]>(page, names)).length, 3);
    await click(page, "One");
    await seesText(page, "Seen.", ".answer");
    assertEquals(vendor.bodies.length, sent);
  },

  async "a link is offered after signing in, and sends nothing by itself"(visit) {
    const { page, vendor } = visit;
    await converse(visit, "In a link");
    const link = await copyLink(page);
    const sent = vendor.bodies.length;
    const context = await page.browser().createBrowserContext();
    try {
      const other = await context.newPage();
      const asked: string[] = [];
      other.on("request", (request) => void asked.push(`${request.method()} ${request.url()}`));
      await other.goto(link);
      await other.waitForSelector("#service-key");
      await other.type("#service-key", SERVICE_KEY);
      await other.click("button[type=submit]");
      await seesText(other, "Open it only if you trust", "dialog");
      await seesText(other, "plain", "dialog .link-facts");
      await seesText(other, "system message", "dialog .link-facts");
      assertEquals(await read(other, TURNS), []);
      assertEquals(await read(other, "location.hash"), "#/playground");
      await click(other, "Open it");
      await seesText(other, "Seen.", ".answer");
      assertEquals(await read(other, TURNS), ["In a link"]);
      await new Promise((resolve) => setTimeout(resolve, 300));
      assertEquals(asked.filter((request) => request.startsWith("POST")), []);
      // What the server sees of an address ends before #.
      assertEquals(asked.filter((request) => request.split("#")[0]?.includes("open=")), []);
    } finally {
      await context.close();
    }
    assertEquals(vendor.bodies.length, sent);
  },

  async "a link that is left, or damaged, changes nothing"(visit) {
    const { page } = visit;
    await converse(visit, "Mine");
    const link = await copyLink(page);
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(link).hash)}`);
    await seesText(page, "A conversation from a link", "dialog");
    await click(page, "Leave it");
    await page.waitForSelector("dialog", { hidden: true });
    await page.evaluate(`location.hash = "#/playground?open=zzzz"`);
    await seesText(page, "The link is damaged", "dialog .fault");
    assertEquals(await page.$$("dialog .primary"), []);
    await close(page);
    assertEquals(await read(page, TURNS), ["Mine"]);
  },

  async "what contains a key is neither saved nor shared"(visit) {
    const { page } = visit;
    await page.evaluateOnNewDocument(COPY);
    await converse(visit, `Is ${SERVICE_KEY} a key?`);
    await click(page, "Save and open");
    await page.waitForSelector("#library-name");
    await page.type("#library-name", "Key");
    for (const name of ["Copy a link", "Export a file", "Save the conversation"]) {
      await click(page, name);
      await seesText(page, "It contains a key of this gateway", "dialog .fault");
    }
    assertEquals(await read(page, "globalThis.copied ?? ''"), "");
    assertEquals(await read(page, "localStorage.length"), 0);
  },
});
