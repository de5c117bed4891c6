/** Configuration files that never end, and rows and counts that are no numbers. */

import { DatabaseSync } from "node:sqlite";
import { eventually, sleep } from "../bench/children.ts";
import { cpuOf } from "../bench/process_books.ts";
import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { maxGapOf } from "./held.ts";
import { residentOf } from "./process_limits.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor, RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const MIB = 2 ** 20;
const MAX_GROWTH = 200 * MIB;
const REFUSED_MS = 8000;

/** Lists of ten aliases each: the last one stands for ten to the power of the levels. */
function toBomb(levels: number): string {
  return Array.from({ length: levels }, (_, level) => {
    const item = level === 0 ? "x" : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array(10).fill(item).join(", ")}]\n`;
  }).join("");
}

/** Files that a reload refuses, with what the log says about them. */
const FILES: readonly (readonly [
  about: string,
  write: (path: string) => void | Promise<void>,
  reported: RegExp,
])[] = [
  ["aliases of aliases", (path) => Deno.writeTextFileSync(path, toBomb(9)), /aliases expanded/],
  [
    "a file of 200 MB",
    (path) => {
      using file = Deno.openSync(path, { write: true, create: true });
      file.truncateSync(200 * MIB);
    },
    /has more than \d+ bytes/,
  ],
  [
    "a pipe",
    async (path) => void await new Deno.Command("mkfifo", { args: [path] }).output(),
    /not a regular file/,
  ],
];

/** A reload of a bad file is refused while others are answered. */
export const configFiles: Scenario = {
  name: "config",
  seconds: 40,
  alone: true,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    for (const [about, write, reported] of FILES) {
      const gateway = await trial.start({ config: { providers: toProvider(vendor.url) } });
      const pinger = trial.ping(gateway);
      const path = `${gateway.directory}/config.yaml`;
      Deno.removeSync(path);
      await write(path);
      await pinger.read();
      const before = residentOf(gateway.pid).now;
      const busy = cpuOf(gateway.pid) ?? 0;
      const begun = performance.now();
      gateway.signal("SIGHUP");
      const isTold = await eventually(() => reported.test(gateway.stderr), REFUSED_MS);
      const ms = performance.now() - begun;
      const { status } = await call(gateway.port, HELLO);
      const { longest } = await pinger.read();
      // What is longer than the gateway's own time, other processes took.
      const gap = Math.min(longest, (cpuOf(gateway.pid) ?? Infinity) - busy);
      const growth = residentOf(gateway.pid).peak - before;
      const maxGap = 3 * maxGapOf(trial);
      trial.report(
        `a reload finds ${about}`,
        `refused, gap ${maxGap} ms, ${MAX_GROWTH / MIB} MiB, others 200`,
        `${isTold ? "refused" : "not told"} in ${ms.toFixed(0)} ms, ${gap.toFixed(0)} ms, ` +
          `${(growth / MIB).toFixed(0)} MiB, ${status}`,
        isTold && gap <= maxGap && growth <= MAX_GROWTH && status === 200,
      );
      pinger[Symbol.dispose]();
      await gateway[Symbol.asyncDispose]();
    }
  },
};

const ROWS_MS = 5000;

/** Bad rows of the store and impossible counts of a vendor spoil neither reports nor budgets. */
export const records: Scenario = {
  name: "record",
  seconds: 30,
  async run(trial) {
    await spoilRows(trial);
    await overstate(trial);
  },
};

async function spoilRows(trial: Trial): Promise<void> {
  const vendor = trial.own(createHelloVendor());
  const directory = Deno.makeTempDirSync({ prefix: "sluice-hostile-" });
  trial.own({ [Symbol.dispose]: () => Deno.removeSync(directory, { recursive: true }) });
  const path = `${directory}/usage.db`;
  const config = { store: `sqlite:${path}`, providers: toProvider(vendor.url) };
  const first = await trial.start({ config });
  for (let count = 0; count < 3; count++) await call(first.port, HELLO);
  await eventually(() => rowsOf(path) === 3, ROWS_MS);
  first.signal("SIGTERM");
  await first.ended;
  {
    using database = new DatabaseSync(path);
    const ids = database.prepare("SELECT id FROM requests").all().map(({ id }) => String(id));
    database.prepare("UPDATE requests SET tags = 'broken' WHERE id = ?").run(ids[0] ?? "");
    database.prepare("UPDATE requests SET time = 9e999 WHERE id = ?").run(ids[1] ?? "");
  }
  const second = await trial.start({ config });
  const statuses: number[] = [];
  for (const query of ["/usage", "/usage?group_by=tag", "/usage?group_by=key", "/requests"]) {
    statuses.push((await call(second.port, "", { path: `/v1${query}` })).status);
  }
  trial.report(
    "2 of 3 rows of the store are broken: reports",
    "200",
    statuses.join(" "),
    statuses.every((status) => status === 200),
  );
}

function rowsOf(path: string): number {
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    return Number(database.prepare("SELECT count(*) AS count FROM requests").get()?.count);
  } catch {
    return 0;
  }
}

/** Counts of tokens that no model can reach. */
const COUNTS = ["1e308", "1e999", "-1e308", "1e15"];
const SETTLED_MS = 200;

async function overstate(trial: Trial): Promise<void> {
  let count = "";
  const vendor = trial.own(
    new RawVendor((_, connection) => {
      const text = JSON.stringify(toCompletion("Hello."));
      return connection.send(
        toAnswer(200, text.replace('"prompt_tokens":3', `"prompt_tokens":${count}`)),
      );
    }),
  );
  const budget = { usd: 100, per: "day" };
  const models = [{ id: "m", max_output_tokens: 100, prices: { input: 1, output: 2 } }];
  const gateway = await trial.start({
    config: {
      server: { keys: [{ name: "hostile", key: SERVICE_KEY, budget }] },
      providers: toProvider(vendor.url, { models }),
    },
  });
  const statuses: number[] = [];
  for (count of COUNTS) statuses.push((await call(gateway.port, HELLO)).status);
  count = "3";
  await sleep(SETTLED_MS);
  const later = await call(gateway.port, HELLO);
  const report = await call(gateway.port, "", { path: "/v1/usage" });
  const cost = Number(/"cost_usd":([^,}]+)/.exec(report.body)?.[1]);
  trial.report(
    `a vendor counts ${COUNTS.join(", ")} tokens: a budget of 100 USD`,
    "the next 200, a cost under 1 USD",
    `${statuses.join(" ")}, then ${later.status}, ${cost} USD`,
    later.status === 200 && cost >= 0 && cost < 1,
  );
}
