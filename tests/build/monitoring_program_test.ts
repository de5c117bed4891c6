/** The alerts and the dashboard of deploy/monitoring, as Prometheus reads them. */

import { assert } from "@std/assert";
import { readQueries } from "../support/dashboard.ts";

const FOLDER = "deploy/monitoring/";

const TESTS = ["alerts_test.yml", "alerts_day_test.yml"];

const PROMTOOL = ["/usr/bin/promtool", "/usr/local/bin/promtool"].find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
});

function testWithPromtool(name: string, run: (promtool: string) => Promise<void>): void {
  Deno.test({
    name: PROMTOOL === undefined ? `${name} (skipped: promtool is not installed)` : name,
    ignore: PROMTOOL === undefined,
    fn: () => run(PROMTOOL ?? ""),
  });
}

async function run(promtool: string, args: string[], cwd: string): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(promtool, { args, cwd }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  assert(success, text);
}

testWithPromtool("promtool: the alerts are valid, and their unit tests pass", async (promtool) => {
  const folder = new URL(`../../${FOLDER}`, import.meta.url).pathname;
  await run(promtool, ["check", "rules", "alerts.yml"], folder);
  await run(promtool, ["check", "config", "--syntax-only", "prometheus.yml"], folder);
  await run(promtool, ["test", "rules", ...TESTS], folder);
});

testWithPromtool("promtool: every query of the dashboard is an expression", async (promtool) => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-monitoring-" });
  try {
    const rules = readQueries().map((expr, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll(/\$__(rate_interval|range)/g, "5m").replaceAll(/\$\w+/g, "x"),
    }));
    const path = `${folder}/rules.json`;
    await Deno.writeTextFile(path, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    await run(promtool, ["check", "rules", path], folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
