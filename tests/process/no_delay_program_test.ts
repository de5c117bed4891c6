/**
 * Each kind of socket that the gateway opens or accepts has `TCP_NODELAY`: without it, the second
 * of two small packets waits until the other side has acknowledged the first, for up to 44 ms. What
 * is left out: `fetch`, which serves vendors behind a proxy, and the runtime's exporter of traces,
 * which have no setting for it; Unix sockets, which do not wait.
 */

import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { needs } from "../support/needs.ts";
import { runSluice } from "../support/process.ts";
import { canReadTcpSockets } from "../support/tcp_sockets.ts";
import { certificateFiles } from "../support/tls/files.ts";

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** One socket, with the option. */
const CLIENT = [true];
/** Both ends of a connection to a listener. */
const ACCEPTED = [true, true];
/** The same, and both ends of the connection to the runtime's server inside. */
const RELAYED = [...ACCEPTED, true, true];

Deno.test({
  ...needs(
    "getsockopt() of the system's C library",
    canReadTcpSockets(),
    "every kind of socket has TCP_NODELAY, but for fetch of the runtime",
  ),
  async fn() {
    const { stdout, stderr } = await runSluice([], {
      files: certificateFiles("localhost"),
      env: { DENO_CERT: "cert.pem" },
      program: {
        path: Deno.execPath(),
        args: [
          ...["run", "--no-check", "--config", fileOf("../deno.json"), "--allow-all"],
          fileOf("../support/open_sockets.ts"),
        ],
      },
    });
    assertEquals(stdout === "" ? stderr : JSON.parse(stdout), {
      "vendors, webhooks and metadata services": CLIENT,
      "vendors with TLS": CLIENT,
      images: CLIENT,
      "images with TLS": CLIENT,
      PostgreSQL: CLIENT,
      "PostgreSQL with TLS": CLIENT,
      Valkey: CLIENT,
      "Valkey with TLS": CLIENT,
      "commands for admins": CLIENT,
      "sluice health": CLIENT,
      "sluice health with TLS": CLIENT,
      // Once the runtime has a setting, or sets it, this is true, too.
      "fetch of the runtime": [false],
      "a listener": ACCEPTED,
      "a listener, HTTP/2": ACCEPTED,
      "a compatible listener": ACCEPTED,
      "a compatible listener, HTTP/2": RELAYED,
      "a listener with WebSockets": RELAYED,
      "a listener with TLS": RELAYED,
      "a listener with TLS and WebSockets": RELAYED,
    });
  },
});
