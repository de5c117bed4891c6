/** Reads vendors' lists of models from answers that tests write. */

import { type Config, loadConfig } from "../../src/config/config.ts";
import type { FindList, Provider } from "../../src/config/providers.ts";
import type { ListedModel } from "../../src/contract/adapter.ts";
import { adapters } from "../../src/providers/registry.ts";
import { Credentials } from "../../src/upstream/credentials/credentials.ts";
import { readModelList } from "../../src/upstream/model_lists.ts";
import type { FetchInit, VendorResponse } from "../../src/upstream/transport.ts";
import { ManualClock } from "./manual_clock.ts";

/** A request for a list. */
export interface ListCall extends Pick<FetchInit, "headers" | "method"> {
  readonly url: string;
  readonly body: string;
}

/** Loads a configuration of these providers with what their vendors list. */
export function loadListed(
  providers: Readonly<Record<string, unknown>>,
  findList: FindList = () => undefined,
  others: Readonly<Record<string, unknown>> = {},
): Config {
  return loadConfig(JSON.stringify({ providers, ...others }), {
    ...{ adapters, findList, source: "test", env: () => undefined, newKey: () => "sk-made" },
    now: () => 1_800_000_000_000,
    readFile() {
      throw new TypeError("There are no files");
    },
  });
}

/** The only provider of a configuration, whether or not it is enabled. */
export function listingProvider(entry: Readonly<Record<string, unknown>>): Provider {
  const [source] = loadListed({ p: { models: "auto", ...entry } }).sources;
  if (source === undefined) throw new TypeError("The provider has no list");
  return source.provider;
}

/** Reads the list of a provider from answers, and returns it with the requests. */
export async function readList(
  entry: Readonly<Record<string, unknown>>,
  answer: (call: ListCall) => Response,
): Promise<{
  readonly models: readonly ListedModel[];
  readonly calls: readonly ListCall[];
  /** Why selected models are left out. */
  readonly cuts: readonly string[];
}> {
  const calls: ListCall[] = [];
  const cuts: string[] = [];
  const provider = listingProvider(entry);
  const { models: api } = provider.adapter;
  if (api === undefined) throw new TypeError("The kind has no list");
  const models = await readModelList(provider, api, {
    clock: new ManualClock(),
    credentials: new Credentials({ readFile: () => "" }),
    signal: new AbortController().signal,
    onCut: (reason) => cuts.push(reason),
    fetch: (url, { body, headers, method }) => {
      const call = { url, headers, method, body: typeof body === "string" ? body : "" };
      calls.push(call);
      return Promise.resolve(answer(call) as VendorResponse);
    },
  });
  return { models, calls, cuts };
}
