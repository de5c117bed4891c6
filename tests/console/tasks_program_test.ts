/**
 * What people come to the console for, done by clicks and keys as they would: twenty tasks, each in
 * at most a number of clicks. Enter, Ctrl Enter and Ctrl K count as clicks; typed text does not.
 * With `SLUICE_TEST_TASKS=file`, the clicks and the seconds of each task are added to that file.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "puppeteer-core";
import { browserSteps, openView, seesText, type Served, textOf, type Visit } from "./browser.ts";
import { startBusyGateway } from "./busy_gateway.ts";
import { press } from "./playground_support.ts";

/** A person at the page, whose clicks are counted. */
class Person {
  readonly page: Page;
  readonly gateway: Served;
  clicks = 0;

  constructor({ page, gateway }: Visit) {
    this.page = page;
    this.gateway = gateway;
  }

  /** Clicks what has this selector, once it is there and at rest. */
  async click(selector: string): Promise<void> {
    this.clicks++;
    await this.page.locator(selector).click();
  }

  /** Clicks a button, a link or an item of a menu by its whole name. */
  async choose(name: string, within = "body"): Promise<void> {
    await this.click(`${within} ::-p-aria(${name})`);
  }

  /** Opens a view by its link in the rail. */
  async open(view: string): Promise<void> {
    await this.click(`nav.rail a[href="#/${view}"]`);
  }

  async type(selector: string, text: string): Promise<void> {
    await this.page.locator(selector).fill(text);
  }

  async enter(): Promise<void> {
    this.clicks++;
    await this.page.keyboard.press("Enter");
  }

  /** Opens the palette, and writes into it. */
  async search(text: string): Promise<void> {
    this.clicks++;
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press("k");
    await this.page.keyboard.up("Control");
    await this.page.waitForSelector("dialog.palette[open] input:focus");
    await this.page.keyboard.type(text);
  }

  sees(text: string, selector = "main"): Promise<void> {
    return seesText(this.page, text, selector);
  }

  read(selector = "main"): Promise<string> {
    return textOf(this.page, selector);
  }
}

interface Task {
  readonly name: string;
  /** Where the person is: an admin is at the overview, a developer in the playground. */
  readonly from: "overview" | "playground";
  /** The clicks of the console before it was redesigned; undefined if the task was impossible. */
  readonly before: number | undefined;
  readonly most: number;
  readonly run: (person: Person) => Promise<void>;
}

/** The first row of a list, which leads to its details. */
const FIRST_ROW = "main .tbl tbody tr[data-row] th a";
const NEW_KEY = "sk-sluice-";

const DEVELOPER: readonly Task[] = [
  {
    ...{ name: "try a model", from: "playground", before: 1, most: 1 },
    async run(person) {
      await person.choose("Ask a question A first answer, streamed");
      await person.sees("Total", ".answer");
    },
  },
  {
    ...{ name: "compare three models", from: "playground", before: 2, most: 3 },
    async run(person) {
      await person.choose("Compare");
      await person.choose("Compare");
      await person.type("textarea[aria-label=Message]", "Which is the largest ocean?");
      person.clicks++;
      await person.page.locator("textarea[aria-label=Message]").click();
      await press(person.page, "Control", "Enter");
      await person.page.waitForFunction(
        `[...document.querySelectorAll(".answer")]
          .filter(({ innerText }) => innerText.includes("Total")).length === 3`,
      );
    },
  },
  {
    ...{ name: "structured output", from: "playground", before: 1, most: 1 },
    async run(person) {
      await person.choose("Fill a JSON schema An answer that fits response_format");
      await person.sees("Total", ".answer");
      await person.sees("{", ".answer");
    },
  },
  {
    ...{ name: "tools", from: "playground", before: 2, most: 2 },
    async run(person) {
      await person.choose("Call a tool The model calls a function; you answer in its place");
      await person.type(`textarea[aria-label="Result of get_weather"]`, `{"rain_mm": 6}`);
      await person.choose("Send the result");
      await person.sees("The tool answered");
    },
  },
  {
    ...{ name: "generate an image", from: "playground", before: undefined, most: 2 },
    async run(person) {
      await person.choose("Image");
      await person.type(`.media-form textarea`, "A lighthouse");
      await person.choose("Create");
      await person.page.waitForSelector(".media-images img");
    },
  },
];

