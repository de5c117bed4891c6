/** What the tests of the playground share: a gateway in front of a vendor, and a person's actions. */

import type { Page } from "puppeteer-core";
import { browserSteps, openView, startGateway, type Visit } from "./browser.ts";
import { ConsoleVendor, HOSTILE } from "./vendor.ts";

/** A visit of the playground. */
export interface PlaygroundVisit extends Visit {
  readonly vendor: ConsoleVendor;
}

/** Registers a test with one step for each of these functions. Each step has a new page. */
export function playgroundTests(
  title: string,
  steps: Readonly<Record<string, (visit: PlaygroundVisit) => Promise<void>>>,
): void {
  browserSteps(title, steps, async (owned) => {
    const vendor = owned.use(new ConsoleVendor());
    return { vendor, gateway: owned.use(await startGateway(toConfig(vendor.baseUrl))) };
  });
}

function toConfig(base_url: string) {
  const priced = { prices: { input: 1, output: 2 }, context_window: 8192 };
  return {
    providers: {
      mock: {
        kind: "mock",
        models: [{ id: "mock-echo", ...priced }, "mock-slow", "mock-500", "mock-cut", "mock-picky"],
      },
      vendor: {
        kind: "openai_compatible",
        base_url,
        models: ["endless", "long", "thinking", "refused", "plain", "markdown", "bad-call", {
          id: HOSTILE,
          upstream: "hostile",
        }],
      },
    },
    aliases: { fast: ["mock-500", "mock-echo"] },
  };
}

/** Opens the playground with a service key. */
export async function openPlayground(visited: Visit): Promise<void> {
  await openView(visited, "playground", {});
  await visited.page.waitForSelector(".example-list");
}

/** Chooses a model by its name. @param column from 0 */
export async function pickModel(page: Page, model: string, column = 0): Promise<void> {
  const pickers = `document.querySelectorAll("input[role=combobox]")`;
  await page.waitForFunction(`${pickers}.length > ${column}`);
  const picker = (await page.$$("input[role=combobox]"))[column];
  if (picker === undefined) throw new RangeError(`There is no model ${column}`);
  await picker.click();
  await picker.evaluate((input) => (input as unknown as { select(): void }).select());
  await picker.type(model);
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    `((picker) => picker.value === ${JSON.stringify(model)} &&
      picker.ariaExpanded === "false")(${pickers}[${column}])`,
  );
}

/** Writes a text into a field that has this label. */
export async function write(page: Page, label: string, text: string): Promise<void> {
  await page.type(`textarea[aria-label="${label}"]`, text);
}

/** Writes a message and sends it by keyboard. */
export async function send(page: Page, text: string): Promise<void> {
  await write(page, "Message", text);
  await press(page, "Control", "Enter");
}

/** Presses a key while another one is held. */
export async function press(
  page: Page,
  held: "Control" | "Shift",
  key: "Enter" | "/",
): Promise<void> {
  await page.keyboard.down(held);
  await page.keyboard.press(key);
  await page.keyboard.up(held);
}

/** Clicks a button by its label or text, wherever it is: the page may move while answers grow. */
export async function click(page: Page, name: string): Promise<void> {
  const button = await page.waitForSelector(`aria/${name}[role="button"]`);
  await button?.evaluate((element) => (element as unknown as { click(): void }).click());
}

/** Evaluates an expression in the page. */
export async function read<Value>(page: Page, expression: string): Promise<Value> {
  return await page.evaluate(expression) as Value;
}

/** Shows the parameters, and writes one. */
export async function setParameter(page: Page, name: string, text: string): Promise<void> {
  await click(page, "Parameters");
  const more = await page.waitForSelector(".settings .more");
  await more?.evaluate((details) => void ((details as unknown as { open: boolean }).open = true));
  const field = await page.waitForSelector(`aria/${name}[role="textbox"]`);
  await field?.type(text);
}
