/** How a vendor's rejection of one caller's request affects others. */

import { toAnswer, toCompletion, toStream } from "./answers.ts";
import { call } from "./caller.ts";
import { type GatewayProcess, SERVICE_KEY } from "./gateway_process.ts";
import { createVendorOfKinds, readKinds, toProviders } from "./kinds.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import { toRefusal } from "./refusals.ts";
import type { Scenario, Trial } from "./trial.ts";

const ADMIN_KEY = "sk-hostile-admin-key";
const STREAM = [{ role: "assistant", content: "Hello." }];
const QUOTED = { role: "user", content: "QUOTE" };

/** Which rejections are learned. */
export const learning: Scenario = {
  name: "learning",
  seconds: 20,
  async run(trial) {
    await quoteStreamOptions(trial);
    await quoteGemini(trial);
    await refuseAlways(trial);
  },
};

/** Rejects requests with the marker, and counts others that request usage. */
async function quoteStreamOptions(trial: Trial): Promise<void> {
  const refusals = [
    { name: "quotes 'stream_options'", code: "invalid_value", param: "service_tier" },
    {
      name: "says that stream_options is unknown",
      code: "unknown_parameter",
      param: "stream_options",
    },
  ];
  for (const { name, code, param } of refusals) {
    const vendor = trial.own(
      new RawVendor(({ body }, connection) => {
        const isRefused = body.includes("QUOTE") && body.includes("stream_options");
        const message = "Invalid value: 'stream_options'. Supported values are: 'auto'.";
        const refusal = toRefusal("openai", { status: 400, message, code, param });
        return connection.send(
          isRefused ? refusal : toStream(STREAM, body.includes("include_usage")),
        );
      }),
    );
    const gateway = await trial.start({ config: { providers: toProvider(vendor.url) } });
    const members = { stream: true, service_tier: "stream_options", messages: [QUOTED] };
    for (let count = 0; count < 3; count++) await call(gateway.port, { ...HELLO, ...members });
    const before = vendor.requests.length;
    const other = await call(gateway.port, { ...HELLO, stream: true });
    const asks = vendor.requests.slice(before).every(({ body }) => body.includes("include_usage"));
    const tokens = await tokensOf(gateway);
    trial.report(
      `a 400 ${name}: others' usage`,
      "asked for and counted",
      `${other.status}, ${asks ? "asked for" : "not asked for"}, ${tokens} input tokens`,
      other.status === 200 && asks && tokens > 0,
    );
  }
}

/** Messages about fields that only some Gemini models accept. */
const GEMINI = [
  "Multiple candidates is not enabled",
  "Thinking level is not supported",
  "Penalty is not enabled",
  "Logprobs is not enabled",
];

async function quoteGemini(trial: Trial): Promise<void> {
  const kinds = readKinds().filter(({ kind }) => kind === "gemini");
  const model = kinds[0]?.model ?? "";
  const vendor = trial.own(createVendorOfKinds(kinds, (kind, { body }) => {
    const words = /QUOTE([^"]*)/.exec(body)?.[1];
    if (words === undefined) return undefined;
    return toRefusal(kind, { status: 400, message: `Invalid value at 'type': "${words}"` });
  }));
  const gateway = await trial.start({ config: { providers: toProviders(kinds, vendor) } });
  const wanted = {
    ...{ n: 2, reasoning_effort: "low", frequency_penalty: 0.5, logprobs: true, top_logprobs: 2 },
  };
  const ask = { model, ...wanted, messages: HELLO.messages };
  await call(gateway.port, ask);
  const sent = () => Object.keys(configOf(vendor.requests.at(-1)?.body ?? "{}")).sort().join(", ");
  const before = sent();
  for (const words of GEMINI) {
    await call(gateway.port, { ...ask, messages: [{ role: "user", content: `QUOTE${words}` }] });
  }
  await call(gateway.port, ask);
  const after = sent();
  const measured = after === before ? "all of them" : `only ${after}`;
  trial.report("Gemini's 400 quotes: others' members", before, measured, after === before);
}

/** If the request also fails without the field, the rejection was not about the field. */
async function refuseAlways(trial: Trial): Promise<void> {
  const vendor = trial.own(
    new RawVendor(({ body }, connection) => {
      const refusal = {
        ...{ status: 400, message: "Unsupported parameter: 'seed'" },
        ...{ code: "unsupported_parameter", param: "seed" },
      };
      const isRefused = body.includes("QUOTE");
      return connection.send(
        isRefused ? toRefusal("openai", refusal) : toAnswer(200, toCompletion("Hello.")),
      );
    }),
  );
  const gateway = await trial.start({ config: { providers: toProvider(vendor.url) } });
  const members = { ...HELLO, seed: 7 };
  await call(gateway.port, { ...members, messages: [QUOTED] });
  const tried = vendor.requests.length;
  await call(gateway.port, members);
  const isSent = vendor.requests.at(-1)?.body.includes('"seed":7') ?? false;
  trial.report(
    "a refusal that leaving out the field does not mend: others' field",
    "is sent",
    `${isSent ? "is sent" : "is left out"} after ${tried} requests`,
    isSent,
  );
}

/** Learned rejections can be listed and cleared. */
export const administration: Scenario = {
  name: "administration",
  seconds: 15,
  async run(trial) {
    let refuses = true;
    const vendor = trial.own(
      new RawVendor(({ head }, connection) => {
        const error = {
          message: "Incorrect API key",
          type: "x",
          param: null,
          code: "invalid_api_key",
        };
        const isRefused = refuses && head.includes("sk-first");
        return connection.send(
          isRefused ? toAnswer(401, { error }) : toAnswer(200, toCompletion("Hello.")),
        );
      }),
    );
    const server = { admin_keys: [{ name: "admin", key: ADMIN_KEY }] };
    const pool = { api_key: ["sk-first-0123456789", "sk-second-0123456789"] };
    const gateway = await trial.start({
      config: { server, providers: toProvider(vendor.url, pool) },
    });
    await call(gateway.port, HELLO);
    refuses = false;
    const path = "/v1/admin/providers/v/reset";
    const as = (key: string) => ({ path, headers: { authorization: `Bearer ${key}` } });
    const stranger = await call(gateway.port, "{}", as(SERVICE_KEY));
    const denied = [401, 403, 404].includes(stranger.status);
    trial.report("reset with a service key", "denied", String(stranger.status), denied);
    const admin = await call(gateway.port, "{}", as(ADMIN_KEY));
    const isDone = admin.status >= 200 && admin.status < 300;
    trial.report("reset with an admin key", "200", String(admin.status), isDone);
    await call(gateway.port, HELLO);
    const isBack = vendor.requests.at(-1)?.head.includes("sk-first") ?? false;
    trial.report("a suspended key, then", "is used", isBack ? "is used" : "is not used", isBack);
    const chat = await call(gateway.port, HELLO, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    trial.report("an admin key asks for a chat", "401", String(chat.status), chat.status === 401);
  },
};

async function tokensOf(gateway: GatewayProcess): Promise<number> {
  const metrics = await gateway.metrics();
  return Number(/^sluice_tokens_total\{[^}]*kind="input"[^}]*\} (\d+)/m.exec(metrics)?.[1] ?? 0);
}

function configOf(body: string): Record<string, unknown> {
  return (JSON.parse(body) as { generationConfig?: Record<string, unknown> }).generationConfig ??
    {};
}
