/** Pass-through requests that evade limits and rules, and answers that tell too much. */

import { sleep } from "../bench/children.ts";
import { toAnswer } from "./answers.ts";
import { call } from "./caller.ts";
import { Crowd } from "./crowd.ts";
import { SERVICE_KEY, VENDOR_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor, RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const PROXY = "/v1/providers/v/proxy/";
const TOKENS = 50_000;
const USAGE = { prompt_tokens: TOKENS, completion_tokens: 0, total_tokens: TOKENS };
/** So few that a slow machine's waits earn no request again. */
const LIMIT = TOKENS / 10;
const COUNTED_MS = 100;
const SMALL_KEY = "sk-hostile-small-key";
const SOME_KEY = "sk-hostile-some-key";
const ALL = { authorization: `Bearer ${SERVICE_KEY}` };

/** A key that may use only the model `m` tries to reach `n`. */
const FOREIGN_MODELS = [
  ["chat/completions", '{"model":"n"}'],
  ["chat/completions", '{"model":"m","model":"n"}'],
  ["chat/completions", '{"mod\\u0065l":"n","model":"m"}'],
  ["chat/completions", '{"model":"m","models":["n"]}'],
  ["models/n:generate", '{"model":"m"}'],
] as const;

/** Paths that a vendor reads differently than the rule of `narrow` below. */
const FOREIGN_PATHS = [
  "files/secret#/content",
  "files/secret?/content",
  "files/secret%23/content",
  "files/secret%3f/content",
  "files/../secret/content",
  "files/secret%2f..%2fcontent",
  "files/a/../../secret/content",
  "files\\secret\\content",
];

const FORBIDDEN_HEADERS = [
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "x-original-url",
  "x-rewrite-url",
  "x-forwarded-for",
];

/** What passes counts, is allowed, and tells no key. */
export const passed: Scenario = {
  name: "passed",
  seconds: 20,
  async run(trial) {
    let status = "200";
    let body: unknown = { usage: USAGE };
    const vendor = trial.own(
      new RawVendor(async (_, connection) => {
        await connection.send(toAnswer(200, body).replace("HTTP/1.1 200", `HTTP/1.1 ${status}`));
        // What follows a status below 200 may be the real answer, so that there must be an end.
        return !status.startsWith("1");
      }),
    );
    const keys = [
      { name: "hostile", key: SERVICE_KEY },
      { name: "small", key: SMALL_KEY, limits: { tokens_per_minute: LIMIT } },
      { name: "some", key: SOME_KEY, models: ["m"] },
    ];
    const provider = toProvider(vendor.url, { kind: "openai", models: ["m", "n"] });
    const gateway = await trial.start({
      config: {
        server: { keys },
        providers: {
          v: { ...provider.v as object, passthrough: true },
          narrow: { ...provider.v as object, passthrough: ["GET files/*/content"] },
        },
        limits: { models: { n: { requests_per_minute: 1 } } },
      },
    });
    const { port } = gateway;
    await draw(trial, port);
    await reach(trial, port, vendor);
    body = { error: { message: `Bad key ${VENDOR_KEY}, ${btoa(`user:${VENDOR_KEY}`)}.` } };
    status = "401";
    const refused = await call(port, HELLO, { path: `${PROXY}chat/completions`, headers: ALL });
    const reported = [VENDOR_KEY, btoa(`user:${VENDOR_KEY}`).slice(-20)]
      .filter((form) => refused.body.includes(form));
    trial.report(
      "the gateway's key in a vendor's 401",
      "401 without it",
      `${refused.status}, ${reported.length} forms reported`,
      refused.status === 401 && reported.length === 0,
    );
    const odd: string[] = [];
    for (status of ["000", "099", "199", "600", "999"]) {
      const reply = await call(port, "", { path: `${PROXY}models`, headers: ALL, patience: 2000 });
      if (reply.status !== 502 && reply.status !== 503) odd.push(`${status}: ${reply.status}`);
    }
    trial.report(
      "statuses that do not exist",
      "502 or 503",
      odd.length === 0 ? "all" : odd.join(", "),
      odd.length === 0,
    );
  },
};

/** Draws more tokens, and more requests of a model, than the limits allow. */
async function draw(trial: Trial, port: number): Promise<void> {
  const path = `${PROXY}chat/completions`;
  const statusesOf = async (key: string, model: string) => {
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) {
      const headers = { authorization: `Bearer ${key}` };
      statuses.push((await call(port, { ...HELLO, model }, { path, headers })).status);
      // An answer is counted once it has been read, which its caller may see first.
      await sleep(COUNTED_MS);
    }
    return statuses.join(" ");
  };
  const tokens = await statusesOf(SMALL_KEY, "m");
  const requests = await statusesOf(SERVICE_KEY, "n");
  trial.report(
    `4 requests of ${TOKENS} tokens, with ${LIMIT} a minute; of a model with 1 a minute`,
    "200 429 429 429, both",
    `${tokens}; ${requests}`,
    tokens === "200 429 429 429" && requests === tokens,
  );
}

