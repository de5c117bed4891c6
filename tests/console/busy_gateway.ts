/**
 * A gateway on a bad day, for tests of what people see: two months of requests, a provider that
 * fails, one that is slow, one that is silent, a budget that is nearly spent, and long names.
 */

import { stringify } from "@std/yaml";
import type { AttemptRow } from "../../src/governance/ledger/attempt_row.ts";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import { SqliteUsageStore } from "../../src/governance/ledger/sqlite_store.ts";
import { Random } from "../support/random.ts";
import { usageRow, writeRows } from "../support/usage_rows.ts";
import { ADMIN_KEY, type Served, SERVICE_KEY, startGateway } from "./browser.ts";

/** An admin key that may not save the configuration. */
export const VIEWER_KEY = "sk-viewer-console-0123456789";
/** A model whose name is as long as names of cloud regions make them. */
export const LONG_MODEL =
  "anthropic.claude-sonnet-5-20260915-v1:0-eu-central-1-provisioned-throughput-b";
/** A key with a name of 60 characters. */
export const LONG_KEY = "nightly-invoice-extraction-pipeline-of-the-finance-team-emea";

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
const DAYS = 70;
const ROWS_PER_DAY = 40;

interface Holder {
  readonly name: string;
  readonly team?: string;
  readonly owner?: string;
  /** The monthly budget; `near` is one of which 93 % are spent, on any day of the month. */
  readonly usd?: number | "near";
  readonly models?: readonly string[];
}

export const HOLDERS: readonly Holder[] = [
  { name: "checkout-web", team: "payments", owner: "Ada Osei", usd: 400 },
  { name: "support-bot", team: "support", owner: "Lin Park", usd: "near" },
  { name: LONG_KEY, team: "finance", owner: "Ravi Menon", usd: 90 },
  { name: "search-index", team: "search", owner: "Ada Osei", usd: 250, models: ["gpt-*"] },
  { name: "research-agents", team: "research", owner: "Mo Haddad" },
  { name: "ci", team: "platform" },
];

interface Model {
  readonly id: string;
  readonly provider: string;
  readonly prices?: { readonly input: number; readonly output: number };
}

const MODELS: readonly Model[] = [
  { id: "gpt-5.4", provider: "openai-us", prices: { input: 1.25, output: 10 } },
  { id: "gpt-5.4-mini", provider: "openai-us", prices: { input: 0.25, output: 2 } },
  { id: LONG_MODEL, provider: "bedrock-frankfurt", prices: { input: 3, output: 15 } },
  { id: "llama-4-scout", provider: "vllm-basement" },
];

/** The configuration: simulated vendors, since one is never the fallback of a real one. */
function toConfig(directory: string): string {
  const limits = { context_window: 400_000, max_output_tokens: 128_000 };
  const modelsOf = (name: string) =>
    MODELS.filter(({ provider }) => provider === name)
      .map(({ id, prices }) => ({ id, ...limits, ...(prices && { prices }) }));
  return stringify({
    store: `sqlite:${directory}/busy.db`,
    server: {
      port: 0,
      keys: [{ name: "console", key: SERVICE_KEY }],
      admin_keys: [
        { name: "ops", key: ADMIN_KEY, edit_config: true },
        { name: "viewer", key: VIEWER_KEY },
      ],
    },
    providers: {
      "openai-us": { kind: "mock", models: modelsOf("openai-us") },
      "azure-westeurope": {
        ...{ kind: "mock", retries: 0 },
        models: [{ ...modelsOf("openai-us")[0], upstream: "mock-502" }],
      },
      "bedrock-frankfurt": { kind: "mock", models: modelsOf("bedrock-frankfurt") },
      "vllm-basement": { kind: "mock", models: modelsOf("vllm-basement") },
      "dead-datacenter": {
        ...{ kind: "openai_compatible", base_url: "http://127.0.0.1:9/v1", retries: 0 },
        models: [{ id: "qwen-4", ...limits }],
      },
      studio: {
        kind: "mock",
        models: [
          { id: "gpt-image-2", capabilities: { images: true }, prices: { image: 0.04 } },
          { id: "tts-2", capabilities: { speech: true }, prices: { million_characters: 15 } },
        ],
      },
      mistral: { kind: "mistral", api_key: "${SLUICE_NO_SUCH_KEY}", models: ["mistral-large"] },
    },
    aliases: {
      smart: ["gpt-5.4@azure-westeurope", "gpt-5.4@openai-us", LONG_MODEL],
      fast: "gpt-5.4-mini",
    },
  });
}

