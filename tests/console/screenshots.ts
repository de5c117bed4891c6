/**
 * Writes the pictures of the console's views into `.github/console/`, of a gateway with simulated
 * providers and a made-up week: `deno task screenshots`.
 */

import type { Page } from "puppeteer-core";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import { Random } from "../support/random.ts";
import { usageRow, writeRows } from "../support/usage_rows.ts";
import { launchBrowser, openView, seesText, type Served, startGateway, visit } from "./browser.ts";
import { pickModel, send } from "./playground_support.ts";
import { toSmallPng } from "./small_png.ts";

const FOLDER = new URL("../../.github/console/", import.meta.url).pathname;
const SIZE = { width: 1280, height: 760 };
const HOUR_MS = 3_600_000;
const WEEK_HOURS = 7 * 24;
/** Milliseconds of traffic before the state is shown. */
const TRAFFIC_MS = 20_000;

/** Requests before the first picture. */
const WARM_UP_REQUESTS = 200;

interface Model {
  readonly id: string;
  readonly provider: string;
  readonly upstream: string;
  /** US dollars per million tokens. */
  readonly prices?: { readonly input: number; readonly output: number };
  /** Its share of the requests. */
  readonly share: number;
}

const MODELS: readonly Model[] = [
  model("chat-small", "east", "mock-echo", 0.5, { input: 0.4, output: 1.6 }),
  model("chat-large", "west", "mock-echo", 0.25, { input: 3, output: 15 }),
  model("reasoner", "east", "mock-slow", 0.15, { input: 5, output: 25 }),
  model("local-chat", "home", "mock-echo", 0.1),
];
const KEYS = ["web", "search", "batch"];

function model(
  id: string,
  provider: string,
  upstream: string,
  share: number,
  prices?: Model["prices"],
): Model {
  return { id, provider, upstream, share, ...(prices && { prices }) };
}

function toConfig(directory: string): Record<string, unknown> {
  const modelsOf = (name: string) =>
    MODELS.filter(({ provider }) => provider === name)
      .map(({ id, upstream, prices }) => ({ id, upstream, ...(prices && { prices }) }));
  return {
    store: `sqlite:${directory}/sluice.db`,
    providers: {
      east: { kind: "mock", models: modelsOf("east") },
      west: { kind: "mock", models: modelsOf("west") },
      north: { kind: "mock", retries: 1, models: [{ id: "vision", upstream: "mock-500" }] },
      home: { kind: "mock", models: modelsOf("home") },
      cloud: { kind: "openai", api_key: "${CLOUD_API_KEY}", models: ["gpt"] },
    },
    aliases: { fast: ["vision", "reasoner"] },
  };
}

/** Requests of a week: more by day than by night, and a few that failed. */
function* weekBefore(now: number): Generator<LedgerRow> {
  const random = new Random(7);
  for (let hour = WEEK_HOURS; hour > 0; hour--) {
    const start = now - hour * HOUR_MS;
    const ofDay = Math.sin(((new Date(start).getUTCHours() - 6) / 24) * 2 * Math.PI);
    const count = Math.round(14 + 10 * ofDay + random.below(6));
    for (let index = 0; index < count; index++) {
      yield row(start + (index / count) * HOUR_MS, random, `req_week_${hour}_${index}`);
    }
  }
}

function row(time: number, random: Random, id: string): LedgerRow {
  let left = random.next();
  const { provider, prices, ...chosen } = MODELS.find(({ share }) => (left -= share) <= 0) ??
    MODELS[0] as Model;
  const isFailed = random.chance(0.02);
  const input = isFailed ? 0 : 200 + random.below(3000);
  const output = isFailed ? 0 : 40 + random.below(900);
  const ms = 350 + output * 2.4 + random.below(400);
  return usageRow({
    ...{ id, time, provider, input, output, ms, cachedInput: Math.round(input / 4), reasoning: 0 },
    key: KEYS[random.below(KEYS.length)],
    model: chosen.id,
    upstream: chosen.upstream,
    tags: [`team:${["search", "support"][random.below(2)]}`],
    usd: isFailed || !prices ? undefined : (input * prices.input + output * prices.output) / 1e6,
    firstTokenMs: isFailed ? undefined : 140 + random.below(160),
    ...(isFailed && { status: 503, error: "overloaded", source: "none" as const }),
  });
}