/** Names models, paths and methods that are not allowed. */
async function reach(trial: Trial, port: number, vendor: RawVendor): Promise<void> {
  const before = vendor.requests.length;
  const some = { authorization: `Bearer ${SOME_KEY}` };
  for (const [path, body] of FOREIGN_MODELS) {
    await call(port, body, { path: `${PROXY}${path}`, headers: some });
  }
  const foreign = vendor.requests.length - before;
  const own = await call(port, HELLO, { path: `${PROXY}chat/completions`, headers: some });
  trial.report(
    `${FOREIGN_MODELS.length} bodies and paths with a model that the key may not use`,
    "0 sent; 200 for its own model",
    `${foreign} sent; ${own.status}`,
    foreign === 0 && own.status === 200,
  );
  for (const path of FOREIGN_PATHS) {
    await call(port, "", { path: `/v1/providers/narrow/proxy/${path}`, headers: ALL });
  }
  const paths = vendor.requests.slice(before + foreign + 1).map(({ head }) => head.split(" ")[1]);
  const away = paths.filter((path) => !/^\/files\/[^/?#]*\/content$/.test(path ?? ""));
  trial.report(
    `${FOREIGN_PATHS.length} paths that a vendor reads in another way`,
    "none but files/*/content is sent",
    away.length === 0 ? "none" : away.join(", "),
    away.length === 0,
  );
  const headers = {
    ...ALL,
    ...Object.fromEntries(FORBIDDEN_HEADERS.map((name) => [name, "DELETE"])),
  };
  await call(port, "", { path: `${PROXY}files?_method=DELETE`, headers });
  const head = vendor.requests.at(-1)?.head ?? "";
  const sent = [...FORBIDDEN_HEADERS, "_method"].filter((name) => head.includes(name));
  trial.report(
    "headers that change a method, a path or an address",
    "0 sent",
    sent.length === 0 ? "0 sent" : sent.join(", "),
    sent.length === 0 && head !== "",
  );
}

const UPLOADS = 25;
const DRIP_MS = 500;
const DRIPS = 4;

/** Uploads that arrive slowly take no place of other requests. */
export const drippedUploads: Scenario = {
  name: "upload",
  seconds: 20,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const gateway = await trial.start({
      config: {
        server: { keys: [{ name: "hostile", key: SERVICE_KEY }], max_in_flight: 20 },
        providers: toProvider(vendor.url, { passthrough: true }),
      },
    });
    const crowd = trial.own(new Crowd());
    const head = `POST ${PROXY}files HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
      `authorization: Bearer ${SERVICE_KEY}\r\ncontent-length: 1000000\r\n\r\nx`;
    await crowd.add(gateway.port, UPLOADS, head);
    const statuses: number[] = [];
    for (let count = 0; count < DRIPS; count++) {
      await sleep(DRIP_MS);
      crowd.send("x");
      statuses.push((await call(gateway.port, HELLO)).status);
    }
    trial.report(
      `${UPLOADS} uploads of a byte per ${DRIP_MS} ms, of 20 in flight: others`,
      "200",
      statuses.join(" "),
      statuses.every((status) => status === 200),
    );
  },
};
