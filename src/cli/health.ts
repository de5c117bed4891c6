/** Asks a gateway whether it runs, for containers that hold nothing else that could ask. */

import { get } from "node:http";

/** How long an answer may take, in milliseconds. */
const PATIENCE = 3000;

/**
 * Asks `/healthz`; undefined when all is well, else what is wrong.
 *
 * @param host what the gateway listens on; for every address, this machine is asked
 */
export function checkHealth(host: string, port: number): Promise<string | undefined> {
  const bare = host.replace(/^\[|\]$/g, "");
  const asked = EVERYWHERE.get(bare) ?? bare;
  const where = `http://${asked.includes(":") ? `[${asked}]` : asked}:${port}/healthz`;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  // Unlike fetch, this takes no proxy from the environment.
  const request = get(
    { host: asked, port, path: "/healthz", agent: false, signal: AbortSignal.timeout(PATIENCE) },
    (response) => {
      const { statusCode } = response;
      response.resume();
      resolve(statusCode === 200 ? undefined : `${where} answered with ${statusCode}`);
    },
  );
  request.on("error", ({ name }) => {
    resolve(name === "AbortError" ? `${where} did not answer in time` : `${where} did not answer`);
  });
  return promise;
}

const EVERYWHERE = new Map([["0.0.0.0", "127.0.0.1"], ["::", "::1"]]);
