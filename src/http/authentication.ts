/** Who calls: the service key that a request presents. */

import type { Config, ServiceKey } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";

/** @throws {GatewayError} `unauthenticated` */
export function authenticate(request: Request, config: Config): ServiceKey {
  const header = request.headers.get("authorization")?.trim() ?? "";
  // A shell's variable that is not set leaves the word alone.
  if (/^(bearer)?$/i.test(header)) {
    throw refusal("No service key was sent; send it as 'Authorization: Bearer <key>'");
  }
  const token = /^bearer +(.+)$/i.exec(header)?.[1];
  if (token === undefined) throw refusal("The Authorization header must say 'Bearer <key>'");
  const key = config.authenticate(token);
  if (key === undefined) throw refusal("The service key is not valid");
  return key;
}

function refusal(message: string): GatewayError {
  return new GatewayError("unauthenticated", message, {
    headers: { "www-authenticate": "Bearer" },
  });
}
