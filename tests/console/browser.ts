/**
 * Tests in a real browser: Chromium of the system's packages, without a window. Where it is not
 * installed, they are skipped, and their names say so.
 */

import puppeteer, {
  type Browser,
  type BrowserContext,
  type ConnectionTransport,
  type Page,
} from "puppeteer-core";
import { untilReply } from "../support/elapse.ts";
import { type Running, startSluice } from "../support/process.ts";

/** The environment variable with the path of another browser. */
const VARIABLE = "SLUICE_TEST_BROWSER";
/** The variable with the address of a browser that all files share. */
export const SHARED_BROWSER = "SLUICE_TEST_BROWSER_URL";
const NAMES = ["chromium", "google-chrome-stable", "google-chrome"];

/** The path of the browser; undefined if none is installed. */
export const CHROMIUM: string | undefined = findBrowser();

const VIEWPORT = { width: 1280, height: 800 };

/** Milliseconds that a test waits for anything: much more than a busy machine needs. */
export const PATIENCE_MS = 30_000;

export const SERVICE_KEY = "sk-console-0123456789";
export const ADMIN_KEY = "sk-admin-console-0123456789";

/** A gateway in a separate process. */
export interface Served extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly process: Running;
  /** The text of config.yaml. */
  readonly config: string;
  /** Sends a request as a client does, with the right key; a body makes it a POST. */
  call(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Response>;
}

/** What a test gets. */
export interface Visit {
  readonly page: Page;
  readonly gateway: Served;
  /**
   * What the page must never do: violations of its policy, uncaught errors, errors in the console,
   * requests to other origins. The test fails if there is any at its end.
   */
  readonly problems: string[];
}

/** Tests that share a browser and a gateway. Each has a separate profile. */
export interface BrowserTests {
  /** The providers of the gateway, and other members of its configuration; or its whole text. */
  readonly config: Readonly<Record<string, unknown>> | string;
  /** Runs once, before the first test. */
  readonly prepare?: (gateway: Served) => Promise<void>;
  readonly tests: Readonly<Record<string, (visit: Visit) => Promise<void>>>;
}

/** Registers a test with one step for each of these tests. */
export function browserTests(title: string, { config, prepare, tests }: BrowserTests): void {
  browserSteps(title, tests, async (owned) => {
    const gateway = owned.use(await startGateway(config));
    await prepare?.(gateway);
    return { gateway };
  });
}

/** What the steps of a test share. */
interface Stage {
  readonly gateway: Served;
}

/**
 * Registers a test with one step for each of these functions. They share a browser.
 *
 * @param start makes what they share, besides the pages; what it adds to `owned` ends with the test
 */
export function browserSteps<Shared extends Stage>(
  title: string,
  steps: Readonly<Record<string, (visit: Visit & Shared) => Promise<void>>>,
  start: (owned: AsyncDisposableStack) => Promise<Shared>,
): void {
  const entries = Object.entries(steps);
  Deno.test({
    name: CHROMIUM === undefined
      ? `${title} (skipped ${entries.length} tests: no Chromium is installed)`
      : title,
    ignore: CHROMIUM === undefined,
    async fn(test) {
      await using owned = new AsyncDisposableStack();
      const shared = await start(owned);
      const browser = owned.adopt(...await findOrLaunch());
      for (const [name, step] of entries) {
        const run = (visited: Visit) => step({ ...visited, ...shared });
        // The browser is older than the step, so the test checks that nothing stays open.
        const sanitizers = { sanitizeOps: false, sanitizeResources: false };
        await test.step({ name, ...sanitizers, fn: () => visit(browser, shared.gateway, run) });
      }
    },
  });
}

/** The browser that all files share, or a new one; and what ends its use. */
async function findOrLaunch(): Promise<[Browser, (browser: Browser) => Promise<void>]> {
  const address = Deno.env.get(SHARED_BROWSER);
  if (!address) return [await launchBrowser(), (browser) => browser.close()];
  const socket = new WebSocket(address);
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const transport: ConnectionTransport = {
    send: (message) => socket.send(message),
    close: () => socket.close(),
  };
  socket.onopen = () => opened.resolve();
  socket.onerror = () => opened.reject(new Error(`Cannot connect to ${address}`));
  socket.onmessage = ({ data }) => transport.onmessage?.(data);
  socket.onclose = () => {
    transport.onclose?.();
    closed.resolve();
  };
  await opened.promise;
  const browser = await puppeteer.connect({
    transport,
    protocolTimeout: 2 * PATIENCE_MS,
    defaultViewport: VIEWPORT,
  });
  // The end of the connection is answered, too: a test must not end before.
  return [browser, (browser) => browser.disconnect().then(() => closed.promise)];
}

