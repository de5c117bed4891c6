/** Rows and counts that are no numbers. */

import { DatabaseSync } from "node:sqlite";
import { eventually, sleep } from "../bench/children.ts";
import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor, RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

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
