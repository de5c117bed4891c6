/** Errors of vendors that quote a caller must not affect other callers. */

import { call } from "./caller.ts";
import { type GatewayProcess } from "./gateway_process.ts";
import { createVendorOfKinds, type Kind, readKinds, toProviders } from "./kinds.ts";
import { toRefusal } from "./refusals.ts";
import type { Scenario } from "./trial.ts";

/** Text that would be about the gateway's credentials if the vendor had written it. */
const WORDS: readonly string[] = [
  "invalid api key",
  "Incorrect API key provided: sk-x",
  "API key not valid. Please pass a valid API key.",
  "API key expired",
  "API_KEY_INVALID",
  "Unauthorized: authentication failed",
  "permission denied: you do not have access",
  "insufficient_quota",
  "Insufficient balance",
  "Your credit balance is too low, see billing",
  "You exceeded your current quota",
  "This organization is on hold",
  "User location is not supported for the API use",
  "model_not_found",
  "rate limit reached, retry in 3600s",
];

/** A key pool, in which a suspension would spread from key to key. */
const POOL = ["sk-first-0123456789", "sk-second-0123456789"];

/** The target of a request, and the text that the vendor quotes. */
const MARK = /QUOTE<(\d+)\|([^>]*)>/;

interface Case {
  readonly name: string;
  readonly status: number;
  readonly stream: boolean;
  /** The expected status for the quoted caller. */
  readonly wanted: (status: number) => boolean;
}

const CASES: readonly Case[] = [
  { name: "a 400", status: 400, stream: false, wanted: (status) => status >= 400 && status < 500 },
  { name: "a 422", status: 422, stream: false, wanted: (status) => status >= 400 && status < 500 },
  { name: "a 403", status: 403, stream: false, wanted: (status) => status >= 400 },
  { name: "a 400 to a stream", status: 400, stream: true, wanted: (status) => status < 500 },
];

/** Text of one caller suspends no key. */
export const echoes: Scenario = {
  name: "echo",
  seconds: 90,
  async run(trial) {
    const all = readKinds();
    const kinds = trial.short ? all.filter(({ kind }) => SHORT_KINDS.has(kind)) : all;
    for (const one of trial.short ? CASES.slice(0, 1) : CASES) {
      const vendor = trial.own(createVendorOfKinds(kinds, (kind, { body }) => {
        const [, status, words = ""] = MARK.exec(body) ?? [];
        if (status === undefined) return undefined;
        const message = `Invalid value: '${words}'. Supported values are: 'a', 'b'.`;
        return toRefusal(kind, {
          ...{ status: Number(status), message },
          ...{ code: "invalid_value", param: "service_tier" },
        });
      }));
      const gateway = await trial.start({
        config: { providers: toProviders(kinds, vendor, { retries: 0, api_key: POOL }) },
      });
      const { harmed, odd } = await attack(gateway, kinds, one);
      trial.report(
        `${one.name} quotes ${WORDS.length} texts, ${kinds.length} kinds: others`,
        "served by every kind",
        harmed.size === 0
          ? "served"
          : `refused by ${harmed.size}: ${[...harmed].slice(0, 6).join(", ")}`,
        harmed.size === 0,
      );
      trial.report(
        `${one.name}: the caller who is quoted`,
        "told of a failure of the request",
        odd.size === 0 ? "so told" : `${odd.size} kinds: ${[...odd].slice(0, 4).join(", ")}`,
        odd.size === 0,
      );
    }
  },
};

const SHORT_KINDS = new Set([
  "openai",
  "gemini",
  "xai",
  "anthropic",
  "bedrock",
  "mistral",
  "cohere",
]);

interface Harm {
  /** Kinds for which another caller was refused. */
  readonly harmed: ReadonlySet<string>;
  /** Unexpected statuses for the quoted caller. */
  readonly odd: ReadonlySet<string>;
}

async function attack(
  gateway: GatewayProcess,
  kinds: readonly Kind[],
  { status, stream, wanted }: Case,
): Promise<Harm> {
  const harmed = new Set<string>();
  const odd = new Set<string>();
  for (const { kind, model } of kinds) {
    for (const words of WORDS) {
      const content = `QUOTE<${status}|${words}>`;
      const quoted = await call(gateway.port, {
        ...{ model, stream, messages: [{ role: "user", content }] },
      });
      if (!wanted(quoted.status)) odd.add(`${quoted.status} at ${kind}`);
      const other = await call(gateway.port, {
        model,
        messages: [{ role: "user", content: "Hi" }],
      });
      if (other.status === 200) continue;
      harmed.add(kind);
      break;
    }
  }
  return { harmed, odd };
}
