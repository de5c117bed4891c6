/**
 * A program that starts what the tests of many files share: a PostgreSQL server and a browser, each
 * if it is installed. Prints the variables of the environment that name them, as a line of JSON.
 * Ends them when standard input ends, so that nothing stays behind whatever ends the runner.
 */

import { CHROMIUM, launchBrowser, SHARED_BROWSER } from "../console/browser.ts";
import { HAS_POSTGRES, PostgresServer } from "./postgres.ts";
import { SHARED_POSTGRES } from "./postgres_store.ts";

// Their group gets Ctrl-C, too; the runner decides when they end.
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});
const stack = new AsyncDisposableStack();
const variables: Record<string, string> = {};
if (HAS_POSTGRES) {
  const server = stack.adopt(await PostgresServer.start(), (server) => server.stop());
  variables[SHARED_POSTGRES] = String(server.port);
}
if (CHROMIUM !== undefined) {
  const browser = stack.adopt(await launchBrowser(), (browser) => browser.close());
  variables[SHARED_BROWSER] = browser.wsEndpoint();
}
Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(variables)}\n`));
await Deno.stdin.readable.pipeTo(new WritableStream());
await stack.disposeAsync();
Deno.exit(0);
