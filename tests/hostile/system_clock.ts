/** A machine whose clock changes while the gateway runs (libfaketime). */

import { eventually } from "../bench/children.ts";
import { toAnswer } from "./answers.ts";
import { call } from "./caller.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const LIBRARIES = [Deno.build.arch, "x86_64", "aarch64"].map((arch) =>
  `/usr/lib/${arch}-linux-gnu/faketime/libfaketimeMT.so.1`
);
const DAY_MS = 86_400_000;
const SLACK_MS = 5000;
const LOG_MS = 1000;
const ASK = { model: "m", messages: [{ role: "user", content: "Hi" }] };

/** Signatures and the log follow the clock, and no request fails because of it. */
export const clock: Scenario = {
  name: "clock",
  seconds: 15,
  async run(trial) {
    const library = LIBRARIES.find(exists);
    if (library === undefined) return trial.skip("", "needs libfaketime, which moves the clock");
    const body = {
      output: { message: { role: "assistant", content: [{ text: "Hi!" }] } },
      ...{ stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
    };
    const vendor = trial.own(
      new RawVendor((_, connection) => connection.send(toAnswer(200, body))),
    );
    const aws = { access_key_id: "AKIDEXAMPLE", secret_access_key: "secret-0123456789" };
    const provider = { kind: "bedrock", region: "us-east-1", base_url: vendor.url, ...aws };
    const gateway = await trial.start({
      config: { providers: { v: { ...provider, models: ["m"], retries: 0 } } },
      files: { clock: "+0" },
      env: {
        ...{ LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: "clock", FAKETIME_NO_CACHE: "1" },
        DONT_FAKE_MONOTONIC: "1",
      },
    });
    await call(gateway.port, ASK);
    for (const days of [-3, 2]) {
      Deno.writeTextFileSync(`${gateway.directory}/clock`, `${days < 0 ? "" : "+"}${days}d`);
      const id = `clock-${days}`;
      const { status } = await call(gateway.port, ASK, { headers: { "x-request-id": id } });
      const wanted = Date.now() + days * DAY_MS;
      const signed = /\r\nx-amz-date: ?(\S+)/.exec(vendor.requests.at(-1)?.head ?? "")?.[1] ?? "";
      // The log lags behind, and contains other requests.
      const find = () => gateway.stdout.split("\n").find((line) => line.includes(id)) ?? "";
      await eventually(() => find() !== "", LOG_MS);
      const logged = /"time":"([^"]+)"/.exec(find())?.[1] ?? "";
      const faults = [
        ...(isNear(toIso(signed), wanted) ? [] : [`signed ${signed}`]),
        ...(isNear(logged, wanted) ? [] : [`logged ${logged}`]),
        ...(status === 200 ? [] : [`status ${status}`]),
      ];
      const measured = faults.length === 0 ? "they follow" : faults.join(", ");
      trial.report(
        `set by ${days} days: signature and log`,
        "follow it",
        measured,
        faults.length === 0,
      );
    }
  },
};

/** From `20261122T094239z` to what `Date` reads. */
function toIso(text: string): string {
  return text.toUpperCase().replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
    "$1-$2-$3T$4:$5:$6Z",
  );
}

function isNear(text: string, wanted: number): boolean {
  return Math.abs(Date.parse(text) - wanted) <= SLACK_MS;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
