/** Which errors suspend a key. */

import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import type { GatewayProcess } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor, type VendorRequest } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const KEYS = ["sk-first-key-0123456789", "sk-second-key-0123456789"];
const FILTERED = {
  ...HELLO,
  messages: [{ role: "user", content: "FILTERED" }],
};

/** xAI's refusal of a prompt, with either of its codes. */
const MODERATED = [
  "The caller does not have permission to execute the specified operation",
  "permission-denied",
].map((code) => ({
  code,
  error: "Content violates usage guidelines. Team: t, API key ID: k, Model: grok-4.7, " +
    "Failed check: SAFETY_CHECK_TYPE_BIO",
}));

/** Refusals of the prompt, the model and the key. */
export const keys: Scenario = {
  name: "keys",
  seconds: 20,
  async run(trial) {
    await refusePrompts(trial);
    await refuseOnce(trial);
    await refuseModel(trial);
    await refuseKey(trial);
  },
};

/** The answer of the vendor; undefined is a completion. */
type Refuse = (request: VendorRequest) => string | undefined;

async function serve(
  trial: Trial,
  refuse: Refuse,
  members: Readonly<Record<string, unknown>> = {},
): Promise<{ vendor: RawVendor; gateway: GatewayProcess }> {
  const vendor = trial.own(
    new RawVendor((request, connection) =>
      connection.send(refuse(request) ?? toAnswer(200, toCompletion("Hello.")))
    ),
  );
  const gateway = await trial.start({ config: { providers: toProvider(vendor.url, members) } });
  return { vendor, gateway };
}

async function refusePrompts(trial: Trial): Promise<void> {
  for (const body of MODERATED) {
    const { gateway } = await serve(
      trial,
      (request) => request.body.includes("FILTERED") ? toAnswer(403, body) : undefined,
      { kind: "xai" },
    );
    const refused = await call(gateway.port, FILTERED);
    const other = await call(gateway.port, HELLO);
    const isFilter = refused.status === 400 && refused.body.includes('"content_filter"');
    trial.report(
      `xAI refuses a prompt with '${body.code.slice(0, 17)}'`,
      "400 content_filter; others 200",
      `${refused.status} ${codeOf(refused.body)}; ${other.status}`,
      isFilter && other.status === 200,
    );
  }
}

/** A 429 may be about the size of one request. */
const REFUSALS = [[401, "invalid_api_key"], [403, null], [429, "rate_limit_exceeded"]] as const;

/** The last key is not suspended. */
async function refuseOnce(trial: Trial): Promise<void> {
  for (const [status, code] of REFUSALS) {
    const error = { message: "Refused", type: "invalid_request_error", param: null, code };
    const { gateway } = await serve(
      trial,
      (request) => request.index < KEYS.length ? toAnswer(status, { error }) : undefined,
      { api_key: KEYS },
    );
    const first = await call(gateway.port, HELLO);
    const second = await call(gateway.port, HELLO);
    trial.report(
      `a ${status} of all keys, once: the next caller`,
      "200",
      `${first.status} ${codeOf(first.body)}, then ${second.status}`,
      second.status === 200,
    );
  }
}

/** A key without access to one model stays usable for others. */
async function refuseModel(trial: Trial): Promise<void> {
  const error = {
    message: "Project `p` does not have access to model `m`",
    ...{ type: "invalid_request_error", param: null, code: "model_not_found" },
  };
  const { gateway, vendor } = await serve(
    trial,
    ({ head, body }) =>
      head.includes(KEYS[0] ?? "") && body.includes('"model":"m"')
        ? toAnswer(403, { error })
        : undefined,
    { api_key: KEYS, models: ["m", "other"] },
  );
  const statuses = [];
  for (const model of ["m", "other", "m"]) {
    statuses.push((await call(gateway.port, { ...HELLO, model })).status);
  }
  const used = vendor.requests.map(({ head }) => KEYS.findIndex((key) => head.includes(key)) + 1);
  trial.report(
    "a 403 about a model: keys asked for m, other, m",
    "200, 200, 200 with keys 1 2 1 2",
    `${statuses.join(", ")} with keys ${used.join(" ")}`,
    statuses.every((status) => status === 200) && used.join(" ") === "1 2 1 2",
  );
}

/** A vendor's code about the key suspends it, except the last one. */
async function refuseKey(trial: Trial): Promise<void> {
  const error = {
    message: "Incorrect API key provided",
    ...{ type: "invalid_request_error", param: null, code: "invalid_api_key" },
  };
  const { gateway, vendor } = await serve(
    trial,
    ({ head }) => head.includes(KEYS[0] ?? "") ? toAnswer(401, { error }) : undefined,
    { api_key: KEYS },
  );
  const statuses = [];
  for (let count = 0; count < 3; count++) statuses.push((await call(gateway.port, HELLO)).status);
  const used = vendor.requests.map(({ head }) => KEYS.findIndex((key) => head.includes(key)) + 1);
  trial.report(
    "a 401 of one of two keys: keys asked",
    "200, 200, 200 with keys 1 2 2 2",
    `${statuses.join(", ")} with keys ${used.join(" ")}`,
    statuses.every((status) => status === 200) && used.join(" ") === "1 2 2 2",
  );
}

function codeOf(body: string): string {
  return /"code":"?(\w+)/.exec(body)?.[1] ?? "";
}
