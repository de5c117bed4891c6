/** Web pages that rebind their name, or send requests to an admin's browser. */

import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import type { Scenario } from "./trial.ts";

const ADMIN_KEY = "sk-hostile-admin-key";
const EVIL = "evil.example";

/** Requests of pages, with the status that refuses them. */
const REQUESTS: readonly (readonly [
  about: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  status: number,
])[] = [
  ["a rebound name asks for the console", "/", { host: EVIL, accept: "text/html" }, 421],
  ["a rebound name asks the API", "/v1/models", { host: `${EVIL}:80` }, 421],
  ["a rebound name asks as an admin", "/v1/admin/providers", { host: EVIL }, 421],
  ["a name that begins like a known one", "/v1/models", { host: `localhost.${EVIL}` }, 421],
  ["a loopback name asks the API", "/v1/models", { host: "localhost:8787" }, 200],
  ["another origin asks as an admin", "/v1/admin/providers", { origin: `https://${EVIL}` }, 403],
  ["no origin at all ('null')", "/v1/admin/providers", { origin: "null" }, 403],
  ["a cross-site request", "/v1/admin/providers", { "sec-fetch-site": "cross-site" }, 403],
  ["a client that is no browser", "/v1/admin/providers", {}, 200],
];

/** Only known names of this host are answered, and admin routes only for their own page. */
export const pages: Scenario = {
  name: "page",
  seconds: 15,
  async run(trial) {
    const gateway = await trial.start({
      config: {
        server: {
          keys: [{ name: "hostile", key: SERVICE_KEY }],
          admin_keys: [{ name: "admin", key: ADMIN_KEY }],
        },
        providers: { mock: { kind: "mock", models: ["m"] } },
      },
    });
    for (const [about, path, own, status] of REQUESTS) {
      const key = path.startsWith("/v1/admin") ? ADMIN_KEY : SERVICE_KEY;
      const headers = { authorization: `Bearer ${key}`, ...own };
      const reply = await call(gateway.port, "", { path, headers });
      trial.report(about, String(status), String(reply.status), reply.status === status);
    }
    const plain = await call(gateway.port, "", { path: "/v1/models" });
    const missing = ["x-content-type-options: nosniff", "cache-control: no-store"]
      .filter((header) => !plain.head.includes(header));
    trial.report(
      "headers of an answer",
      "nosniff and no-store",
      missing.length === 0 ? "both" : `without ${missing.join(", ")}`,
      missing.length === 0,
    );
  },
};