/** Starts the browser. Its owner closes it. @param args more arguments of its command line */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("No Chromium is installed");
  return await puppeteer.launch({
    executablePath: CHROMIUM,
    timeout: 2 * PATIENCE_MS,
    protocolTimeout: 2 * PATIENCE_MS,
    // Its sandbox needs rights that root in a container lacks, and its shared memory may be small.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", ...args],
    defaultViewport: VIEWPORT,
  });
}

/** Opens a page in a separate profile for a function, and checks what it has done. */
export async function visit(
  browser: Browser,
  gateway: Served,
  run: (visit: Visit) => Promise<void>,
): Promise<void> {
  const context: BrowserContext = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    const problems = await watch(page, gateway.url);
    await run({ page, gateway, problems });
    if (problems.length > 0) throw new Error(`The page has problems:\n${problems.join("\n")}`);
  } finally {
    await context.close();
  }
}

/** Records what a page must not do. */
async function watch(page: Page, origin: string): Promise<string[]> {
  const problems: string[] = [];
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("pageerror", (thrown) => void problems.push(`uncaught: ${thrown}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    // An answer with an error status is no fault of the page.
    const isStatus = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isStatus) problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || /^(data|blob):/.test(request.url());
    if (!isOwn) problems.push(`request to ${request.url()}`);
  });
  await page.evaluateOnNewDocument(
    `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
      console.error("policy: " + violatedDirective + " " + blockedURI + " " + sample));`,
  );
  return problems;
}

/** The keys that {@linkcode openView} signs in with: a service key, unless it is empty. */
export interface Keys {
  readonly service?: string;
  readonly admin?: string;
}

/** Signs in as the page stores keys, opens a view and waits until it has loaded. */
export async function openView(
  { page, gateway }: Visit,
  view: string,
  { service = SERVICE_KEY, admin = "" }: Keys = { admin: ADMIN_KEY },
): Promise<void> {
  await page.evaluateOnNewDocument(
    `sessionStorage.setItem("sluice.service_key", ${JSON.stringify(service)});
    sessionStorage.setItem("sluice.admin_key", ${JSON.stringify(admin)});`,
  );
  const response = await page.goto(`${gateway.url}/#/${view}`);
  // Only the part after # was different: the page itself has not been loaded again.
  if (response === null) await page.reload();
  await isLoaded(page, view);
}

/** Waits until a view has loaded. @param view such as `status` or `requests?status=error` */
export async function isLoaded(page: Page, view: string): Promise<void> {
  const [name = ""] = view.split(/[/?]/);
  await page.waitForFunction(
    `document.querySelector('nav a[aria-current="page"][href="#/${name}"]') !== null &&
      document.querySelector("main > :not(:has(.loading)) :is(h1, textarea, table)") !== null`,
  );
}

/** Waits until the ledger, which is written in the background, has this number of requests. */
export async function hasRequests(gateway: Served, count: number): Promise<void> {
  await untilReply(async () => {
    const { data } = await (await gateway.call("/v1/admin/requests?limit=200")).json();
    return data.length >= count;
  }, PATIENCE_MS);
}

/** Waits until the page shows a text. */
export async function seesText(page: Page, text: string, selector = "body"): Promise<void> {
  try {
    await page.waitForFunction(
      `document.querySelector(${JSON.stringify(selector)})?.innerText
        .includes(${JSON.stringify(text)})`,
    );
  } catch (thrown) {
    const shown = await textOf(page, selector);
    throw new Error(`The page does not show ${JSON.stringify(text)}, but:\n${shown}`, {
      cause: thrown,
    });
  }
}

/** The text that an element shows. */
export async function textOf(page: Page, selector = "body"): Promise<string> {
  return String(
    await page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText`),
  );
}

/** Starts a gateway whose console is on. It ends with its scope. */
export async function startGateway(config: BrowserTests["config"]): Promise<Served> {
  const text = typeof config === "string" ? config : toText(config);
  const running = startSluice([], { files: { "config.yaml": text } });
  await running.logged("Next steps");
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(running.stderr()) ?? [];
  if (url === undefined) {
    await running[Symbol.asyncDispose]();
    throw new Error(`The gateway did not start: ${running.stderr()}`);
  }
  return {
    url,
    process: running,
    config: text,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
    call: (path, body, headers = {}, signal) => {
      const key = path.startsWith("/v1/admin") ? ADMIN_KEY : SERVICE_KEY;
      return fetch(`${url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        // No connection stays open after the test.
        headers: { authorization: `Bearer ${key}`, connection: "close", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    },
  };
}

function findBrowser(): string | undefined {
  const given = Deno.env.get(VARIABLE);
  if (given !== undefined && given !== "") return given;
  const folders = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  return NAMES.flatMap((name) => folders.map((folder) => `${folder}/${name}`)).find(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function toText(config: Readonly<Record<string, unknown>>): string {
  const server = {
    port: 0,
    keys: [{ name: "console", key: SERVICE_KEY }],
    admin_keys: [{ name: "ops", key: ADMIN_KEY }],
    ...config.server as object,
  };
  return JSON.stringify({ ...config, server });
}