/** Creates the keys, and sends requests for a while. */
async function sendTraffic(gateway: Served): Promise<void> {
  const expires = `${new Date().getUTCFullYear() + 1}-12-31`;
  const texts = await Promise.all(KEYS.map(async (name, index) => {
    const body = {
      name,
      limits: { requests_per_minute: [600, 300, 60][index], tokens_per_minute: 200_000 },
      budget: { usd: [200, 80, 25][index], per: "month" },
      ...(index === 2 && { models: ["chat-*", "local-*"], expires }),
    };
    return (await (await gateway.call("/v1/admin/keys", body)).json()).key as string;
  }));
  const random = new Random(3);
  const names = ["chat-small", "chat-small", "chat-large", "reasoner", "local-chat", "fast"];
  const end = Date.now() + TRAFFIC_MS;
  while (Date.now() < end) {
    const body = {
      model: names[random.below(names.length)],
      stream: random.chance(0.5),
      messages: [{ role: "user", content: "Which of these reports is the newest?" }],
    };
    void gateway.call("/v1/chat/completions", body, {
      authorization: `Bearer ${texts[random.below(texts.length)]}`,
      "x-sluice-tags": `team:${["search", "support"][random.below(2)]}`,
    }).then((response) => response.body?.cancel());
    await new Promise((resolve) => setTimeout(resolve, 60 + random.below(160)));
  }
}

/** Sends requests until the gateway is as fast as it stays. */
async function warmUp(gateway: Served): Promise<void> {
  const messages = [{ role: "user", content: "Hi" }];
  for (let count = 0; count < WARM_UP_REQUESTS; count++) {
    const body = { model: "chat-small", stream: true, messages };
    await (await gateway.call("/v1/chat/completions", body)).text();
  }
}

async function show(page: Page, gateway: Served): Promise<void> {
  const visited = { page, gateway, problems: [] };
  const save = async (name: string, height = SIZE.height) => {
    await page.evaluate("scrollTo(0, 0)");
    const clip = { x: 0, y: 0, ...SIZE, height };
    const picture = toSmallPng(await page.screenshot({ clip }));
    await Deno.writeFile(`${FOLDER}${name}.png`, picture);
    const size = Math.round(picture.length / 1000);
    Deno.stdout.writeSync(new TextEncoder().encode(`${name}.png: ${size} kB\n`));
  };
  await warmUp(gateway);
  await openView(visited, "playground");
  await page.waitForSelector(".example-list");
  await pickModel(page, "fast");
  await send(page, "Which of these reports is the newest?");
  await seesText(page, "Total");
  await page.locator("::-p-aria(Receipt)").click();
  await seesText(page, "Request to the vendor", ".receipt");
  await save("playground");
  await openView(visited, "status");
  await seesText(page, "Live");
  await sendTraffic(gateway);
  await save("status");
  await openView(visited, "requests?model=fast&provider=east");
  // The first ones: later ones do not ask the provider whose breaker is open.
  await page.locator("main tbody tr:last-child a").click();
  await seesText(page, "Whole request");
  await save("requests");
  await openView(visited, "usage?show=cost");
  await page.waitForSelector(".plot path");
  await save("usage");
  await openView(visited, "keys");
  await seesText(page, "sk-sluice-");
  await save("keys", 400);
}

const directory = Deno.makeTempDirSync({ prefix: "sluice-" });
Deno.mkdirSync(FOLDER, { recursive: true });
const store = new SqliteUsageStore(`${directory}/sluice.db`);
await writeRows(store, [...weekBefore(Date.now())]);
await store.close();
const browser = await launchBrowser(["--disable-lcd-text"]);
try {
  await using gateway = await startGateway(toConfig(directory));
  await visit(browser, gateway, async ({ page }) => {
    await page.setViewport(SIZE);
    await show(page, gateway);
  });
} finally {
  await browser.close();
  Deno.removeSync(directory, { recursive: true });
}
