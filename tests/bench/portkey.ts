/** Portkey's gateway from npm (optional). It is installed into a separate cache. */

const PACKAGE = "@portkey-ai/gateway";
const VERSION = "1.15.2";
const INSTALL_LIMIT = 60_000;

/** Binds its listener to the loopback interface, for which it has no option. */
export const PRELOAD = "data:text/javascript," + encodeURIComponent(
  'import { Server } from "node:net";' +
    "const listen = Server.prototype.listen;" +
    "Server.prototype.listen = function (port, ...rest) {" +
    'return listen.call(this, port, "127.0.0.1", ...rest.filter((one) => typeof one !== "string"));' +
    "};",
);

/** How to start it. */
export interface Portkey {
  readonly node: string;
  readonly script: string;
}

/** Finds or installs it; returns a message if it is not available. */
export async function findPortkey(): Promise<Portkey | string> {
  const cache = cacheDirectory();
  if (cache === undefined) return "there is no cache directory to install it into";
  const directory = `${cache}/sluice-bench/portkey-${VERSION}`;
  const script = `${directory}/node_modules/${PACKAGE}/build/start-server.js`;
  if (!await succeeds("node", ["--version"])) return "node is not on PATH";
  if (exists(script)) return { node: "node", script };
  try {
    Deno.mkdirSync(directory, { recursive: true });
  } catch {
    return `cannot write to ${directory}`;
  }
  const args = ["install", "--prefix", directory, "--ignore-scripts", "--no-audit", "--no-fund"];
  const installed = await succeeds("npm", [...args, `${PACKAGE}@${VERSION}`]);
  return installed && exists(script)
    ? { node: "node", script }
    : `npm could not install ${PACKAGE}@${VERSION}`;
}

function cacheDirectory(): string | undefined {
  const home = Deno.env.get("HOME");
  return Deno.env.get("XDG_CACHE_HOME") || (home === undefined ? undefined : `${home}/.cache`);
}

async function succeeds(command: string, args: string[]): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(INSTALL_LIMIT);
    const options = { args, signal, stdin: "null", stdout: "null", stderr: "null" } as const;
    return (await new Deno.Command(command, options).output()).success;
  } catch {
    return false;
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
