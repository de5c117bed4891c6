/** Loads configurations for tests with fake adapters, a fixed time and a given environment. */

import { z } from "zod";
import { type Config, ConfigErrors, loadConfig, type Target } from "../../src/config/config.ts";
import type { Adapter } from "../../src/contract/adapter.ts";
import { NOTHING } from "../../src/contract/stream_decoder.ts";
import { CONTENT_KINDS, native, type SupportTable } from "../../src/contract/support.ts";
import { PARAMETERS } from "../../src/contract/chat.ts";

/** The time at which every test loads its configuration, in seconds. */
export const LOADED_AT = 1_800_000_000;

const supports: SupportTable = {
  parameters: Object.fromEntries(
    PARAMETERS.map((name) => [name, native]),
  ) as SupportTable["parameters"],
  content: Object.fromEntries(
    CONTENT_KINDS.map((kind) => [kind, native]),
  ) as SupportTable["content"],
  extensions: "all",
};

function fake(kind: string, defaults: Adapter["defaults"], options?: z.ZodObject): Adapter {
  return {
    kind,
    defaults,
    ...(options === undefined ? {} : { options }),
    supports,
    adds: {},
    apis: {},
    framing: "sse",
    imageSources: { https: true, http: true },
    toRequest: () => ({ url: "", headers: {}, body: {}, auth: { type: "none" } }),
    toCompletion: () => ({ choices: [] }),
    decoder: () => ({ push: () => NOTHING, end: () => NOTHING }),
    toError: () => ({ kind: "upstream_error" }),
  };
}

const regional = z.object({ region: z.string().min(1), zone: z.string().optional() })
  .refine(({ region, zone }) => zone === undefined || zone.startsWith(region), {
    path: ["zone"],
    error: "must be in the region",
  });

/** Adapters for all properties of kinds. */
export const fakeAdapters: ReadonlyMap<string, Adapter> = new Map(
  [
    fake("openai", { baseUrl: "https://api.openai.com/v1", credentials: "required" }),
    fake("anthropic", { baseUrl: "https://api.anthropic.com/v1", credentials: "required" }),
    fake("openai_compatible", { credentials: "optional" }),
    fake("regional", { baseUrl: "https://r.example", credentials: "optional" }, regional),
    fake("slow", {
      baseUrl: "https://s.example",
      credentials: "none",
      timeouts: { first_token: "20m", total: "2h" },
    }),
    { ...fake("mock", { baseUrl: "mock:", credentials: "none" }), simulated: true as const },
  ].map((adapter) => [adapter.kind, adapter]),
);

/** The environment of a test's configuration. */
export interface Around {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** The fake ones if omitted. */
  readonly adapters?: ReadonlyMap<string, Adapter>;
}

/** Loads a configuration. */
export function load(
  text: string,
  { env = {}, files = {}, adapters = fakeAdapters }: Around = {},
): Config {
  return loadConfig(text, {
    env: (name) => new Map(Object.entries(env)).get(name),
    readFile: (path) => {
      const content = new Map(Object.entries(files)).get(path);
      if (content === undefined) throw new Deno.errors.NotFound(path);
      return content;
    },
    now: () => LOADED_AT * 1000 + 999,
    newKey: () => "sk-sluice-made",
    source: "test.yaml",
    adapters,
  });
}

/** The first target of a model. */
export function targetOf(config: Config, model: string): Target {
  const [link] = config.resolve(model) ?? [];
  if (link === undefined) throw new TypeError(`The model '${model}' leads nowhere`);
  return link.target;
}

/** The errors of a configuration as lines of path and message; empty if it is valid. */
export function errorsOf(text: string, around: Around = {}): string[] {
  return (failureOf(text, around)?.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
}

/** The error that {@linkcode load} throws; undefined if the configuration is valid. */
export function failureOf(text: string, around: Around = {}): ConfigErrors | undefined {
  try {
    load(text, around);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigErrors)) throw error;
    return error;
  }
}
