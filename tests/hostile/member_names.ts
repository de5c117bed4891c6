/** Members that a vendor reads, but under names that the gateway might not: models, limits, images. */

import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { type GatewayProcess, SERVICE_KEY, VENDOR_KEY } from "./gateway_process.ts";
import { maxGapOf, measure } from "./held.ts";
import { toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const TURN = { role: "user", content: "Hi" };
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };

/** Each endpoint with a JSON body, and a request to the cheap model. */
const ENDPOINTS: readonly (readonly [path: string, request: Record<string, unknown>])[] = [
  ["/v1/chat/completions", { model: "cheap", messages: [TURN] }],
  ["/v1/messages", { model: "cheap", max_tokens: 9, messages: [TURN] }],
  ["/v1/messages/count_tokens", { model: "cheap", messages: [TURN] }],
  ["/v1/responses", { model: "cheap", input: "Hi" }],
  ["/v1/responses/input_tokens", { model: "cheap", input: "Hi" }],
  ["/v1/embeddings", { model: "cheap", input: "Hi" }],
  ["/v1/rerank", { model: "cheap", query: "q", documents: ["a"] }],
  ["/v1/moderations", { model: "cheap", input: "Hi" }],
  ["/v1/images/generations", { model: "cheap", prompt: "x" }],
  ["/v1/audio/speech", { model: "cheap", input: "Hi", voice: "alloy" }],
  ["/v1beta/models/cheap:generateContent", CONTENTS],
  ["/v1beta/models/cheap:embedContent", { content: { parts: [{ text: "Hi" }] } }],
  ["/api/chat", { model: "cheap", messages: [TURN] }],
  ["/api/generate", { model: "cheap", prompt: "Hi" }],
  ["/api/embed", { model: "cheap", input: "Hi" }],
];
const SPELLINGS = ["Model", "MODEL", "mOdel", "modeL"];

/** The output of one answer, which costs 1 USD. */
const TOKENS = 100_000;
const LIMITS: readonly Record<string, unknown>[] = [
  { max_tokens: 1, max_completion_tokens: TOKENS },
  { max_completion_tokens: 1, max_tokens: TOKENS },
  { max_tokens: 1, max_new_tokens: TOKENS },
  { max_tokens: 1, n_predict: TOKENS },
  { max_tokens: 1000, best_of: 100 },
  { max_tokens: 1, Max_Tokens: TOKENS },
  { max_tokens: 1, maxTokens: TOKENS },
];

/** A key limited to one model, a budget of 1 USD, and 90,000 images. */
export const memberNames: Scenario = {
  name: "names",
  alone: true,
  seconds: 40,
  async run(trial) {
    const sent: string[] = [];
    const vendor = trial.own(
      new RawVendor(async ({ body }, connection) => {
        sent.push(body);
        const usage = { prompt_tokens: 0, completion_tokens: TOKENS, total_tokens: TOKENS };
        await connection.send(toAnswer(200, { ...toCompletion("Hi"), usage }));
      }),
    );
    const gateway = await trial.start({
      config: {
        server: {
          keys: [{
            ...{ name: "hostile", key: SERVICE_KEY, models: ["cheap"] },
            budget: { usd: 1, per: "day" },
          }],
        },
        providers: toProvider(vendor.url, {
          api_key: VENDOR_KEY,
          models: ["secret", { id: "cheap", prices: { input: 1, output: 10 } }],
        }),
      },
    });
    await askOtherModel(trial, gateway, sent);
    await sendImages(trial, gateway);
    await evadeLimits(trial, gateway, sent);
  },
};

async function askOtherModel(
  trial: Trial,
  { port }: GatewayProcess,
  sent: readonly string[],
): Promise<void> {
  let refused = 0;
  for (const [path, request] of ENDPOINTS) {
    for (const name of SPELLINGS) {
      const { status } = await call(port, { ...request, [name]: "secret" }, { path });
      if (status === 400) refused++;
    }
  }
  const all = ENDPOINTS.length * SPELLINGS.length;
  const leaked = sent.filter((body) => body.includes("secret")).length;
  trial.report(
    `'model' in ${SPELLINGS.length} cases on ${ENDPOINTS.length} endpoints`,
    `${all} refused with 400, none sent`,
    `${refused} refused, ${leaked} sent`,
    refused === all && leaked === 0,
  );
}

const ROUNDS = 8;

async function evadeLimits(
  trial: Trial,
  { port }: GatewayProcess,
  sent: readonly string[],
): Promise<void> {
  const before = sent.length;
  const requests = Array.from({ length: ROUNDS }, () => LIMITS).flat();
  const replies = await Promise.all(
    requests.map((limits) =>
      call(port, { model: "cheap", messages: [TURN], ...limits }, { patience: 10_000 })
    ),
  );
  const refused = replies.filter(({ status }) => status === 429 || status === 400).length;
  trial.report(
    `${requests.length} requests of 1 USD under several names, 1 USD left`,
    "1 reaches the vendor, others 429 or 400",
    `${sent.length - before} sent, ${refused} refused`,
    sent.length === before + 1 && refused === requests.length - 1,
  );
}

async function sendImages(trial: Trial, gateway: GatewayProcess): Promise<void> {
  const images = Array(90_000).fill("/9j/4AAQSk");
  const request = { model: "cheap", messages: [{ ...TURN, images }] };
  const maxGap = maxGapOf(trial);
  const pinger = trial.ping(gateway);
  const held = await measure({ gateway, pinger }, request, maxGap, { path: "/api/chat" });
  trial.report(
    "90,000 images in 1.2 MB: the longest wait of others",
    `400; ${maxGap} ms`,
    `${held.status}; ${held.gap.toFixed(0)} ms`,
    held.status === 400 && held.gap <= maxGap,
  );
}
