/** Explains a request without a running gateway. */

import { readOptional } from "../process/system/files.ts";
import { DEFAULT_EXPLAINED_FORMAT, EXPLAINED_FORMATS } from "./explained_formats.ts";
import type { Config } from "../config/config.ts";
import type { Command } from "./arguments.ts";
import { systemClock } from "../core/clock.ts";
import { newId, random, randomBytes } from "../core/ids.ts";
import type { JsonObject } from "../core/json/object.ts";
import { createFeatures, FeatureState } from "../features/list.ts";
import { Plans } from "../gateway/plan.ts";
import { OPERATIONS } from "../gateway/execute/list.ts";
import { StateCarrier } from "../features/reasoning_state/carrier.ts";
import { KEY_BYTES } from "../features/reasoning_state/packing.ts";
import { NOBODY } from "../identity/authenticate.ts";
import { MemoryStore } from "../memory/store.ts";
import { explain } from "../gateway/explain.ts";
import type { ParsedRequest } from "../gateway/parsed_request.ts";
import { State } from "../gateway/state.ts";
import { Credentials } from "../upstream/credentials/credentials.ts";
import { StartError } from "../process/system/stdio.ts";

/** The maximum size of a request that is explained, in bytes. */
const MAX_EXPLAINED_BYTES = 256 * 1024 * 1024;

/**
 * Explains the request in a file, or in standard input for `-`.
 *
 * @throws {StartError} when there is no such request.
 * @throws {GatewayError} when the gateway would reject the request.
 */
export async function explainFile(
  { file = "", format = DEFAULT_EXPLAINED_FORMAT }: Pick<Command, "file" | "format">,
  config: () => Config | Promise<Config>,
  readInput: () => Promise<string>,
): Promise<unknown> {
  const read = EXPLAINED_FORMATS.get(format);
  if (read === undefined) throw new StartError(`Unknown format '${format}'`);
  const [source, text] = file === "-"
    ? ["standard input", await readInput()]
    : [file, readOptional(file, { maxBytes: MAX_EXPLAINED_BYTES })];
  if (text === undefined) throw new StartError(`Cannot read ${source}: the file does not exist`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new StartError(`Cannot read ${source}: invalid JSON`);
  }
  return await explainRequest(read(body), await config());
}

/**
 * Explains a request as a newly started gateway with this configuration would.
 *
 * @throws {GatewayError} when the gateway would reject the request.
 */
async function explainRequest(
  request: ParsedRequest,
  config: Config,
): Promise<JsonObject> {
  const inquiry = {
    strict: false,
    principal: NOBODY,
    config,
    addresses: true,
    bytes: 0,
  };
  const store = new MemoryStore(() => ({ bytes: 0, ttlMs: 0 }), () => systemClock.now());
  const secret = randomBytes(KEY_BYTES);
  const state = new State();
  const reasoning = new StateCarrier({ key: secret, store, randomBytes });
  const deps = {
    newId,
    random,
    clock: systemClock,
    state,
    reasoning,
    plans: new Plans(createFeatures({
      ...{ reasoning, clock: systemClock, newId, cache: store, secret },
      state: new FeatureState(state),
    })),
    operations: OPERATIONS,
    answers: store,
    unsettled: store,
    credentials: new Credentials({ readFile: () => "" }),
    download: () => Promise.reject(new TypeError("An explanation downloads nothing")),
  };
  return await explain(request, inquiry, deps);
}
