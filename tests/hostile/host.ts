/** Routes that a Host header tries to change, and models that a key may not see. */

import { Wire } from "../bench/wire.ts";
import { call, exchange, type Reply } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

/** Names that the key may not see, each with a similar unknown name. */
const HIDDEN = [
  ["hidden", "absent"],
  ["hidden@v", "absent@v"],
  ["shadow", "nobody"],
] as const;
const LIMITED_KEY = "sk-hostile-limited-key";

/** Requests without a key, with their allowed statuses. */
const REQUESTS: readonly (readonly [head: string, statuses: readonly number[]])[] = [
  ["GET /v1/models HTTP/1.1\r\nhost: x/healthz?", [400, 401, 421]],
  ["GET /v1/models HTTP/1.1\r\nhost: x/healthz#", [400, 401, 421]],
  ["GET /v1/providers HTTP/1.1\r\nhost: x/readyz?", [400, 401, 421]],
  ["GET /healthz HTTP/1.1\r\nhost: x/v1/models?", [200, 400, 421]],
  ["GET http://x/v1/models HTTP/1.1\r\nhost: y/healthz?", [400, 401]],
  ["GET //healthz HTTP/1.1\r\nhost: x", [400, 404, 421]],
  ["GET //x/healthz HTTP/1.1\r\nhost: x", [400, 404, 421]],
  // HTTP/2 may have none, and the runtime does not tell the two apart: the key decides.
  ["GET /v1/models HTTP/1.1", [400, 401]],
  ["GET /healthz HTTP/1.1", [200, 400]],
];

/** Only the request target decides; hidden models look like unknown ones. */
export const hosts: Scenario = {
  name: "host",
  seconds: 15,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const keys = [
      { name: "all", key: SERVICE_KEY },
      { name: "limited", key: LIMITED_KEY, models: ["m"] },
    ];
    const providers = toProvider(vendor.url, { models: ["m", "hidden"] });
    const gateway = await trial.start({
      config: { server: { keys }, providers, aliases: { shadow: "hidden" } },
    });
    for (const [head, statuses] of REQUESTS) {
      const reply = await sendRaw(gateway.port, head);
      const name = head.replaceAll(/\r\n| HTTP\/1\.1/g, " ").replace("GET ", "").trim();
      const isWithin = statuses.includes(reply.status);
      trial.report(name, statuses.join(" or "), String(reply.status), isWithin);
    }
    const headers = { authorization: `Bearer ${LIMITED_KEY}` };
    const ask = async (model: string) => {
      const chat = await call(gateway.port, { ...HELLO, model }, { headers });
      const one = await call(gateway.port, "", { headers, path: `/v1/models/${model}` });
      return [chat, one].map((reply) => wordsOf(reply, model)).join(" | ");
    };
    for (const [hidden, absent] of HIDDEN) {
      const [one, other] = [await ask(hidden), await ask(absent)];
      const isSame = one === other && one.startsWith("404");
      const measured = isSame ? "the same" : `${one} / ${other}`.slice(0, 160);
      trial.report(`hidden '${hidden}' and absent '${absent}'`, "the same 404", measured, isSame);
    }
    const near = await ask("hiddem");
    const list = await call(gateway.port, "", { headers, path: "/v1/models" });
    const places = [
      ...(near.includes("hidden") ? ["a suggestion"] : []),
      ...(list.body.includes("hidden") ? ["the list"] : []),
    ];
    const measured = places.length === 0 ? "nowhere" : places.join(", ");
    trial.report("the name of a hidden model", "is never shown", measured, places.length === 0);
  },
};

async function sendRaw(port: number, head: string): Promise<Reply> {
  const wire = await Wire.open(port);
  try {
    return await exchange(wire, new TextEncoder().encode(`${head}\r\n\r\n`), 2000);
  } finally {
    wire.close();
  }
}

function wordsOf({ status, body }: Reply, model: string): string {
  return `${status} ${body.replaceAll(model, "MODEL")}`;
}