const OPERATOR: readonly Task[] = [
  {
    ...{ name: "why slow", from: "overview", before: 3, most: 2 },
    async run(person) {
      await person.click(`main dl a[href*="sort=first_token_ms"]`);
      await person.click(FIRST_ROW);
      await person.sees("Waited 11.3 s in the queue", ".details");
    },
  },
  {
    ...{ name: "why expensive", from: "overview", before: 3, most: 2 },
    async run(person) {
      await person.click(`main dl a[href*="sort=cost_usd"]`);
      await person.click(FIRST_ROW);
      await person.sees("31,000", ".details");
      assertMatch(await person.read(".details"), /reasoning\s+22,000\s+\$15\.00/);
    },
  },
  {
    ...{ name: "why failed", from: "overview", before: 2, most: 2 },
    async run(person) {
      await person.click(`main [aria-labelledby="fails-title"] a[href*="/requests/"]`);
      await person.sees("The mock was asked for a 502", ".details");
    },
  },
  {
    ...{ name: "what is down", from: "overview", before: 0, most: 0 },
    run: (person) => person.sees("azure-westeurope mock-502 has been failing", "h1"),
  },
  {
    ...{ name: "down since when", from: "overview", before: undefined, most: 0 },
    async run(person) {
      await person.sees("failing since", "h1");
      assertMatch(await person.read("h1"), /failing since \d\d:\d\d$/);
      // Another provider is silent after its last attempts have failed.
      assertMatch(await person.read(), /vllm-basement\s+llama-4-scout\s+Silent\s+\d\d:\d\d/);
    },
  },
  {
    ...{ name: "find a request by its ID", from: "overview", before: 3, most: 2 },
    async run(person) {
      await person.search("req_hedged");
      await person.sees("req_hedged", "#palette-list");
      await person.enter();
      await person.sees("the hedge at bedrock-frankfurt", ".details");
    },
  },
  {
    ...{ name: "change an alias, see the difference, save", from: "overview", before: 3, most: 3 },
    async run(person) {
      await person.open("config");
      await person.sees("No problems");
      await editText(person.page, "fast: gpt-5.4-mini", "fast: gpt-5.4");
      await person.choose("Review and save");
      await person.sees("gpt-5.4-mini", "dialog");
      await person.choose("Save and load", "dialog");
      await person.page.waitForFunction(`document.querySelector("dialog") === null`);
    },
  },
  {
    ...{ name: "roll back", from: "overview", before: 4, most: 5 },
    async run(person) {
      await person.open("config");
      await person.click(".config-versions button");
      await person.choose("Put it into the editor", "dialog");
      await person.choose("Review and save");
      await person.choose("Save and load", "dialog");
      await person.page.waitForFunction(`document.querySelector("dialog") === null`);
      const answer = await person.gateway.call("/v1/models/fast");
      assertEquals((await answer.json()).root, "gpt-5.4-mini");
    },
  },
];

