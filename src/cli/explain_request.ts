/** Explains a request outside of a running gateway. */

import type { Config } from "../config/config.ts";
import { systemClock } from "../core/clock.ts";
import { newId, random, randomBytes } from "../core/ids.ts";
import type { JsonObject } from "../core/json/object.ts";
import { createInterceptors } from "../operations/interceptors.ts";
import { OPERATIONS } from "../operations/list.ts";
import { StateCarrier } from "../reasoning_state/carrier.ts";
import { KEY_BYTES } from "../reasoning_state/packing.ts";
import { MemoryStore } from "../memory/store.ts";
import { explain } from "../routing/explain.ts";
import type { ModelRequest } from "../routing/model_request.ts";
import { State } from "../routing/state.ts";
import { Credentials } from "../upstream/credentials/credentials.ts";

/**
 * Explains a request as a newly started gateway with this configuration would.
 *
 * @throws {GatewayError} when the gateway would refuse the request.
 */
export async function explainRequest(
  request: ModelRequest,
  config: Config,
): Promise<JsonObject> {
  const inquiry = {
    strict: false,
    key: { name: "", models: undefined },
    config,
    addresses: true,
    bytes: 0,
  };
  const store = new MemoryStore(() => ({ bytes: 0, ttlMs: 0 }), () => systemClock.now());
  const secret = randomBytes(KEY_BYTES);
  const reasoning = new StateCarrier({ key: secret, store, randomBytes });
  const deps = {
    newId,
    random,
    clock: systemClock,
    state: new State(),
    reasoning,
    interceptors: createInterceptors({
      ...{ reasoning, clock: systemClock, newId, cache: store, secret },
    }),
    operations: OPERATIONS,
    answers: store,
    unsettled: store,
    credentials: new Credentials(() => ""),
    download: () => Promise.reject(new TypeError("An explanation downloads nothing")),
  };
  return await explain(request, inquiry, deps);
}
