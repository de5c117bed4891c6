/**
 * A program that starts servers that many test files share: a PostgreSQL server and a browser, if
 * installed. Prints the variables of the environment that name them, as a line of JSON. They end
 * with the test run that started this program.
 */

import { CHROMIUM, launchBrowser, SHARED_BROWSER } from "../console/browser.ts";
import { HAS_POSTGRES, PostgresServer } from "./postgres.ts";
import { SHARED_POSTGRES } from "./postgres_store.ts";

const variables: Record<string, string> = {};
if (HAS_POSTGRES) variables[SHARED_POSTGRES] = String((await PostgresServer.start()).port);
if (CHROMIUM !== undefined) variables[SHARED_BROWSER] = (await launchBrowser()).wsEndpoint();
Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(variables)}\n`));
