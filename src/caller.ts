/** Who calls: the service key that a request presents. */

import type { Config, ServiceKey } from "./config.ts";
import { GatewayError } from "./errors.ts";

/** @throws {GatewayError} `unauthenticated` */
export function authenticate(request: Request, config: Config): ServiceKey {
  const header = request.headers.get("authorization")?.trim() ?? "";
  // A shell's variable that is not set leaves the word alone.
  if (/^(bearer)?$/i.test(header)) {
    throw refusal(`No service key was sent: send ${ownKey(config)} as ${HEADER}`);
  }
  const token = /^bearer +(.+)$/i.exec(header)?.[1];
  if (token === undefined) throw refusal("The Authorization header must say 'Bearer <key>'");
  const key = config.authenticate(token);
  if (key === undefined) {
    throw refusal(`The service key is not valid: use ${ownKey(config)}, not a vendor's key`);
  }
  return key;
}

const HEADER = "'Authorization: Bearer <key>'";

/** Whose key is meant, and where the user finds it. */
function ownKey({ generatedKey }: Config): string {
  return generatedKey === undefined
    ? "one of Sluice's own keys (server.keys in its config.yaml, usually SLUICE_API_KEY)"
    : "Sluice's own key, which it made for this run and printed when it started";
}

function refusal(message: string): GatewayError {
  return new GatewayError("unauthenticated", message, {
    headers: { "www-authenticate": "Bearer" },
  });
}