/** Rows of the days before, of the last hours, and of requests that need an explanation. */
export function busyRows(now: number): LedgerRow[] {
  const random = new Random(46);
  const rows: LedgerRow[] = [];
  for (let day = DAYS; day > 0; day--) {
    for (let index = 0; index < ROWS_PER_DAY; index++) {
      // The newest are 20 minutes old.
      const time = now - (day - 1) * DAY_MS - 20 * MINUTE_MS - (index / ROWS_PER_DAY) * DAY_MS;
      rows.push(ordinary(`req_${day}_${index}`, Math.round(time), random));
    }
  }
  rows.push(...outage(now, random), ...stories(now));
  return rows.sort((one, other) => one.time - other.time);
}

function ordinary(id: string, time: number, random: Random): LedgerRow {
  const holder = random.pick(HOLDERS);
  const model = random.pick(MODELS);
  const [input, output] = [4000 + random.below(60_000), 200 + random.below(4000)];
  const isFailed = random.chance(0.02);
  const cachedInput = isFailed ? 0 : Math.round(input * random.next() * 0.6);
  return usageRow({
    ...{ id, time, ...holderOf(holder), model: model.id, provider: model.provider },
    ...{ upstream: model.id, tags: [`feature:${random.pick(["chat", "search", "extract"])}`] },
    ...{ input: isFailed ? 0 : input, output: isFailed ? 0 : output, cachedInput, reasoning: 0 },
    ms: 700 + output * 1.5 + random.below(900),
    firstTokenMs: isFailed ? undefined : 300 + random.below(300),
    usd: isFailed ? 0 : usdOf(model, input, output),
    ...(model.prices && cachedInput > 0 && {
      savedUsd: (cachedInput * model.prices.input * 0.9) / 1e6,
    }),
    ...(isFailed && { status: 502, error: "upstream_error", source: "none" as const }),
  });
}

function holderOf({ name: key, team, owner }: Holder): Partial<LedgerRow> {
  return { key, ...(team !== undefined && { team }), ...(owner !== undefined && { owner }) };
}

function usdOf({ prices }: Model, input: number, output: number): number | undefined {
  return prices && (input * prices.input + output * prices.output) / 1e6;
}

function attempt(members: Partial<AttemptRow>): AttemptRow {
  return {
    ...{ provider: "openai-us", upstream: "gpt-5.4", startedMs: 0, ms: 900, status: 200 },
    ...members,
  };
}

const FAILED = { ms: 40, status: 502, error: "upstream_error" };

/** A provider that began to fail 46 minutes ago, and one that failed until 24 minutes ago. */
function* outage(now: number, random: Random): Generator<LedgerRow> {
  for (let index = 0; index < 120; index++) {
    const time = now - 46 * MINUTE_MS + index * 23_000;
    const isRescued = index % 5 > 0;
    yield usageRow({
      ...{ id: `req_outage_${index}`, time, ...holderOf(HOLDERS[index % 4] as Holder) },
      ...{ model: "smart", alias: "smart", attempts: isRescued ? 2 : 1 },
      upstream: isRescued ? "gpt-5.4" : "mock-502",
      provider: isRescued ? "openai-us" : "azure-westeurope",
      attemptRows: [
        attempt({
          ...{ provider: "azure-westeurope", upstream: "mock-502", ...FAILED },
          ...(isRescued && { next: "next_target" }),
        }),
        ...(isRescued ? [attempt({ startedMs: 41, input: 900, output: 300 })] : []),
      ],
      ...(isRescued
        ? { input: 900, output: 300, usd: 0.0041, firstTokenMs: 380, ms: 980 + random.below(300) }
        : { status: 502, error: "upstream_error", input: 0, output: 0, usd: 0, source: "none" }),
    });
  }
  for (let index = 0; index < 8; index++) {
    const time = now - (24 + 8 - index) * MINUTE_MS;
    yield usageRow({
      ...{ id: `req_silent_${index}`, time, ...holderOf(HOLDERS[5] as Holder) },
      ...{ model: "llama-4-scout", provider: "vllm-basement", upstream: "llama-4-scout" },
      ...(index === 2 ? {} : { status: 503, error: "upstream_unavailable", input: 0, output: 0 }),
      ...(index === 2 ? {} : { usd: 0, source: "none" as const }),
    });
  }
}

