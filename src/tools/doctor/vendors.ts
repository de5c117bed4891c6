/** Examines all vendors: whether they are reachable and accept each key. */

import type { Config, Provider } from "../../config/config.ts";
import { systemClock } from "../../core/clock.ts";
import { Credentials } from "../../upstream/credentials/credentials.ts";
import { HttpClient } from "../../upstream/http1/client.ts";
import { dial } from "../../upstream/http1/dial.ts";
import { checkVendor, type VendorCheck } from "../../upstream/vendor_check.ts";
import { readEnvironmentProxies } from "../../process/config/network_clients.ts";
import { readFile } from "../../process/system/files.ts";
import { logMessage } from "../../process/system/stdio.ts";
import { type Finding, findingsOf } from "./system.ts";

/** The time limit of a vendor, in milliseconds. */
const LIMIT_MS = 10_000;

const { ok, info, warn, fail } = findingsOf("vendors");

/** The clock of another machine. */
export interface OtherClock {
  readonly name: string;
  /** How far this machine's clock is ahead of the other, in milliseconds. */
  readonly skewMs: number;
}

/** The vendors' replies, and their clocks. */
export async function examineVendors(
  { providers }: Config,
): Promise<{ readonly findings: readonly Finding[]; readonly clocks: readonly OtherClock[] }> {
  const direct = new HttpClient({ dial, clock: systemClock });
  const transport = new HttpClient({
    ...{ dial, clock: systemClock },
    proxyFor: readEnvironmentProxies(),
  });
  const credentials = new Credentials({ readFile, direct: direct.fetch, log: logMessage });
  const checks = await Promise.all(
    [...providers.values()].flatMap((provider) =>
      keysOf(provider).map(async ({ key, subject }) => {
        if (provider.adapter.serve !== undefined) return { subject, check: undefined };
        const controller = new AbortController();
        const cancel = systemClock.after(LIMIT_MS, () => controller.abort());
        try {
          const check = await checkVendor(provider, key, {
            ...{ clock: systemClock, credentials },
            fetch: transport.fetch,
            signal: controller.signal,
          });
          return { subject, check };
        } finally {
          cancel();
        }
      })
    ),
  );
  transport.close();
  direct.close();
  return {
    findings: checks.flatMap(({ subject, check }) =>
      check === undefined
        ? [info(subject, "answers within the process, with simulated responses")]
        : [toFinding(subject, check), ...toUnlisted(subject, check)]
    ),
    clocks: checks.flatMap(({ subject: name, check }) =>
      check?.skewMs === undefined ? [] : [{ name, skewMs: check.skewMs }]
    ),
  };
}

/** The keys of a provider, with names that do not reveal them. */
function keysOf({ keys, settings: { id } }: Provider) {
  if (keys.length < 2) return [{ key: keys[0], subject: id }];
  return keys.map((key, index) => ({ key, subject: `${id}, key ${index + 1} of ${keys.length}` }));
}

/** The maximum number of models that a finding names. */
const MAX_NAMED = 5;

function toUnlisted(subject: string, { unlisted }: VendorCheck): readonly Finding[] {
  if (unlisted.length === 0) return [];
  const named = unlisted.slice(0, MAX_NAMED).map((name) => `'${name}'`).join(", ");
  const more = unlisted.length > MAX_NAMED ? ` and ${unlisted.length - MAX_NAMED} more` : "";
  return [warn(subject, `does not list ${named}${more}: is the name right?`)];
}

function toFinding(subject: string, { outcome, detail, ms }: VendorCheck): Finding {
  switch (outcome) {
    case "accepted":
      return ok(subject, `accepts the credentials, after ${ms} ms`);
    case "unreadable":
      return warn(
        subject,
        `replies, but not with a list of models: ${detail}; is 'base_url' right?`,
      );
    case "untested":
      return info(subject, `replies after ${ms} ms, but has no list of models there: ${detail}`);
    case "forbidden":
      return warn(subject, `does not list its models for these credentials: ${detail}`);
    case "limited":
      return warn(subject, `is reached, but limits requests: ${detail}`);
    case "refused":
      return fail(subject, `refuses the credentials: ${detail}`);
    case "failing":
      return fail(subject, `fails: ${detail}`);
    case "unreachable":
      return fail(subject, `cannot be reached: ${detail}`);
  }
}
