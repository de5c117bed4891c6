/** Live streams of one key that take the places of others, and what they show to it. */

import { statusOf, toRequestBytes, Wire } from "../bench/wire.ts";
import { call } from "./caller.ts";
import { Crowd } from "./crowd.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import type { Scenario } from "./trial.ts";
import { within } from "./within.ts";

const ADMIN_KEY = "sk-hostile-admin-key";
const LIMITED_KEY = "sk-hostile-limited-key";
const STREAMS = 40;
const ANSWER_MS = 3000;

/** One key's streams leave some for other keys and for admins; a limited key sees its part. */
export const liveStreams: Scenario = {
  name: "live",
  seconds: 20,
  async run(trial) {
    const gateway = await trial.start({
      config: {
        server: {
          keys: [
            { name: "hostile", key: SERVICE_KEY },
            { name: "limited", key: LIMITED_KEY, models: ["open"] },
          ],
          admin_keys: [{ name: "admin", key: ADMIN_KEY }],
        },
        providers: {
          open: { kind: "mock", models: ["open"] },
          hidden: { kind: "mock", models: ["hidden"] },
        },
      },
    });
    const crowd = trial.own(new Crowd());
    const open = async (path: string, key: string): Promise<number> => {
      const wire = await Wire.open(gateway.port);
      crowd.wires.push(wire);
      await wire.write(toRequestBytes(path, { authorization: `Bearer ${key}` }, ""));
      const packet = await within(ANSWER_MS, wire.packet());
      const head = new TextDecoder().decode(packet).toLowerCase();
      return statusOf({ head, body: "", tail: "" });
    };
    const attempts = Array.from({ length: STREAMS }, () => open("/v1/live", SERVICE_KEY));
    const opened = (await Promise.all(attempts)).filter((status) => status === 200).length;
    const other = await open("/v1/live", LIMITED_KEY);
    const admin = await open("/v1/admin/live", ADMIN_KEY);
    trial.report(
      `${STREAMS} live streams of one key: another key, an admin`,
      "200, 200",
      `${other}, ${admin} (${opened} open)`,
      opened > 0 && opened < STREAMS && other === 200 && admin === 200,
    );
    const headers = { authorization: `Bearer ${LIMITED_KEY}` };
    const places: string[] = [];
    for (const path of ["/metrics", "/v1/providers", "/v1/models"]) {
      const reply = await call(gateway.port, "", { path, headers });
      if (reply.body.includes("hidden")) places.push(path);
    }
    trial.report(
      "models and providers that a key may not use",
      "are never shown",
      places.length === 0 ? "nowhere" : places.join(", "),
      places.length === 0,
    );
  },
};