/** A slow, an expensive, a cached, a hedged and a failed request, and an agent's session. */
function* stories(now: number): Generator<LedgerRow> {
  const web = holderOf(HOLDERS[0] as Holder);
  const gpt = { model: "gpt-5.4", upstream: "gpt-5.4", provider: "openai-us" };
  yield usageRow({
    ...{ id: "req_slow", time: now - 3 * MINUTE_MS, ...web, ...gpt },
    ...{
      ms: 14_800,
      firstTokenMs: 12_400,
      queuedMs: 11_300,
      input: 1800,
      output: 420,
      usd: 0.0065,
    },
  });
  yield usageRow({
    ...{ id: "req_expensive", time: now - 4 * MINUTE_MS, ...holderOf(HOLDERS[4] as Holder) },
    ...{ model: LONG_MODEL, upstream: LONG_MODEL, provider: "bedrock-frankfurt" },
    ...{ input: 912_000, cachedInput: 120_000, cacheWrite: 40_000, output: 31_000 },
    ...{ reasoning: 22_000, usd: 2.907, ms: 92_000, firstTokenMs: 2100 },
    prices: { input: 3, cachedInput: 0.3, cacheWrite: 3.75, cacheWriteHour: 6, output: 15 },
  });
  yield usageRow({
    ...{ id: "req_cached", time: now - 5 * MINUTE_MS, ...web, model: "fast", alias: "fast" },
    ...{ provider: undefined, upstream: undefined, attempts: 0, input: 0, output: 0, usd: 0 },
    ...{ cachedInput: 0, reasoning: 0 },
    ...{ ms: 3, responseCache: "hit", savedUsd: 0.0031, route: "cache", source: "none" },
  });
  yield usageRow({
    ...{ id: "req_hedged", time: now - 6 * MINUTE_MS, ...web, ...gpt, model: "smart" },
    ...{ attempts: 2, hedged: true, hedgeUsd: 0.0021, ms: 1320, firstTokenMs: 980, usd: 0.0044 },
    provider: "bedrock-frankfurt",
    attemptRows: [
      attempt({ ms: 1320, error: "abandoned", status: 499, input: 1200, usd: 0.0021 }),
      attempt({
        ...{ provider: "bedrock-frankfurt", upstream: LONG_MODEL, startedMs: 501, ms: 480 },
        hedge: true,
      }),
    ],
  });
  for (let index = 0; index < 9; index++) {
    yield usageRow({
      ...{ id: `req_agent_${index}`, time: now - (12 - index) * MINUTE_MS, ...gpt },
      ...{ ...holderOf(HOLDERS[4] as Holder), session: "session-7f3a-deep-research-of-suppliers" },
      ...{ agent: index % 3 === 0 ? "planner" : "reader", affinity: index === 0 ? "new" : "hit" },
      ...{ input: 12_000 + index * 4000, cachedInput: index * 3900, output: 900, usd: 0.024 },
      ...{ ms: 3900 + index * 120, firstTokenMs: 610 },
    });
  }
}

/** What a key has spent in the month of `now`, in US dollars. */
function spentBy(name: string, rows: readonly LedgerRow[], now: number): number {
  const start = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth());
  return rows.filter(({ key, time }) => key === name && time >= start)
    .reduce((sum, { usd = 0 }) => sum + usd, 0);
}

/** The gateway, with keys that have spent, and a few requests of the last seconds. */
export async function startBusyGateway(owned: AsyncDisposableStack): Promise<Served> {
  const directory = Deno.makeTempDirSync({ prefix: "sluice-" });
  owned.defer(() => Deno.removeSync(directory, { recursive: true }));
  const store = new SqliteUsageStore(`${directory}/busy.db`);
  const now = Date.now();
  const rows = busyRows(now);
  await writeRows(store, rows);
  await store.close();
  const gateway = owned.use(await startGateway(toConfig(directory)));
  for (const { name, team, owner, usd: budget, models } of HOLDERS) {
    const usd = budget === "near" ? Number((spentBy(name, rows, now) / 0.93).toFixed(6)) : budget;
    const body = { name, team, owner, models, ...(usd && { budget: { usd, per: "month" } }) };
    const response = await gateway.call("/v1/admin/keys", body);
    if (response.status !== 201) throw new Error(await response.text());
    await response.body?.cancel();
  }
  for (const model of ["smart", "fast", "smart", "qwen-4", "smart", LONG_MODEL, "smart", "none"]) {
    const messages = [{ role: "user", content: "Which supplier is the cheapest?" }];
    const response = await gateway.call("/v1/chat/completions", { model, messages });
    await response.body?.cancel();
  }
  return gateway;
}
