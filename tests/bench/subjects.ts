/** The measured programs: Sluice and those that it is compared with. */

import { fileURLToPath } from "node:url";
import { ask, type Child, freePort, type Nursery, untilReady } from "./children.ts";
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
import { MODELS } from "./vendor_answers.ts";

/** A proxy between load and upstream. */
export interface Subject {
  readonly child: Child;
  /** Milliseconds from its start to its first answer. */
  readonly readyMs: number;
  toAsk(options: AskOptions): Ask;
}

export interface SluiceOptions {
  /** Further flags of `deno run`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** As in config.yaml. Default: one, and more under load. */
  readonly workers?: number | "auto";
  /** One worker in a separate thread, as with several workers. */
  readonly supervised?: boolean;
  /** Limits of the service key, and what they are kept in. */
  readonly limits?: LimitOptions;
  /** The file of the access log. Default: the null device. */
  readonly log?: string;
}

/** Limits that are never reached. */
export interface LimitOptions {
  /** Part of a file's name. */
  readonly name: string;
  /** `store` or `shared_store`. */
  readonly sections: Readonly<Record<string, unknown>>;
}

/** The limits of the service key: all kinds of them. */
const KEY_LIMITS = {
  limits: { requests_per_minute: "900M", tokens_per_minute: "900M", concurrent: 10_000 },
  budget: { usd: 100_000_000, per: "month" },
};

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const HERE = fileURLToPath(new URL("./", import.meta.url));

/** Starts the scripted vendors. */
export async function startUpstream(nursery: Nursery): Promise<Child> {
  const port = freePort();
  const args = ["run", "--allow-net", `${HERE}upstream.ts`, String(port)];
  const child = nursery.start("upstream", Deno.execPath(), args, port);
  await untilReady(child, "/state");
  return child;
}

/** The open connections and requests of the upstream. */
export async function askUpstream(
  upstream: Child,
  path: "/state" | "/quiesce" = "/state",
): Promise<UpstreamState> {
  return JSON.parse((await ask(upstream.port, path)).body) as UpstreamState;
}

/** Starts one of the ten-line programs. */
export async function startProgram(
  nursery: Nursery,
  name: "pipe" | "loop",
  upstream: Child,
): Promise<Subject> {
  const port = freePort();
  const args = ["run", "--allow-net", `${HERE}${name}.ts`, String(port), String(upstream.port)];
  const child = nursery.start(name, Deno.execPath(), args, port);
  return { child, readyMs: await untilReady(child), toAsk: toPlainAsk };
}

/** Starts Sluice with the flags of the start task. */
export async function startSluice(
  nursery: Nursery,
  upstream: Child,
  directory: string,
  { flags = [], env = {}, workers = "auto", supervised = false, limits, log }: SluiceOptions = {},
): Promise<Subject> {
  const port = freePort();
  // A running gateway would reload a changed file.
  const config = `${directory}/config-${workers}${
    limits === undefined ? "" : `-${limits.name}`
  }.yaml`;
  // JSON is valid YAML.
  Deno.writeTextFileSync(config, JSON.stringify(toConfig(upstream.port, workers, limits), null, 2));
  const { options, main } = readStartTask(ROOT);
  const started = supervised ? `${HERE}supervised.ts` : `${ROOT}${main}`;
  const args = ["run", ...options, ...flags, started];
  const own = ["--config", config, "--host", "127.0.0.1", "--port", String(port)];
  const child = nursery.start("sluice", Deno.execPath(), [...args, ...own], port, {
    ...{ cwd: ROOT, env },
    ...(log === undefined ? {} : { output: log }),
  });
  return { child, readyMs: await untilReady(child), toAsk: toSluiceAsk };
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
  workers: number | "auto",
  limits: LimitOptions | undefined,
): Record<string, unknown> {
  const common = { api_key: "sk-bench-vendor-key", base_url: `http://127.0.0.1:${upstreamPort}` };
  const models = (vendor: keyof typeof MODELS) => Object.values(MODELS[vendor]);
  return {
    server: {
      workers,
      keys: [{ name: "bench", key: SERVICE_KEY, ...(limits === undefined ? {} : KEY_LIMITS) }],
    },
    ...limits?.sections,
    providers: {
      openai: { kind: "openai", ...common, models: models("openai") },
      anthropic: { kind: "anthropic", ...common, models: models("anthropic") },
      gemini: { kind: "gemini", ...common, models: models("gemini") },
    },
  };
}
