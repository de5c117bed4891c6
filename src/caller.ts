/** Who calls: the service key that a request presents. */

import type { Config, ServiceKey } from "./config.ts";
import { GatewayError } from "./errors.ts";

/** @throws {GatewayError} `unauthenticated` */
export function authenticate(request: Request, config: Config): ServiceKey {
  const header = request.headers.get("authorization");
  if (header === null) {
    throw new GatewayError(
      "unauthenticated",
      "No service key was sent; send it as 'Authorization: Bearer <key>'",
      { headers: { "www-authenticate": "Bearer" } },
    );
  }
  const token = /^bearer +(.+)$/i.exec(header.trim())?.[1];
  const key = token === undefined ? undefined : config.authenticate(token.trim());
  if (key === undefined) {
    throw new GatewayError("unauthenticated", "The service key is not valid", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
  return key;
}