const MANAGER: readonly Task[] = [
  {
    ...{ name: "who spends, last month", from: "overview", before: 7, most: 2 },
    async run(person) {
      await person.choose("Last month by team");
      await person.sees("payments", "main section table");
      await person.click("::-p-xpath(//main//button[normalize-space()='Owner'])");
      await person.sees("Ada Osei", "main section table");
    },
  },
  {
    ...{ name: "savings", from: "overview", before: 2, most: 1 },
    async run(person) {
      await person.open("savings");
      await person.sees("Prompt caching");
    },
  },
  {
    ...{ name: "which key nears its budget", from: "overview", before: undefined, most: 1 },
    async run(person) {
      await person.open("keys");
      await person.sees("is over 90 % of its budget", "h1");
      assertMatch(await person.read(".tbl tbody tr"), /^support-bot\s[^]*9\d %/);
    },
  },
  {
    ...{ name: "last month's cost per team", from: "overview", before: 7, most: 2 },
    async run(person) {
      await person.choose("Last month by team");
      await person.sees("payments", "main section table");
      assertMatch(await person.read("main section table"), /finance[^]*\$\d/);
    },
  },
  {
    ...{
      name: "create a key with a budget and hand it over",
      from: "overview",
      before: 4,
      most: 5,
    },
    async run(person) {
      await person.open("keys");
      await person.choose("Create key");
      await person.type("#key-name", "hand-over");
      await person.type("#key-usd", "25");
      await person.enter();
      await person.sees(NEW_KEY, "[data-secret=key]");
      await copies(person, "Copy key", NEW_KEY);
      await person.choose("I have copied it");
      await person.sees("hand-over", ".tbl");
    },
  },
  {
    ...{ name: "Claude Code for a colleague", from: "overview", before: undefined, most: 5 },
    async run(person) {
      await person.open("keys");
      await person.choose("Create key");
      await person.type("#key-name", "colleague");
      await person.enter();
      await person.sees("ANTHROPIC_BASE_URL");
      await copies(person, "Copy message", person.gateway.url);
      await person.choose("I have copied it");
    },
  },
  {
    ...{ name: "revoke a leaked key", from: "overview", before: 2, most: 4 },
    async run(person) {
      const created = await person.gateway.call("/v1/admin/keys", { name: "leaked" });
      const { key } = await created.json();
      const asked: string[] = [];
      person.page.on("request", (request) => void asked.push(request.url()));
      await person.search(key);
      await person.sees("Key that begins with", "#palette-list");
      await person.enter();
      await person.choose("Revoke");
      await person.click("dialog button[type=submit]");
      await person.page.waitForFunction(`document.querySelector("dialog") === null`);
      const answer = await person.gateway.call("/v1/models", undefined, {
        authorization: `Bearer ${key}`,
      });
      assertEquals(answer.status, 401);
      await answer.body?.cancel();
      const secret = String(key).slice(18);
      assert(!asked.some((url) => url.includes(secret)), "the key leaves the page");
      assert(!String(await person.page.evaluate("location.href")).includes(secret));
    },
  },
];

/** Replaces a text in the editor, as a person who selects it and types. */
async function editText(page: Page, from: string, to: string): Promise<void> {
  const isDone = await page.evaluate(`(() => {
    const area = document.querySelector("#config-text");
    const start = area.value.indexOf(${JSON.stringify(from)});
    area.focus();
    area.setSelectionRange(start, start + ${from.length});
    return start >= 0 && document.execCommand("insertText", false, ${JSON.stringify(to)});
  })()`);
  assertEquals(isDone, true, `'${from}' is in the editor`);
}

/** Presses a button that copies, and checks what it copies. */
async function copies(person: Person, name: string, text: string): Promise<void> {
  await person.page.evaluate(
    "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }",
  );
  await person.choose(name);
  await person.page.waitForFunction(`window.copied?.includes(${JSON.stringify(text)})`);
}

async function perform(visited: Visit, task: Task): Promise<void> {
  const person = new Person(visited);
  await person.page.setViewport({ width: 1440, height: 900 });
  await openView(visited, task.from);
  await person.page.waitForSelector(task.from === "overview" ? "#fails-title" : ".example-list");
  const began = performance.now();
  await task.run(person);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const before = task.before ?? "impossible";
  const file = Deno.env.get("SLUICE_TEST_TASKS");
  const line = `| ${task.name} | ${before} | ${person.clicks} | ${seconds} s |\n`;
  if (file !== undefined) Deno.writeTextFileSync(file, line, { append: true });
  assert(person.clicks <= task.most, `${task.name} takes ${person.clicks} clicks`);
}

const TASKS = [...DEVELOPER, ...OPERATOR, ...MANAGER];

browserSteps(
  "twenty tasks in the console",
  Object.fromEntries(
    TASKS.map((task) => [task.name, (visited: Visit) => perform(visited, task)]),
  ),
  async (owned) => ({ gateway: await startBusyGateway(owned) }),
);
