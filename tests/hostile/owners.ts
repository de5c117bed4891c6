/** Answers of another key, and IDs that are no IDs. */

import { toAnswer } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const OWNER = { authorization: `Bearer ${SERVICE_KEY}` };
const STRANGER_KEY = "sk-hostile-stranger-key";
const STRANGER = { authorization: `Bearer ${STRANGER_KEY}` };
const PATH = "/v1/responses";
const SECRET = "What another key asked";

const ANSWER = {
  ...{ id: "resp_A1", object: "response", status: "completed", model: "m", usage: null },
  output: [{
    ...{ id: "msg_A1", type: "message", role: "assistant" },
    content: [{ type: "output_text", text: SECRET, annotations: [] }],
  }],
};

/** Segments that lead elsewhere, or that are several. */
const SEGMENTS = [".", "..", "%2e%2e", "%252e%252e", "..%2f", "a%2fb", "a%5cb", "a%3fb", "a%23b"];

/** What a stranger makes of an ID. */
const DISGUISES: readonly ((id: string) => string)[] = [
  (id) => id,
  (id) => id.replace(/\.[\w-]{16}@/, "@"),
  () => "resp_A1",
  (id) => id.replace("_A1", "_a1"),
  (id) => id.replace(/\.[\w-]{16}@/, ".AAAAAAAAAAAAAAAA@"),
];

async function startNative(trial: Trial) {
  const vendor = trial.own(
    new RawVendor((_, connection) => connection.send(toAnswer(200, ANSWER))),
  );
  const keys = [
    { name: "owner", key: SERVICE_KEY },
    { name: "stranger", key: STRANGER_KEY, models: ["m"] },
  ];
  const gateway = await trial.start({
    config: {
      server: { keys },
      providers: toProvider(vendor.url, {
        ...{ kind: "openai", api: "responses", passthrough: true },
      }),
    },
  });
  return { vendor, gateway };
}

/** A vendor's IDs work for the key that got them, and for no other one. */
export const owners: Scenario = {
  name: "owner",
  seconds: 20,
  async run(trial) {
    const { vendor, gateway } = await startNative(trial);
    const created = await call(gateway.port, { model: "m", input: "Hi" }, { path: PATH });
    const id = /"id":"(resp_[^"]+)"/.exec(created.body)?.[1] ?? "none";
    const own = await call(gateway.port, "", { path: `${PATH}/${id}`, headers: OWNER });
    const before = vendor.requests.length;
    const statuses = new Set<number>();
    let reported = 0;
    let asked = 0;
    for (const disguise of DISGUISES) {
      const name = disguise(id);
      const path = `${PATH}/${name}`;
      const ways = [
        ["GET", path, ""],
        ["DELETE", path, ""],
        ["POST", `${path}/cancel`, "{}"],
        ["GET", `${path}/input_items`, ""],
        ["POST", PATH, { model: "m", input: "Hi", previous_response_id: name }],
        ["GET", `/v1/providers/v/proxy/responses/${name}`, ""],
      ] as const;
      for (const [method, path, body] of ways) {
        const reply = await call(gateway.port, body, { method, path, headers: STRANGER });
        statuses.add(reply.status);
        asked++;
        if (reply.body.includes(SECRET)) reported++;
      }
    }
    const sent = vendor.requests.length - before;
    trial.report(
      `${asked} requests about another key's answer`,
      "404, nothing sent; 200 for its owner",
      `${[...statuses].join(", ")}, ${sent} sent, ${reported} reported; ${own.status}`,
      own.status === 200 && [...statuses].join() === "404" && sent === 0 && reported === 0,
    );
    const wrong: string[] = [];
    for (const segment of SEGMENTS) {
      for (const [method, rest] of [["GET", ""], ["DELETE", ""], ["POST", "/cancel"]] as const) {
        const path = `${PATH}/${segment}@v${rest}?limit=1&key=x`;
        const { status } = await call(gateway.port, "", { method, path, headers: OWNER });
        if (status !== 404 && status !== 400) wrong.push(`${method} ${segment}: ${status}`);
      }
    }
    const paths = vendor.requests.slice(before);
    trial.report(
      `${SEGMENTS.length} IDs with segments of a path`,
      "404 or 400, nothing sent",
      wrong.length + paths.length === 0 ? "none sent" : `${paths.length} sent, ${wrong[0]}`,
      wrong.length === 0 && paths.length === 0,
    );
  },
};
