/** The measured programs: Sluice and those that it is compared with. */

import { fileURLToPath } from "node:url";
import { ask, type Child, type Nursery, untilReady } from "./children.ts";
import { freePort } from "../support/free_port.ts";
import { findPortkey, PRELOAD } from "./portkey.ts";
import {
  type Ask,
  type AskOptions,
  SERVICE_KEY,
  toChatAsk,
  toPlainAsk,
  toSluiceAsk,
} from "./requests.ts";
import { readStartTask } from "../support/start_task.ts";
import type { UpstreamState } from "./upstream.ts";
import { CERTIFICATE, EMBEDDINGS, MODELS } from "./vendor_answers.ts";

/** A proxy between load and upstream. */
export interface Subject {
  readonly child: Child;
  /** Milliseconds from its start to its first answer. */
  readonly readyMs: number;
  toAsk(options: AskOptions): Ask;
  /** Fails if requests were not answered at the first attempt. */
  check?(): Promise<void>;
}

export interface SluiceOptions {
  /** Further flags of `deno run`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** As in config.yaml. Default: one, and more under load. */
  readonly workers?: number | "auto";
  /** Further members of the service key, such as limits. */
  readonly key?: Readonly<Record<string, unknown>>;
  /** Further sections of config.yaml. */
  readonly sections?: Readonly<Record<string, unknown>>;
  /** Whether a second provider has OpenAI's models, too. Default: false. */
  readonly second?: boolean;
  /** How the vendor is reached. Default: over HTTP. */
  readonly route?: "private_ca" | "proxy";
  /** The file of the access log. Default: the null device. */
  readonly log?: string;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const HERE = fileURLToPath(new URL("./", import.meta.url));

/** Starts the scripted vendors. They listen with TLS on the next port. */
export async function startUpstream(nursery: Nursery): Promise<Child> {
  const port = freePorts();
  const args = ["run", "--allow-net", "--allow-read", `${HERE}upstream.ts`, String(port)];
  const child = nursery.start("upstream", Deno.execPath(), args, port);
  await untilReady(child, "/state");
  return child;
}

/** A free port whose next one is free, too. */
function freePorts(): number {
  for (;;) {
    const port = freePort();
    try {
      Deno.listen({ hostname: "127.0.0.1", port: port + 1 }).close();
      return port;
    } catch {
      // Another program has it.
    }
  }
}

/** The open connections and requests of the upstream. */
export async function askUpstream(
  upstream: Child,
  path: "/state" | "/quiesce" = "/state",
): Promise<UpstreamState> {
  return JSON.parse((await ask(upstream.port, path)).body) as UpstreamState;
}

/** How a program passes the bodies of requests on. */
export type Passing = "bytes" | "parsed" | "written";

/** Starts the floor of a gateway, or with a way to pass bodies on that of a proxy. */
export async function startFloor(
  nursery: Nursery,
  upstream: Child,
  way?: Passing,
): Promise<Subject> {
  const port = freePort();
  const program = way === undefined ? "floor" : "passing";
  const args = ["run", ...HEAP, "--allow-net", `${HERE}${program}.ts`];
  const own = [String(port), String(upstream.port), ...(way === undefined ? [] : [way])];
  const child = nursery.start(program, Deno.execPath(), [...args, ...own], port);
  const toAsk = way === undefined ? toSluiceAsk : toPlainAsk;
  return { child, readyMs: await untilReady(child), toAsk };
}

/** The size of the young generation, as the start task of Sluice sets it. */
const HEAP = ["--v8-flags=--max-semi-space-size=16"];

/** Starts Sluice with the flags of the start task. */
export async function startSluice(
  nursery: Nursery,
  upstream: Child,
  directory: string,
  sluiceOptions: SluiceOptions = {},
): Promise<Subject> {
  const { flags = [], env = {}, log } = sluiceOptions;
  const port = freePort();
  // A running gateway would reload a changed file.
  const config = `${directory}/config-${port}.yaml`;
  // JSON is valid YAML.
  Deno.writeTextFileSync(config, JSON.stringify(toConfig(upstream.port, sluiceOptions), null, 2));
  const { options, main } = readStartTask(ROOT);
  const args = ["run", ...options, ...flags, `${ROOT}${main}`];
  const own = ["--config", config, "--host", "127.0.0.1", "--port", String(port)];
  const child = nursery.start("sluice", Deno.execPath(), [...args, ...own], port, {
    ...{ cwd: ROOT, env },
    ...(log === undefined ? {} : { output: log }),
  });
  const check = () => checkAttempts(port);
  return { child, readyMs: await untilReady(child), toAsk: toSluiceAsk, check };
}

/** As many requests may need more than one attempt: the upstream closes connections now and then. */
const FEW = 5;

/** Failed attempts with their reasons, and failed requests, besides those that the load gave up. */
const PROMOTED =
  /^sluice_(?:retries|fallbacks)_total\{|^sluice_requests_total\{.*,status="(?!2|499)/;

/** Fails if more than a few requests needed a second attempt or failed, and says why. */
async function checkAttempts(port: number): Promise<void> {
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`There are no metrics: ${text}`);
  const promoted = text.split("\n").filter((line) => PROMOTED.test(line));
  const count = promoted.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  if (count <= FEW) return;
  throw new Error(`${count} requests were not answered at once:\n${promoted.join("\n")}`);
}

/** Fills the module cache, so that downloads are not measured. */
export async function cacheModules(): Promise<void> {
  const args = ["cache", "--quiet", `${ROOT}${readStartTask(ROOT).main}`];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
  if (!success) throw new Error(`Cannot load the modules: ${new TextDecoder().decode(stderr)}`);
}

/** Starts Portkey; returns a message if it is not available. */
export async function startPortkey(nursery: Nursery, upstream: Child): Promise<Subject | string> {
  const found = await findPortkey();
  if (typeof found === "string") return found;
  const port = freePort();
  const args = ["--import", PRELOAD, found.script, "--headless", `--port=${port}`];
  const child = nursery.start("portkey", found.node, args, port);
  const headers = {
    authorization: "Bearer sk-bench-vendor-key",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `http://127.0.0.1:${upstream.port}`,
  };
  const toAsk: Subject["toAsk"] = (options) => toChatAsk(options, headers, "/v1/chat/completions");
  try {
    return { child, readyMs: await untilReady(child, "/"), toAsk };
  } catch (thrown) {
    await child.stop();
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function toConfig(
  upstreamPort: number,
  { workers = "auto", key = {}, sections = {}, second = false, route }: SluiceOptions,
): Record<string, unknown> {
  const http = `http://127.0.0.1:${upstreamPort}`;
  const common = {
    api_key: "sk-bench-vendor-key",
    base_url: route === "private_ca" ? `https://localhost:${upstreamPort + 1}` : http,
    ...(route === "private_ca" && { tls: { ca: `${ROOT}${CERTIFICATE}` } }),
    ...(route === "proxy" && { proxy: http }),
  };
  const models = (vendor: keyof typeof MODELS) => Object.values(MODELS[vendor]);
  const embeddings = { id: EMBEDDINGS, capabilities: { embeddings: true } };
  const openai = { kind: "openai", ...common, models: [...models("openai"), embeddings] };
  return {
    server: { workers, keys: [{ name: "bench", key: SERVICE_KEY, ...key }] },
    ...sections,
    providers: {
      openai,
      ...(second && { second: { ...openai, api_key: "sk-bench-other-key" } }),
      anthropic: { kind: "anthropic", ...common, models: models("anthropic") },
      gemini: { kind: "gemini", ...common, models: models("gemini") },
    },
  };
}
