/** Loads configurations for tests: fake adapters, a fixed time, an environment of the test's own. */

import { z } from "zod";
import { type Config, ConfigErrors, loadConfig, type Target } from "../../src/config/config.ts";
import { type Adapter, NOTHING } from "../../src/providers/contract/adapter.ts";
import {
  CONTENT_KINDS,
  native,
  PARAMETERS,
  type SupportTable,
} from "../../src/providers/contract/support.ts";

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

/** One adapter for every way that a kind can differ. */
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

/** What a test's configuration finds around it. */
export interface Around {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** Loads a configuration among the fake adapters. */
export function load(text: string, { env = {}, files = {} }: Around = {}): Config {
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
    adapters: fakeAdapters,
  });
}

/** Where a configuration sends a request for a model first. */
export function targetOf(config: Config, model: string): Target {
  const [link] = config.resolve(model) ?? [];
  if (link === undefined) throw new TypeError(`The model '${model}' leads nowhere`);
  return link.target;
}

/** The errors of a configuration as lines of path and message; none when it loads. */
export function errorsOf(text: string, around: Around = {}): string[] {
  try {
    load(text, around);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigErrors)) throw error;
    return error.errors.map(({ path, message }) => `${path}: ${message}`);
  }
}
