/** Connection failures to vendors: the error of the caller, and the log. */

import { fileURLToPath } from "node:url";
import { eventually } from "../bench/children.ts";
import { closedPort } from "../support/faulty_vendor.ts";
import { call } from "./caller.ts";
import type { GatewayProcess } from "./gateway_process.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

/** A connection failure. Its provider is named `to-` and the name. */
interface Cause {
  readonly name: string;
  readonly url: string;
  /** The class of the failure in the error. */
  readonly reported: RegExp;
  /** The cause in the log. */
  readonly logged: RegExp;
  /** Whether the failure precedes the connection to a port. */
  readonly noPort?: boolean;
}

const TLS = fileURLToPath(new URL("../support/tls/", import.meta.url));
const TRUSTED = ["elsewhere", "expired"];
const LOG_MS = 1000;
const SHORT_TIMEOUT = { first_token: "1s", idle: "1s", total: "1s" };
const LONG_TIMEOUT = { first_token: "4s", idle: "4s", total: "4s" };

/** The caller gets the class of every failure; the log has host, port and reason. */
export const reasons: Scenario = {
  name: "reason",
  seconds: 20,
  async run(trial) {
    const causes = createCauses(trial);
    const providers = causes.map(({ name, url }) => [`to-${name}`, {
      ...{ kind: "openai_compatible", base_url: url, api_key: "sk-0123456789", retries: 0 },
      ...{ models: [name], timeout: name === "silence" ? SHORT_TIMEOUT : LONG_TIMEOUT },
    }]);
    const gateway = await trial.start({
      config: { providers: Object.fromEntries(providers) },
      files: { "ca.pem": readTrusted() },
      env: { DENO_CERT: "ca.pem" },
    });
    await Promise.all(causes.map((cause) => checkCaller(trial, gateway, cause)));
    await eventually(() => causes.every((cause) => isLogged(gateway, cause)), LOG_MS);
    for (const cause of causes) {
      const isThere = isLogged(gateway, cause);
      const bar = `host, ${cause.noPort ? "" : "port, "}${cause.logged.source}`;
      trial.report(`${cause.name}: the log`, bar, isThere ? "all of it" : "no such line", isThere);
    }
  },
};

async function checkCaller(trial: Trial, gateway: GatewayProcess, cause: Cause): Promise<void> {
  const { name, url, reported } = cause;
  const { hostname, port } = new URL(url);
  const messages = [{ role: "user", content: "Hi" }];
  const reply = await call(gateway.port, { model: name, messages });
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(reply.body)?.[1] ?? "";
  const isTold = message.includes(`to-${name}`) && reported.test(message.replace(`to-${name}`, ""));
  const isKept = !message.includes(hostname) && !message.includes(port);
  trial.report(
    `${name}: the caller`,
    `provider and ${reported.source}, no address`,
    `${reply.status} ${message.slice(0, 100)}`,
    isTold && isKept,
  );
}

function isLogged(gateway: GatewayProcess, { url, logged, noPort = false }: Cause): boolean {
  const { hostname, port } = new URL(url);
  return `${gateway.stdout}${gateway.stderr}`.split("\n").some((line) =>
    line.includes(hostname) && (noPort || line.includes(port)) && logged.test(line)
  );
}

function createCauses(trial: Trial): Cause[] {
  const close = trial.own(new RawVendor(() => Promise.resolve(false)));
  const malformed = trial.own(
    new RawVendor((_, connection) => connection.send("WELCOME to this server\r\n\r\n")),
  );
  const silent = trial.own(new RawVendor((_, connection) => connection.gone()));
  const tls = (name: string) => {
    const read = (suffix: string) => Deno.readTextFileSync(`${TLS}${name}${suffix}.pem`);
    const options = { tls: { cert: read(""), key: read(".key") } };
    const { port } = trial.own(new RawVendor(() => Promise.resolve(false), options));
    return `https://localhost:${port}`;
  };
  return [
    {
      name: "no-name",
      url: "http://no-such-host.invalid:8123",
      reported: /DNS/i,
      logged: /dns|lookup|resolve/i,
      noPort: true,
    },
    { name: "closed-port", url: closedPort(), reported: /refused/i, logged: /refused/i },
    {
      name: "hang-up",
      url: close.url,
      reported: /reset|closed|ended/i,
      logged: /reset|closed|ended/i,
    },
    {
      name: "self-signed",
      url: tls("localhost"),
      reported: /TLS|certificate/i,
      logged: /issuer|self.?signed/i,
    },
    { name: "expired", url: tls("expired"), reported: /TLS|certificate/i, logged: /expired/i },
    {
      name: "wrong-host",
      url: tls("elsewhere"),
      reported: /TLS|certificate/i,
      logged: /not valid for|name|altname|host/i,
    },
    {
      name: "malformed-head",
      url: malformed.url,
      reported: /protocol|HTTP|malformed/i,
      logged: /protocol|HTTP|malformed|status line/i,
    },
    {
      name: "silence",
      url: silent.url,
      reported: /tim(?:e|ed) ?out|took|within/i,
      logged: /time/i,
    },
  ];
}

/** Additional certificates that the gateway trusts. */
function readTrusted(): string {
  return TRUSTED.map((name) => Deno.readTextFileSync(`${TLS}${name}.pem`)).join("");
}
